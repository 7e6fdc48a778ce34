#pragma once

#include "c/status.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace dsnn::c {

/// A number that no other handle of any kind has or had.
std::uintptr_t new_handle_number();

/// The objects behind the handles of one kind. A handle is a number cast to a pointer, never an
/// address: one that is closed or invalid is not found. An object in use is destroyed when its last
/// user has finished, even if another thread closes the handle before.
template <class Handle, class Object>
class Handles {
 public:
  explicit Handles(const char* kind) : kind_(kind) {}

  Handle* add(std::shared_ptr<Object> object) {
    const std::uintptr_t number = new_handle_number();
    const std::unique_lock lock(mutex_);
    objects_.emplace(number, std::move(object));
    return reinterpret_cast<Handle*>(number);
  }

  /// Throws Misuse if the handle is closed or invalid.
  std::shared_ptr<Object> get(const Handle* handle) const {
    {
      const std::shared_lock lock(mutex_);
      const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
      if (found != objects_.end()) return found->second;
    }
    fail(handle);
  }

  void close(const Handle* handle) {
    std::shared_ptr<Object> object;  // destroyed after the lock is released
    const std::unique_lock lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == objects_.end()) fail(handle);
    object = std::move(found->second);
    objects_.erase(found);
  }

 private:
  [[noreturn]] void fail(const Handle* handle) const {
    throw Misuse(std::string("the ") + kind_ +
                 (handle == nullptr ? " is NULL" : " is closed or not a valid handle"));
  }

  const char* kind_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

}  // namespace dsnn::c
