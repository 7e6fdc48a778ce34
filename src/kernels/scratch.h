#pragma once

#include "util/internal_api.h"

#include <cstddef>
#include <vector>

namespace dsnn::kernels {

/// Scratch memory of a kernel, from a persistent stack per thread: from the second pass on, nothing
/// is allocated from the system. Aligned for vectors of any instruction set. Release in reverse
/// order of allocation, like variables; in any other order, memory is only reusable when everything
/// is released.
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

/// An array in scratch memory. Must be released by the thread that allocated it.
template <class T>
using ScratchVector = std::vector<T, ScratchAllocator<T>>;

}  // namespace dsnn::kernels
