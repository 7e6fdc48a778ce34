// Sums over the rows of a matrix whose entries are computed on the way. The order depends on the
// sizes alone; sums are in double.
#pragma once

#include "kernels/cuda/launch.h"

namespace dsnn::kernels::cuda {

/// sums[g] = the sum of term(row, c) over all rows and over `fold` neighbouring columns c, from
/// g fold on.
template <class T, class Term>
void column_sums(const Gpu& gpu, std::int64_t rows, std::int64_t columns, std::int64_t fold,
                 const Term& term, T* sums, double factor = 1) {
  constexpr int kThreads = 256, kRows = kThreads / kWarp;
  constexpr std::int64_t kMostBlocks = 512, kLeastRows = 256;
  if (columns == 0) return;
  const std::int64_t block_rows = std::max(kLeastRows, (rows + kMostBlocks - 1) / kMostBlocks);
  const std::int64_t blocks = std::max<std::int64_t>(1, (rows + block_rows - 1) / block_rows);
  auto* partial = static_cast<double*>(
      gpu.scratch(static_cast<std::size_t>(blocks * columns) * sizeof(double)));
  const bool is_whole = blocks == 1 && fold == 1;
  const std::int64_t tiles = (columns + kWarp - 1) / kWarp;
  launch_blocks<kThreads>(gpu, {blocks * tiles}, [=] DSNN_GPU(const Place& place) {
    const int lane = place.thread % kWarp, part = place.thread / kWarp;
    const std::int64_t column = place.block % tiles * kWarp + lane;
    const std::int64_t block = place.block / tiles, begin = block * block_rows;
    const std::int64_t last = begin + block_rows;
    const std::int64_t end = last < rows ? last : rows;
    double sum = 0;
#pragma unroll 4
    for (std::int64_t row = begin + part; column < columns && row < end; row += kRows) {
      sum += static_cast<double>(term(row, column));
    }
    double* shared = shared_array<double, kThreads>();
    shared[place.thread] = sum;
    wait_for_block();
    if (part > 0 || column >= columns) return;
    for (int i = 1; i < kRows; ++i) sum += shared[i * kWarp + lane];
    if (is_whole) {
      sums[column] = static_cast<T>(factor * sum);
    } else {
      partial[block * columns + column] = sum;
    }
  });
  if (is_whole) return;
  for_warps(gpu, columns / fold, [=] DSNN_GPU(std::int64_t group, int lane) {
    double sum = 0;
    for (std::int64_t i = lane; i < blocks * fold; i += kWarp) {
      sum += partial[i / fold * columns + group * fold + i % fold];
    }
    sum = warp_sum(sum);
    if (lane == 0) sums[group] = static_cast<T>(factor * sum);
  });
}

/// *sum = factor times the sum of term(i) for i < size.
template <class T, class Term>
void sum_all(const Gpu& gpu, std::int64_t size, const Term& term, T* sum, double factor = 1) {
  constexpr std::int64_t kWidth = 256;
  column_sums(
      gpu, (size + kWidth - 1) / kWidth, kWidth, kWidth,
      [=] DSNN_GPU(std::int64_t row, std::int64_t column) {
        const std::int64_t i = row * kWidth + column;
        return i < size ? static_cast<double>(term(i)) : 0.0;
      },
      sum, factor);
}

}  // namespace dsnn::kernels::cuda
