#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <functional>

namespace dsnn {

/// Where a long computation stands. `total` is 0 when the end is not known in advance.
struct ProgressUpdate {
  const char* stage;
  std::int64_t done;
  std::int64_t total;
};

/// Installs the function that is told about progress; an empty function removes it.
/// Not thread-safe: install it before the work starts.
DSNN_API void set_progress_observer(std::function<void(const ProgressUpdate&)> observer);

/// Long loops call this every few milliseconds. It tells the observer, if there is one, and throws
/// Cancelled after request_cancel().
DSNN_API void report_progress(const char* stage, std::int64_t done, std::int64_t total);

/// Asks running computations to stop at their next report_progress(). Safe in a signal handler.
DSNN_API void request_cancel() noexcept;
DSNN_API bool is_cancel_requested() noexcept;

}  // namespace dsnn
