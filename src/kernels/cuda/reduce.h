// Sums over the rows of a matrix whose entries are computed on the way. The order depends on the
// sizes alone; sums are in double.
#pragma once

#include "kernels/cuda/launch.h"

namespace dsnn::kernels::cuda {

/// The sum over the threads of a block of kThreads, in thread 0, in a fixed order.
template <int kThreads>
DSNN_GPU_INLINE double block_sum(double value, int thread) {
  value = warp_sum(value);
  double* shared = shared_array<double, kThreads / kWarp, 30>();
  wait_for_block();  // earlier reads are done
  if (thread % kWarp == 0) shared[thread / kWarp] = value;
  wait_for_block();
  double sum = 0;
  if (thread > 0) return sum;
  for (int i = 0; i < kThreads / kWarp; ++i) sum += shared[i];
  return sum;
}

/// How the rows of a sum are cut into blocks.
struct RowBlocks {
  std::int64_t size, count;
  explicit RowBlocks(std::int64_t rows) {
    constexpr std::int64_t kMostBlocks = 256, kLeastRows = 8;
    size = std::max(kLeastRows, (rows + kMostBlocks - 1) / kMostBlocks);
    count = std::max<std::int64_t>(1, (rows + size - 1) / size);
  }
};

/// sums[g] = factor times the sum of term(row, c) over all rows and over the `fold` columns c from
/// g fold on; fold is 2 or more. Every term is computed once.
template <class T, class Term>
void folded_sums(const Gpu& gpu, std::int64_t rows, std::int64_t groups, std::int64_t fold,
                 const Term& term, T* sums, double factor) {
  constexpr int kThreads = 256, kRows = kThreads / kWarp;
  const RowBlocks cuts(rows);
  const std::int64_t block_rows = cuts.size, blocks = cuts.count;
  auto* partial =
      static_cast<double*>(gpu.scratch(static_cast<std::size_t>(blocks * groups) * sizeof(double)));
  int* counters = gpu.counters(static_cast<std::size_t>(groups));
  launch_blocks<kThreads>(gpu, {blocks * groups}, [=] DSNN_GPU(const Place& place) {
    const int lane = place.thread % kWarp, part = place.thread / kWarp;
    const std::int64_t group = place.block % groups, block = place.block / groups;
    const std::int64_t begin = block * block_rows, last = begin + block_rows;
    const std::int64_t end = last < rows ? last : rows;
    double sum = 0;
#pragma unroll 4
    for (std::int64_t row = begin + part; row < end; row += kRows) {
      for (std::int64_t c = lane; c < fold; c += kWarp) {
        sum += static_cast<double>(term(row, group * fold + c));
      }
    }
    sum = block_sum<kThreads>(sum, place.thread);
    if (blocks > 1) {
      if (place.thread == 0) partial[group * blocks + block] = sum;
      if (!is_last_block(counters + group, blocks, place.thread)) return;
      sum = 0;
      for (std::int64_t b = place.thread; b < blocks; b += kThreads) {
        sum += partial[group * blocks + b];
      }
      sum = block_sum<kThreads>(sum, place.thread);
    }
    if (place.thread == 0) sums[group] = static_cast<T>(factor * sum);
  });
}

/// sums[g] = factor times the sum of term(row, c) over all rows and over `fold` neighbouring
/// columns c, from g fold on. Every term is computed once.
template <class T, class Term>
void column_sums(const Gpu& gpu, std::int64_t rows, std::int64_t columns, std::int64_t fold,
                 const Term& term, T* sums, double factor = 1) {
  constexpr int kThreads = 256, kRows = kThreads / kWarp;
  if (columns == 0) return;
  if (fold > 1) return folded_sums(gpu, rows, columns / fold, fold, term, sums, factor);
  const RowBlocks cuts(rows);
  const std::int64_t block_rows = cuts.size, blocks = cuts.count;
  const std::int64_t tiles = (columns + kWarp - 1) / kWarp;
  auto* partial = static_cast<double*>(
      gpu.scratch(static_cast<std::size_t>(blocks * columns) * sizeof(double)));
  int* counters = gpu.counters(static_cast<std::size_t>(tiles));
  launch_blocks<kThreads>(gpu, {blocks * tiles}, [=] DSNN_GPU(const Place& place) {
    const int lane = place.thread % kWarp, part = place.thread / kWarp;
    const std::int64_t tile = place.block % tiles, column = tile * kWarp + lane;
    const std::int64_t block = place.block / tiles, begin = block * block_rows;
    const std::int64_t last = begin + block_rows;
    const std::int64_t end = last < rows ? last : rows;
    double* shared = shared_array<double, kThreads>();
    /// Over the warps of the block, in the first warp.
    const auto over_warps = [&](double value) {
      wait_for_block();  // earlier reads are done
      shared[place.thread] = value;
      wait_for_block();
      if (part > 0) return value;
      for (int i = 1; i < kRows; ++i) value += shared[i * kWarp + lane];
      return value;
    };
    double sum = 0;
#pragma unroll 4
    for (std::int64_t row = begin + part; column < columns && row < end; row += kRows) {
      sum += static_cast<double>(term(row, column));
    }
    sum = over_warps(sum);
    if (blocks > 1) {
      if (part == 0 && column < columns) partial[block * columns + column] = sum;
      if (!is_last_block(counters + tile, blocks, place.thread)) return;
      sum = 0;
#pragma unroll 8
      for (std::int64_t b = part; column < columns && b < blocks; b += kRows) {
        sum += partial[b * columns + column];
      }
      sum = over_warps(sum);
    }
    if (part == 0 && column < columns) sums[column] = static_cast<T>(factor * sum);
  });
}

/// *sum = factor times the sum of term(i) for i < size.
template <class T, class Term>
void sum_all(const Gpu& gpu, std::int64_t size, const Term& term, T* sum, double factor = 1) {
  constexpr std::int64_t kWidth = kWarp;
  column_sums(
      gpu, (size + kWidth - 1) / kWidth, kWidth, kWidth,
      [=] DSNN_GPU(std::int64_t row, std::int64_t column) {
        const std::int64_t i = row * kWidth + column;
        return i < size ? static_cast<double>(term(i)) : 0.0;
      },
      sum, factor);
}

}  // namespace dsnn::kernels::cuda
