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
    kComplete,     ///< the server sent what it has
    kNothingLeft,  ///< it has no more than what is in the file already
    kRetry,        ///< cut, stalled, or the server is busy: the next attempt may be better
    kUnreachable,  ///< no name, no connection
    kRefused,      ///< nothing that another attempt would change
  };
  Outcome outcome = Outcome::kComplete;
  std::string reason = {};        ///< for the user, unless complete
  bool knows_its_length = false;  ///< the server said how much it sends
};

struct TransferRequest {
  std::string url;
  std::filesystem::path
      part;  ///< the file to append to; bytes that are there are asked for no more
  std::int64_t max_bytes = 0;  ///< of the whole file; more is refused
  /// Told now and then how large the file is and is to be (0: not known). May throw.
  std::function<void(std::int64_t, std::int64_t)> on_progress;
};

/// Whether a redirection is followed: by http and https alone, and never from https to http.
inline bool may_follow(std::string_view from, std::string_view to) {
  return to.starts_with("https://") || (to.starts_with("http://") && !from.starts_with("https://"));
}

/// One GET request and up to five redirections that it may follow. Throws Cancelled within a
/// fraction of a second of request_cancel(), and Error if the file cannot be written.
TransferResult transfer(const TransferRequest& request, const FetchOptions& options);

}  // namespace dsnn
