#include "data/input_file.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace dsnn {

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (fd_ < 0 || ::fstat(fd_, &status) != 0) {
    const int reason = errno;
    if (fd_ >= 0) ::close(fd_);
    throw Error(fmt::format("{}: cannot open: {}", path_.string(), std::strerror(reason)));
  }
  if (S_ISDIR(status.st_mode)) {
    ::close(fd_);
    throw Error(fmt::format("{}: is a directory, expected a file", path_.string()));
  }
  is_regular_ = S_ISREG(status.st_mode);
  if (is_regular_) size_ = status.st_size;
}

InputFile::~InputFile() { ::close(fd_); }

std::size_t InputFile::read(std::span<char> to) {
  for (;;) {
    const ssize_t got = ::read(fd_, to.data(), to.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR && !is_cancel_requested()) continue;
    throw Error(fmt::format("{}: cannot read: {}", path_.string(), std::strerror(errno)));
  }
}

}  // namespace dsnn
