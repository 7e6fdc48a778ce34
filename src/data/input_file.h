#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

namespace dsnn {

/// A file open for reading from start to end. Errors name the file and the operating system's
/// reason; a folder is refused.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Reads into the front of `to` and returns the number of bytes; 0 at the end of the file.
  std::size_t read(std::span<char> to);

  const std::filesystem::path& path() const { return path_; }
  /// False for a pipe or a device, which cannot be read twice.
  bool is_regular() const { return is_regular_; }
  /// In bytes; 0 if not regular.
  std::int64_t size() const { return size_; }

 private:
  std::filesystem::path path_;
  int fd_ = -1;
  bool is_regular_ = false;
  std::int64_t size_ = 0;
};

}  // namespace dsnn
