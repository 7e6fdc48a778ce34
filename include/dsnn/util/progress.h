#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace dsnn {

/// Where a long computation stands. `total` is 0 when the end is not known in advance.
struct ProgressUpdate {
  std::string_view scope;  ///< of the ProgressScope around it; may be empty
  const char* stage;
  std::int64_t done;
  std::int64_t total;
};

/// Says which part of a larger work the reports within its lifetime belong to ("trial 3 of 9").
class DSNN_API ProgressScope {
 public:
  explicit ProgressScope(std::string text);
  ~ProgressScope();
  ProgressScope(const ProgressScope&) = delete;
  ProgressScope& operator=(const ProgressScope&) = delete;

 private:
  std::string before_;
};

/// Installs the function that is told about progress, by any thread, one at a time; an empty
/// function removes it.
/// Not thread-safe: install it before the work starts.
DSNN_API void set_progress_observer(std::function<void(const ProgressUpdate&)> observer);

/// Long loops call this every few milliseconds. It tells the observer, if there is one, and throws
/// Cancelled after request_cancel().
DSNN_API void report_progress(const char* stage, std::int64_t done, std::int64_t total);

/// Asks running computations to stop at their next report_progress(). Safe in a signal handler.
DSNN_API void request_cancel() noexcept;
DSNN_API bool is_cancel_requested() noexcept;
/// Forgets the request, so that the next computation can run.
DSNN_API void clear_cancel_request() noexcept;

}  // namespace dsnn
