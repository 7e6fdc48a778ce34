#pragma once

#include "kernels/executor.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace dsnn::kernels {

/// Rows divided into blocks for sums over all rows: one sum per block, then a sum over the blocks
/// in order. The division depends only on the number of rows.
struct ReduceBlocks {
  std::int64_t rows;
  std::int64_t block_rows;

  explicit ReduceBlocks(std::int64_t num_rows, std::int64_t least_rows = 128) : rows(num_rows) {
    constexpr std::int64_t kMaxBlocks =
        64;  // the sums of the blocks stay small compared with the rows
    block_rows = std::max(least_rows, (rows + kMaxBlocks - 1) / kMaxBlocks);
  }
  std::int64_t count() const { return (rows + block_rows - 1) / block_rows; }
  std::int64_t begin(std::int64_t block) const { return block * block_rows; }
  std::int64_t end(std::int64_t block) const { return std::min(rows, begin(block) + block_rows); }
};

/// total[i] = the sum of partial[block][i] over the blocks, in double.
template <class T>
void add_blocks(const Executor& executor, const T* partial, std::int64_t num_blocks,
                std::int64_t size, T* total) {
  constexpr std::int64_t kChunk = 1024;
  run_blocks(executor, (size + kChunk - 1) / kChunk, [&](BlockQueue& queue) {
    std::array<double, kChunk> sums;
    for (std::int64_t chunk; queue.take(chunk);) {
      const std::int64_t begin = chunk * kChunk;
      const std::int64_t count = std::min(kChunk, size - begin);
      sums.fill(0);
      for (std::int64_t block = 0; block < num_blocks; ++block) {
        const T* from = partial + block * size + begin;
        for (std::int64_t i = 0; i < count; ++i) sums[static_cast<std::size_t>(i)] += from[i];
      }
      for (std::int64_t i = 0; i < count; ++i) {
        total[begin + i] = static_cast<T>(sums[static_cast<std::size_t>(i)]);
      }
    }
  });
}

}  // namespace dsnn::kernels
