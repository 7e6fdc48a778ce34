#include "dsnn/util/output_file.h"

#include "dsnn/util/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace dsnn {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

// mkstemp makes files that only their owner can read; a finished output follows the umask instead.
void apply_umask(int fd) {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd, 0666 & ~mask);
}

}  // namespace

void check_output_path(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    throw Error(fmt::format("{}: cannot write: is a directory", path.string()));
  }
  const bool is_device =
      std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (!is_device && ::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(fmt::format("{}: cannot create: {}", path.string(), std::strerror(errno)));
  }
}

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  check_output_path(path_);
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail("open for writing");
    return;
  }
  // A symbolic link keeps pointing where it pointed: replace its target, not the link.
  if (std::filesystem::is_symlink(path_, ignored)) {
    path_ = std::filesystem::weakly_canonical(path_);
  }
  const std::string name = fmt::format(".{}.XXXXXX", path_.filename().string());
  temporary_ = (path_.parent_path() / name).string();
  fd_ = ::mkstemp(temporary_.data());
  if (fd_ < 0) {
    temporary_.clear();
    fail("create");
  }
  apply_umask(fd_);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::flush() {
  const char* next = buffer_.data();
  std::size_t left = buffer_.size();
  while (left > 0) {
    const ssize_t written = ::write(fd_, next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    next += written;
    left -= static_cast<std::size_t>(written);
  }
  buffer_.clear();
}

void OutputFile::commit() {
  flush();
  if (!temporary_.empty() && ::fsync(fd_) != 0) fail("write");
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0) fail("write");
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail("write");
  temporary_.clear();
}

void OutputFile::fail(const char* what) const {
  throw Error(fmt::format("{}: cannot {}: {}", path_.string(), what, std::strerror(errno)));
}

}  // namespace dsnn
