#pragma once

#include "dsnn/c.h"
#include "dsnn/util/progress.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <mutex>
#include <string>

namespace dsnn::c {

/// The task of one call: calls the caller's function with the progress at most ten times a second,
/// and cancels the call if the function says so. Lives as long as the call.
class Progress {
 public:
  Progress(dsnn_progress callback, void* user_data);

  /// Whether enough time has passed since the last message. Check it before creating one.
  bool is_due() const;
  /// Sends a message immediately.
  void tell(const nlohmann::ordered_json& message);

 private:
  using Clock = std::chrono::steady_clock;

  dsnn_progress callback_;
  void* user_data_;
  std::atomic<Clock::rep> next_;
  std::mutex mutex_;
  Task task_;
  Task::Scope scope_;
};

}  // namespace dsnn::c
