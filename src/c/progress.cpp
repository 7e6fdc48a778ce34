#include "c/progress.h"

#include "util/json_text.h"

#include <nlohmann/json.hpp>

namespace dsnn::c {
namespace {

constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

// The first message waits like the others: a short call sends none.
Progress::Progress(dsnn_progress callback, void* user_data)
    : callback_(callback),
      user_data_(user_data),
      next_((Clock::now() + kInterval).time_since_epoch().count()),
      task_([this](const ProgressUpdate& update) {
        if (!is_due()) return;
        tell({{"stage", update.stage}, {"done", update.done}, {"total", update.total}});
      }),
      scope_(&task_) {}

bool Progress::is_due() const {
  return callback_ != nullptr &&
         Clock::now().time_since_epoch().count() >= next_.load(std::memory_order_relaxed);
}

void Progress::tell(const nlohmann::ordered_json& message) {
  if (callback_ == nullptr || task_.is_cancelled()) return;
  const std::string text = json_text(message);
  const std::lock_guard lock(mutex_);
  if (task_.is_cancelled()) return;
  if (callback_(user_data_, text.c_str()) != 0) task_.cancel();
  next_ = (Clock::now() + kInterval).time_since_epoch().count();
}

}  // namespace dsnn::c
