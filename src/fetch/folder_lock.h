#pragma once

#include <filesystem>

namespace dsnn {

/// Waits until no other process works in the folder, and keeps others waiting while it lives. The
/// lock is on the folder itself: it leaves no file, and goes with a process that dies. Where the
/// file system has no such locks there is none.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int fd_ = -1;
};

}  // namespace dsnn
