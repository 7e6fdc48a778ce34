// The threads of a GPU on the processor: every thread of a block is a fiber, and they take turns
// where they wait for each other.
#pragma once

#include "kernels/gpu.h"

#include <cstdint>
#include <cstring>
#include <functional>

namespace dsnn::kernels::cuda::emulation {

/// Runs work, or records it.
void launch(const Gpu& gpu, const std::function<void()>& work);

/// body(thread) for the threads of a block.
void run_block(int num_threads, const std::function<void(int)>& body);

void wait_for_block();
/// The lane of this thread in its warp.
int lane();
/// Eight bytes of the same call in another lane.
std::uint64_t bits_of_lane(std::uint64_t bits, int lane);

template <class T>
T of_lane(T value, int lane) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = bits_of_lane(bits, lane);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace dsnn::kernels::cuda::emulation
