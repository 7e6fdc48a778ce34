// How kernels are launched. A kernel is a function of its place; DSNN_GPU marks it, as a lambda
// that captures by value.
//
// Without nvcc (DSNN_CUDA=emulated) the same sources are compiled for the processor, which runs one
// thread of the GPU after the other: for tests on machines without a GPU.
#pragma once

#include "kernels/gpu.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#define DSNN_GPU __device__
#define DSNN_GPU_BOTH __host__ __device__
#define DSNN_GPU_INLINE __device__ __forceinline__
#define DSNN_UNROLL _Pragma("unroll")
#else
#include "kernels/cuda/emulation.h"
#define DSNN_GPU
#define DSNN_GPU_BOTH
#define DSNN_GPU_INLINE inline
#define DSNN_UNROLL
#endif

namespace dsnn::kernels::cuda {

constexpr int kWarp = 32;
constexpr int kBlock = 256;
/// Shared memory of a block that every GPU has.
constexpr std::size_t kSharedBytes = 48 * 1024;

/// The place of this thread in a launch of blocks.
struct Place {
  std::int64_t block;  // x of the grid
  int row;             // y of the grid
  int layer;           // z of the grid
  int thread;
};

/// Blocks of a launch.
struct Grid {
  std::int64_t x = 1;
  int y = 1, z = 1;
};

#if defined(__CUDACC__)

/// Throws Error if the last launch was not possible.
void check_launch(const Gpu& gpu);
cudaStream_t stream_of(const Gpu& gpu);

template <class F>
__global__ void __launch_bounds__(kBlock) run_each(std::int64_t count, F f) {
  const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kBlock;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x; i < count;
       i += step) {
    f(i);
  }
}

template <int kThreads, class F>
__global__ void __launch_bounds__(kThreads) run_block(F f) {
  f(Place{static_cast<std::int64_t>(blockIdx.x), static_cast<int>(blockIdx.y),
          static_cast<int>(blockIdx.z), static_cast<int>(threadIdx.x)});
}

template <class F>
void launch_each(const Gpu& gpu, std::int64_t count, const F& f) {
  constexpr std::int64_t kMostBlocks = 1 << 20;
  const std::int64_t blocks = std::min(kMostBlocks, (count + kBlock - 1) / kBlock);
  run_each<<<static_cast<unsigned>(blocks), kBlock, 0, stream_of(gpu)>>>(count, f);
  check_launch(gpu);
}

/// f(place) in blocks of kThreads threads, which may share memory and wait for each other.
template <int kThreads, class F>
void launch_blocks(const Gpu& gpu, const Grid& grid, const F& f) {
  const dim3 blocks(static_cast<unsigned>(grid.x), static_cast<unsigned>(grid.y),
                    static_cast<unsigned>(grid.z));
  run_block<kThreads><<<blocks, kThreads, 0, stream_of(gpu)>>>(f);
  check_launch(gpu);
}

/// An array that the threads of a block share. kId tells arrays of one kernel apart.
template <class T, int kSize, int kId = 0>
DSNN_GPU_INLINE T* shared_array() {
  __shared__ alignas(16) unsigned char memory[kSize * sizeof(T)];
  return reinterpret_cast<T*>(memory);
}
DSNN_GPU_INLINE void wait_for_block() { __syncthreads(); }
DSNN_GPU_INLINE void wait_for_warp() { __syncwarp(); }
template <class T>
DSNN_GPU_INLINE T of_lane_xor(T value, int mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}
template <class T>
DSNN_GPU_INLINE T of_lane(T value, int lane) {
  return __shfl_sync(0xffffffffu, value, lane);
}
/// A value that does not change while a kernel runs.
template <class T>
DSNN_GPU_INLINE T read_constant(const T* value) {
  return __ldg(value);
}
DSNN_GPU_INLINE int add_count(int* counter) { return atomicAdd(counter, 1); }
DSNN_GPU_INLINE void publish_writes() { __threadfence(); }

#else

template <class F>
void launch_each(const Gpu& gpu, std::int64_t count, const F& f) {
  emulation::launch(gpu, [=] {
    for (std::int64_t i = 0; i < count; ++i) f(i);
  });
}

template <int kThreads, class F>
void launch_blocks(const Gpu& gpu, const Grid& grid, const F& f) {
  emulation::launch(gpu, [=] {
    for (int z = 0; z < grid.z; ++z) {
      for (int y = 0; y < grid.y; ++y) {
        for (std::int64_t x = 0; x < grid.x; ++x) {
          emulation::run_block(kThreads, [&](int thread) { f(Place{x, y, z, thread}); });
        }
      }
    }
  });
}

template <class T, int kSize, int kId = 0>
T* shared_array() {
  alignas(16) static thread_local unsigned char memory[kSize * sizeof(T)];
  return reinterpret_cast<T*>(memory);
}
inline void wait_for_block() { emulation::wait_for_block(); }
inline void wait_for_warp() { emulation::of_lane(0, 0); }
template <class T>
T of_lane_xor(T value, int mask) {
  return emulation::of_lane(value, emulation::lane() ^ mask);
}
template <class T>
T of_lane(T value, int lane) {
  return emulation::of_lane(value, lane);
}
template <class T>
T read_constant(const T* value) {
  return *value;
}
inline int add_count(int* counter) { return (*counter)++; }
inline void publish_writes() {}

#endif

/// a / b for numbers that are not negative: dividing 64 bits takes several times longer.
DSNN_GPU_INLINE std::int64_t divide(std::int64_t a, std::int64_t b) {
  if (((a | b) >> 32) != 0) return a / b;
  return static_cast<std::int64_t>(static_cast<std::uint32_t>(a) / static_cast<std::uint32_t>(b));
}

/// f(i) for 0 <= i < count, one thread each.
template <class F>
void for_each(const Gpu& gpu, std::int64_t count, const F& f) {
  if (count > 0) launch_each(gpu, count, f);
}

/// f(row, column) for all places of a matrix, neighbouring columns in neighbouring threads.
template <class F>
void for_cells(const Gpu& gpu, std::int64_t rows, std::int64_t columns, const F& f) {
  const std::int64_t count = rows * columns;
  if (count <= 0) return;
  if (count < (std::int64_t{1} << 31)) {  // dividing 64 bits takes several times longer
    const auto width = static_cast<std::uint32_t>(columns);
    launch_each(gpu, count, [=] DSNN_GPU(std::int64_t i) {
      const std::uint32_t row = static_cast<std::uint32_t>(i) / width;
      f(static_cast<std::int64_t>(row),
        static_cast<std::int64_t>(static_cast<std::uint32_t>(i) - row * width));
    });
  } else {
    launch_each(gpu, count, [=] DSNN_GPU(std::int64_t i) { f(i / columns, i % columns); });
  }
}

/// f(row, lane) for all rows, one warp each.
template <class F>
void for_warps(const Gpu& gpu, std::int64_t rows, const F& f) {
  constexpr int kThreads = 128, kRows = kThreads / kWarp;
  if (rows <= 0) return;
  launch_blocks<kThreads>(gpu, {(rows + kRows - 1) / kRows}, [=] DSNN_GPU(const Place& place) {
    const std::int64_t row = place.block * kRows + place.thread / kWarp;
    if (row < rows) f(row, place.thread % kWarp);
  });
}

/// first(i) for i < count and second(i) for i < other_count, in one launch.
template <class F, class G>
void for_both(const Gpu& gpu, std::int64_t count, const F& first, std::int64_t other_count,
              const G& second) {
  for_each(gpu, count + other_count, [=] DSNN_GPU(std::int64_t i) {
    if (i < count) {
      first(i);
    } else {
      second(i - count);
    }
  });
}

/// Work that does not depend on each other; in a recording it runs at the same time.
template <class First, class... Others>
void in_parallel(const Gpu& gpu, const First& first, const Others&... others) {
  const int home = gpu.part(), start = gpu.mark();
  std::vector<int> ends;
  const auto aside = [&](const auto& work) {
    gpu.start_part();
    gpu.after(start);
    work();
    ends.push_back(gpu.mark());
  };
  (aside(others), ...);
  gpu.return_to_part(home);
  first();
  for (const int end : ends) gpu.after(end);
}

/// Whether this block is the last one of `count` that comes here: it sees what the others wrote
/// before. All threads of the block call it. The counter is 0 before and after.
DSNN_GPU_INLINE bool is_last_block(int* counter, std::int64_t count, int thread) {
  int* is_last = shared_array<int, 1, 31>();
  publish_writes();
  wait_for_block();
  if (thread == 0) {
    *is_last = add_count(counter) + 1 == count ? 1 : 0;
    if (*is_last != 0) *counter = 0;
  }
  wait_for_block();
  publish_writes();
  return *is_last != 0;
}
/// The same for warps.
DSNN_GPU_INLINE bool is_last_warp(int* counter, std::int64_t count, int lane) {
  publish_writes();
  wait_for_warp();
  int is_last = 0;
  if (lane == 0) {
    is_last = add_count(counter) + 1 == count ? 1 : 0;
    if (is_last != 0) *counter = 0;
  }
  is_last = of_lane(is_last, 0);
  publish_writes();
  return is_last != 0;
}

/// The sum over the lanes of a warp, in every lane, in a fixed order.
template <class T>
DSNN_GPU_INLINE T warp_sum(T value) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) value += of_lane_xor(value, mask);
  return value;
}
/// Adds up kCount values of every lane over the lanes of a warp: lane l has the sum of value
/// l / (32 / kCount), kCount a power of two. Every step halves the number of values of a lane.
template <int kCount, class T>
DSNN_GPU_INLINE T sum_transposed(T (&values)[kCount], int lane) {
  int mask = kWarp / 2;
  DSNN_UNROLL
  for (int half = kCount / 2; half >= 1; half /= 2, mask /= 2) {
    const bool is_upper = (lane & mask) != 0;
    DSNN_UNROLL
    for (int k = 0; k < half; ++k) {
      const T sent = is_upper ? values[k] : values[k + half];
      const T kept = is_upper ? values[k + half] : values[k];
      values[k] = kept + of_lane_xor(sent, mask);
    }
  }
  T sum = values[0];
  for (; mask > 0; mask /= 2) sum += of_lane_xor(sum, mask);
  return sum;
}

/// The smallest power of two that is not less.
constexpr int next_power(int n) {
  int power = 1;
  while (power < n) power *= 2;
  return power;
}

/// NaN wins.
template <class T>
DSNN_GPU_INLINE T warp_max(T value) {
  for (int mask = kWarp / 2; mask > 0; mask /= 2) {
    const T other = of_lane_xor(value, mask);
    value = other <= value || value != value ? value : other;
  }
  return value;
}

}  // namespace dsnn::kernels::cuda
