#pragma once

#include "dsnn/fetch/fetch.h"
#include "dsnn/util/error.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace dsnn {

/// The host is unreachable; more attempts would not help.
class Unreachable : public Error {
 public:
  using Error::Error;
};

/// The progress of all downloads of a dataset.
struct DownloadProgress {
  std::int64_t done_before = 0;  ///< bytes of the files before this one
  std::int64_t total = 0;        ///< 0: unknown
};

/// Makes `path` a complete copy of the source, with the expected size and hash. The partial file is
/// `path`.part, which is continued if it exists; a file that turns out to be wrong is removed.
void download(const DatasetSource& source, const std::string& url,
              const std::filesystem::path& path, const FetchOptions& options,
              const DownloadProgress& progress);

/// Throws Error unless the file has the size and the hash of the source, as far as they are known.
void check_download(const DatasetSource& source, const std::filesystem::path& path,
                    const std::string& shown_name);

}  // namespace dsnn
