#include "dsnn/util/progress.h"

#include "dsnn/util/error.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace dsnn {
namespace {

std::atomic<bool> cancel_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "request_cancel() runs in signal handlers");

std::function<void(const ProgressUpdate&)>& observer() {
  static std::function<void(const ProgressUpdate&)> instance;
  return instance;
}

thread_local Task* current_task = nullptr;
thread_local bool is_uninterrupted = false;

std::string& scope() {
  thread_local std::string instance;
  return instance;
}

}  // namespace

ProgressScope::ProgressScope(std::string text) : before_(std::move(text)) { before_.swap(scope()); }

ProgressScope::~ProgressScope() { before_.swap(scope()); }

void set_progress_observer(std::function<void(const ProgressUpdate&)> new_observer) {
  observer() = std::move(new_observer);
}

void report_progress(const char* stage, std::int64_t done, std::int64_t total) {
  if (is_cancel_requested()) throw Cancelled();
  if (const Task* const task = current_task) {
    if (task->observer_) task->observer_({scope(), stage, done, total});
    return;
  }
  if (!observer()) return;
  static std::mutex mutex;  // several threads may report
  const std::lock_guard lock(mutex);
  observer()({scope(), stage, done, total});
}

void request_cancel() noexcept { cancel_requested.store(true, std::memory_order_relaxed); }

void clear_cancel_request() noexcept { cancel_requested.store(false, std::memory_order_relaxed); }

bool is_cancel_requested() noexcept {
  if (is_uninterrupted) return false;
  if (cancel_requested.load(std::memory_order_relaxed)) return true;
  return current_task != nullptr && current_task->is_cancelled();
}

Uninterrupted::Uninterrupted() noexcept : before_(std::exchange(is_uninterrupted, true)) {}

Uninterrupted::~Uninterrupted() { is_uninterrupted = before_; }

Task::Scope::Scope(Task* task) noexcept : before_(std::exchange(current_task, task)) {}

Task::Scope::~Scope() { current_task = before_; }

Task* Task::current() noexcept { return current_task; }

}  // namespace dsnn
