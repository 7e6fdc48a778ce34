#pragma once

#include "dsnn/fetch/fetch.h"
#include "dsnn/util/error.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace dsnn {

/// There is no way to the host at all, which more attempts would not change.
class Unreachable : public Error {
 public:
  using Error::Error;
};

/// How far all the downloads of a dataset are.
struct DownloadProgress {
  std::int64_t done_before = 0;  ///< bytes of the files before this one
  std::int64_t total = 0;        ///< 0: not known
};

/// Makes `path` a complete copy of the source, with the size and hash that it is to have. It grows
/// as `path`.part, which is continued where an earlier attempt left one; what turns out to be wrong
/// is removed.
void download(const DatasetSource& source, const std::string& url,
              const std::filesystem::path& path, const FetchOptions& options,
              const DownloadProgress& progress);

/// Throws Error unless the file has the size and the hash of the source, as far as they are known.
void check_download(const DatasetSource& source, const std::filesystem::path& path,
                    const std::string& shown_name);

}  // namespace dsnn
