#include "ceilings.h"

#include "kernels/executor.h"
#include "kernels/linear.h"
#include "libtorch_comparison.h"
#include "operator_cases.h"
#include "timing.h"

#include <algorithm>
#include <vector>

namespace dsnn::bench {
namespace {

constexpr int kRepeats = 5;

/// Runs work on [0, count) in pieces, distributed over the threads of the device.
template <class Piece>
void share(const engine::Device& device, std::int64_t count, std::int64_t piece_size,
           const Piece& piece) {
  const std::int64_t pieces = (count + piece_size - 1) / piece_size;
  kernels::run_blocks(device.executor(), pieces, [&](kernels::BlockQueue& blocks) {
    for (std::int64_t block = 0; blocks.take(block);) {
      piece(block * piece_size, std::min(count, (block + 1) * piece_size));
    }
  });
}

double triad_seconds(const engine::Device& device, std::int64_t count) {
  const Numbers a(count), b(count), c(count);
  std::ranges::fill(b.all(), 1.0f);
  std::ranges::fill(c.all(), 1.0f);
  float* to = a.data();
  const float* left = b.data();
  const float* right = c.data();
  return best_seconds(kRepeats, [&] {
    share(device, count, 1 << 18, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = left[i] + 3 * right[i];
    });
  });
}

double product_seconds(const engine::Device& device, std::int64_t size) {
  if (has_libtorch()) return libtorch_product_seconds(size, kRepeats);
  const Numbers x(size * size), y(size * size);
  std::ranges::fill(x.all(), 1.0f);
  const kernels::LinearShape shape{.planes = 1, .rows = size, .inputs = size, .outputs = size};
  return best_seconds(kRepeats, [&] {
    kernels::linear<float>(device.executor(), shape, x.data(), x.data(), nullptr, y.data());
  });
}

}  // namespace

Ceilings measure_ceilings(const engine::Device& device, std::int64_t bytes) {
  const std::int64_t count = bytes / 3 / static_cast<std::int64_t>(sizeof(float));
  constexpr std::int64_t kSize = 2048;
  Ceilings ceilings;
  ceilings.bytes_per_second = 12.0 * static_cast<double>(count) / triad_seconds(device, count);
  ceilings.flops_per_second = 2.0 * kSize * kSize * kSize / product_seconds(device, kSize);
  return ceilings;
}

double measure_row_reads(const engine::Device& device, const DirectedGraph& graph,
                         std::span<const float> x, std::int64_t planes) {
  constexpr std::int64_t kAhead = 8;
  constexpr std::int64_t kLine = 64 / sizeof(float);
  const std::int64_t plane = static_cast<std::int64_t>(x.size()) / planes;
  const std::int64_t row = plane / graph.num_nodes();
  const float* data = x.data();
  const NodeId* neighbours = graph.neighbours().data();
  const std::int64_t count = graph.num_half_edges();
  const double time = best_seconds(kRepeats, [&] {
    share(device, count, 1 << 14, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> sums(static_cast<std::size_t>(row));
      for (std::int64_t h = begin; h < end; ++h) {
        for (std::int64_t p = 0; p < planes; ++p) {
          const float* next = data + p * plane + neighbours[std::min(h + kAhead, end - 1)] * row;
          for (std::int64_t i = 0; i < row; i += kLine) __builtin_prefetch(next + i, 0, 2);
          const float* now = data + p * plane + neighbours[h] * row;
          for (std::int64_t i = 0; i < row; ++i) sums[static_cast<std::size_t>(i)] += now[i];
        }
      }
      volatile float sink = sums[0];
      (void)sink;
    });
  });
  return static_cast<double>(count * planes * row) * sizeof(float) / time;
}

}  // namespace dsnn::bench
