#pragma once

#include "dsnn/fetch/fetch.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace dsnn {

/// How one request ended.
struct TransferResult {
  enum class Outcome {
    kComplete,     ///< the server sent the whole file
    kNothingLeft,  ///< the file on the server is not longer than the existing part
    kRetry,        ///< interrupted, stalled, or the server is busy: try again
    kUnreachable,  ///< no name, no connection
    kRefused,      ///< trying again would not help
  };
  Outcome outcome = Outcome::kComplete;
  std::string reason = {};        ///< for the user, unless complete
  bool knows_its_length = false;  ///< the server declared the length
};

struct TransferRequest {
  std::string url;
  std::filesystem::path part;  ///< the file to append to; existing bytes are not requested again
  std::int64_t max_bytes = 0;  ///< limit for the whole file
  /// Called occasionally with the current and the final size of the file (0: unknown). May throw.
  std::function<void(std::int64_t, std::int64_t)> on_progress;
};

/// Whether a redirection is followed: only to http and https, and never from https to http.
inline bool may_follow(std::string_view from, std::string_view to) {
  return to.starts_with("https://") || (to.starts_with("http://") && !from.starts_with("https://"));
}

/// One GET request and up to five redirections that it may follow. Throws Cancelled within a
/// fraction of a second of request_cancel(), and Error if the file cannot be written.
TransferResult transfer(const TransferRequest& request, const FetchOptions& options);

}  // namespace dsnn
