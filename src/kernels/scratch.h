#pragma once

#include "util/internal_api.h"

#include <cstddef>
#include <vector>

namespace dsnn::kernels {

/// Memory that a kernel needs while it runs, from a stack that every thread has and keeps: from the
/// second pass on nothing is asked of the system. Aligned for vectors of any instruction set. What
/// was taken last is best given back first, as variables are; in any other order memory comes back
/// when all is given back.
DSNN_INTERNAL_API void* take_scratch(std::size_t bytes);
DSNN_INTERNAL_API void give_scratch(void* memory, std::size_t bytes) noexcept;

template <class T>
struct ScratchAllocator {
  using value_type = T;

  ScratchAllocator() = default;
  template <class U>
  ScratchAllocator(const ScratchAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(take_scratch(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept {
    give_scratch(memory, count * sizeof(T));
  }
  template <class U>
  bool operator==(const ScratchAllocator<U>&) const {
    return true;
  }
};

/// An array in it. Given back by the thread that took it.
template <class T>
using ScratchVector = std::vector<T, ScratchAllocator<T>>;

}  // namespace dsnn::kernels
