#pragma once

#include "dsnn/export.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace dsnn {

/// The progress of a long computation. `total` is 0 if it is unknown.
struct ProgressUpdate {
  std::string_view scope;  ///< of the ProgressScope around it; may be empty
  const char* stage;
  std::int64_t done;
  std::int64_t total;
};

/// Names the part of a larger work for the reports during its lifetime ("trial 3 of 9").
class DSNN_API ProgressScope {
 public:
  explicit ProgressScope(std::string text);
  ~ProgressScope();
  ProgressScope(const ProgressScope&) = delete;
  ProgressScope& operator=(const ProgressScope&) = delete;

 private:
  std::string before_;
};

/// Installs the function that receives progress, called by any thread, one at a time; an empty
/// function removes it. Not thread-safe: install it before the work starts.
DSNN_API void set_progress_observer(std::function<void(const ProgressUpdate&)> observer);

/// Long loops call this every few milliseconds. It calls the observer, if any, and throws Cancelled
/// after request_cancel().
DSNN_API void report_progress(const char* stage, std::int64_t done, std::int64_t total);

/// Asks running computations to stop at their next report_progress(). Safe in a signal handler.
DSNN_API void request_cancel() noexcept;
/// Whether they are asked to, all or the calling thread's task.
DSNN_API bool is_cancel_requested() noexcept;
/// Clears the request, so that the next computation can run.
DSNN_API void clear_cancel_request() noexcept;

/// While it exists, the calling thread ignores requests to stop, so that an interrupted
/// computation can write its files before it ends.
class DSNN_API Uninterrupted {
 public:
  Uninterrupted() noexcept;
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;

 private:
  bool before_;
};

/// A computation with its own observer and its own request to stop, for programs that run several
/// computations at the same time, each in a thread, and stop one of them. Threads that the library
/// starts for a computation belong to its task.
class DSNN_API Task {
 public:
  using Observer = std::function<void(const ProgressUpdate&)>;
  /// The observer is called with the task's reports instead of the global one, possibly by several
  /// threads at the same time. It may be empty.
  explicit Task(Observer observer = {}) : observer_(std::move(observer)) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  /// Asks the task to stop at its next report_progress(). Any thread may.
  void cancel() noexcept { is_cancelled_.store(true, std::memory_order_relaxed); }
  bool is_cancelled() const noexcept { return is_cancelled_.load(std::memory_order_relaxed); }

  /// While it lives, what the calling thread does belongs to the task; with a null pointer, to
  /// none.
  class DSNN_API Scope {
   public:
    explicit Scope(Task* task) noexcept;
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Task* before_;
  };
  /// The calling thread's; a null pointer if it has none.
  static Task* current() noexcept;

 private:
  friend void report_progress(const char* stage, std::int64_t done, std::int64_t total);

  Observer observer_;
  std::atomic<bool> is_cancelled_{false};
};

}  // namespace dsnn
