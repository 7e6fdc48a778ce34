#include "util/folder_lock.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace dsnn {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (fd_ < 0) {
    throw Error(fmt::format("{}: cannot open: {}", folder.string(), std::strerror(errno)));
  }
}

FolderLock::~FolderLock() { ::close(fd_); }

bool FolderLock::try_lock() {
  return ::flock(fd_, LOCK_EX | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR);
}

void FolderLock::wait(const char* what) {
  while (!try_lock()) {
    report_progress(what, 0, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

}  // namespace dsnn
