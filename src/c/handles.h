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

/// A number that no other handle has or had, of whatever kind.
std::uintptr_t new_handle_number();

/// What handles of one kind stand for. A handle is a number in the shape of a pointer, never an
/// address: one that was closed, or made up, is not found. What is in use stays until its user is
/// done with it, whoever closes the handle meanwhile.
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

  /// Throws Misuse if there is none.
  std::shared_ptr<Object> get(const Handle* handle) const {
    {
      const std::shared_lock lock(mutex_);
      const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
      if (found != objects_.end()) return found->second;
    }
    fail(handle);
  }

  void close(const Handle* handle) {
    std::shared_ptr<Object> object;  // goes when nothing is locked
    const std::unique_lock lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == objects_.end()) fail(handle);
    object = std::move(found->second);
    objects_.erase(found);
  }

 private:
  [[noreturn]] void fail(const Handle* handle) const {
    throw Misuse(std::string("the ") + kind_ +
                 (handle == nullptr ? " is NULL" : " is closed, or was never one"));
  }

  const char* kind_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

}  // namespace dsnn::c
