#pragma once

#include "util/internal_api.h"

#include <filesystem>

namespace dsnn {

/// Locks a folder against other processes during its lifetime. The lock is on the folder itself: it
/// leaves no file, and is released if the process dies. If the file system has no such locks, there
/// is none.
class DSNN_INTERNAL_API FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// False if another process has the folder.
  bool try_lock();
  /// Waits until no other process has the folder; `what` is shown meanwhile.
  void wait(const char* what);

 private:
  int fd_ = -1;
};

}  // namespace dsnn
