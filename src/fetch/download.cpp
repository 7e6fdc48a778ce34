#include "fetch/download.h"

#include "dsnn/util/progress.h"

#include "fetch/sha256.h"
#include "fetch/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

namespace dsnn {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Outcome = TransferResult::Outcome;

// For sources of unknown size; the largest has tens of megabytes.
constexpr std::int64_t kMaxUnknownBytes = std::int64_t{512} << 20;

std::int64_t size_of(const fs::path& path) {
  std::error_code error;
  const auto bytes = fs::file_size(path, error);
  return error ? 0 : static_cast<std::int64_t>(bytes);
}

void remove_file(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

/// Removes the file on destruction unless it is kept.
class Removal {
 public:
  explicit Removal(fs::path path) : path_(std::move(path)) {}
  ~Removal() {
    if (!is_kept_) remove_file(path_);
  }
  Removal(const Removal&) = delete;
  Removal& operator=(const Removal&) = delete;
  void keep() { is_kept_ = true; }

 private:
  fs::path path_;
  bool is_kept_ = false;
};

void wait(std::chrono::milliseconds duration, const DownloadProgress& progress,
          std::int64_t bytes) {
  constexpr std::chrono::milliseconds kStep{50};
  for (const auto end = Clock::now() + duration; Clock::now() < end;) {
    report_progress("downloading", progress.done_before + bytes, progress.total);
    std::this_thread::sleep_for(std::min(duration, kStep));
  }
}

/// Sends requests until the file is complete, each continuing where the previous one ended.
void complete(const DatasetSource& source, const std::string& url, const fs::path& part,
              const FetchOptions& options, const DownloadProgress& progress) {
  const std::int64_t max_bytes = source.bytes > 0 ? source.bytes : kMaxUnknownBytes;
  if (size_of(part) > max_bytes) remove_file(part);
  if (source.bytes > 0 && size_of(part) == source.bytes) return;
  const auto on_progress = [&](std::int64_t done, std::int64_t whole) {
    report_progress("downloading", progress.done_before + done,
                    progress.total > 0 ? progress.total : whole);
  };
  std::int64_t most_bytes = size_of(part);
  int attempts = 0, idle_attempts = 0;
  for (auto pause = options.back_off;; pause *= 2) {
    ++attempts;
    const TransferResult result = transfer({url, part, max_bytes, on_progress}, options);
    const std::int64_t bytes = size_of(part);
    const bool is_short = source.bytes > 0 && bytes < source.bytes;
    switch (result.outcome) {
      case Outcome::kUnreachable:
        throw Unreachable(result.reason);
      case Outcome::kRefused:
        throw Error(fmt::format("{}: download failed: {}", url, result.reason));
      case Outcome::kComplete:
      case Outcome::kNothingLeft:
        // Without a declared length, a closed connection may mean a truncated file.
        if (!is_short || result.knows_its_length) return;
        break;
      case Outcome::kRetry:
        break;
    }
    // An attempt that received data does not count: a bad connection may need many attempts.
    if (bytes > most_bytes) {
      most_bytes = bytes;
      idle_attempts = 0;
      pause = options.back_off;
    } else if (idle_attempts++ >= options.retries) {
      throw Error(
          fmt::format("{}: download failed after {} attempt{}: {}; the partial file is "
                      "kept, and the next run continues from there",
                      url, attempts, attempts == 1 ? "" : "s",
                      result.reason.empty() ? "the connection was interrupted" : result.reason));
    }
    wait(pause, progress, bytes);
  }
}

}  // namespace

void check_download(const DatasetSource& source, const fs::path& path,
                    const std::string& shown_name) {
  const std::int64_t bytes = size_of(path);
  if (source.bytes > 0 && bytes != source.bytes) {
    throw Error(fmt::format("{}: has {} bytes, expected {}", shown_name, bytes, source.bytes));
  }
  if (source.sha256.empty()) return;
  const std::string found = sha256_of_file(path);
  if (found == source.sha256) return;
  throw Error(fmt::format("{}: its SHA-256 is {}, expected {}", shown_name, found, source.sha256));
}

void download(const DatasetSource& source, const std::string& url, const fs::path& path,
              const FetchOptions& options, const DownloadProgress& progress) {
  fs::path part = path;
  part += ".part";
  try {
    complete(source, url, part, options, progress);
  } catch (...) {
    if (size_of(part) == 0) remove_file(part);  // nothing to continue from
    throw;
  }
  Removal removal(part);
  try {
    check_download(source, part, url);
  } catch (const Cancelled&) {
    removal.keep();
    throw;
  }
  if (std::rename(part.c_str(), path.c_str()) != 0) {
    removal.keep();
    throw Error(fmt::format("{}: cannot write: {}", path.string(), std::strerror(errno)));
  }
  removal.keep();
}

}  // namespace dsnn
