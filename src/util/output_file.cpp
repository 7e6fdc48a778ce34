#include "dsnn/util/output_file.h"

#include "dsnn/util/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <utility>

namespace dsnn {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

/// A new file beside `path`, with the permissions of the replaced file or, for a new file, those
/// given by the umask (mkstemp's would be private).
int open_temporary(const std::filesystem::path& path, std::string& name) {
  struct stat old = {};
  const bool has_old = ::stat(path.c_str(), &old) == 0;
  const mode_t mode = has_old ? old.st_mode & 0777 : 0666;
  std::random_device random;
  for (int attempt = 0; attempt < 100; ++attempt) {
    name = (path.parent_path() / fmt::format(".{}.{:08x}", path.filename().string(), random()))
               .string();
    const int fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    // Applies the umask. A file system without permissions may refuse this, which is harmless.
    if (fd >= 0 && has_old) (void)::fchmod(fd, mode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

}  // namespace

bool is_stream_path(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  const std::string text = path.lexically_normal().string();
  return text.starts_with("/dev/std") || text.starts_with("/dev/fd/") ||
         text.starts_with("/proc/") ||
         (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status));
}

void check_output_path(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) {
    throw Error(fmt::format("{}: cannot write: is a directory", path.string()));
  }
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (is_stream_path(path)) return;
  const int access_error = ::access(folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
  const bool is_no_folder =
      std::filesystem::exists(folder, ignored) && !std::filesystem::is_directory(folder, ignored);
  const int reason = is_no_folder ? ENOTDIR : access_error;
  if (reason == 0) return;
  throw Error(fmt::format("{}: cannot create: {}", path.string(), std::strerror(reason)));
}

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  check_output_path(path_);
  if (is_stream_path(path_)) {
    // Uses standard output itself: opened again, a file would be written from its start.
    fd_ = path_ == "/dev/stdout" ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                 : ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd_ < 0) fail("open for writing");
    return;
  }
  // Replace the target of a symbolic link, not the link.
  std::error_code ignored;
  if (std::filesystem::is_symlink(path_, ignored)) path_ = std::filesystem::weakly_canonical(path_);
  fd_ = open_temporary(path_, temporary_);
  if (fd_ < 0) {
    temporary_.clear();
    fail("create");
  }
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

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  OutputFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace dsnn
