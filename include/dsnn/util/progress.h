#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

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
DSNN_API bool is_cancel_requested() noexcept;
/// Clears the request, so that the next computation can run.
DSNN_API void clear_cancel_request() noexcept;

}  // namespace dsnn
