#pragma once

#include "dsnn/export.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace dsnn {

/// Whether the path is a stream, not a regular file: a pipe, a device, or a descriptor of the
/// process such as /dev/stdout, even if it is redirected to a file.
DSNN_API bool is_stream_path(const std::filesystem::path& path);

/// Throws Error if no file can be written to this path: it is a directory, or its folder is missing
/// or not writable. For checks before long computations.
DSNN_API void check_output_path(const std::filesystem::path& path);

/// A text or binary file that appears under its name only when it is complete.
///
/// The bytes go to a temporary file in the same folder; commit() flushes it to the disk and renames
/// it; permissions of a replaced file are kept. Without commit(), an existing file is unchanged and
/// the temporary file is removed. A stream is written to directly.
class DSNN_API OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends bytes; throws Error with the operating system's reason (a full disk, say).
  void write(std::string_view bytes);

  /// Completes the file under its name. Nothing can be written afterwards.
  void commit();

 private:
  void flush();
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::string temporary_;  // empty if written to directly
  std::string buffer_;
  int fd_ = -1;
};

/// Writes a whole file; it appears only when it is complete.
DSNN_API void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace dsnn
