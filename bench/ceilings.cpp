#include "ceilings.h"

#include "timing.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <vector>

namespace dsnn::bench {

Ceilings measure_ceilings(std::int64_t bytes) {
  constexpr int kRepeats = 5;
  const std::int64_t count = bytes / 3 / static_cast<std::int64_t>(sizeof(float));
  at::Tensor a = at::zeros({count});
  const at::Tensor b = at::ones({count});
  const at::Tensor c = at::ones({count});
  float* to = a.data_ptr<float>();
  const float* left = b.data_ptr<float>();
  const float* right = c.data_ptr<float>();
  const std::int64_t grain = count / at::get_num_threads() + 1;
  const double triad = best_seconds(kRepeats, [&] {
    at::parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) to[i] = left[i] + 3 * right[i];
    });
  });
  constexpr std::int64_t kSize = 2048;
  const at::Tensor x = at::ones({kSize, kSize});
  at::Tensor y = at::ones({kSize, kSize});
  const double product = best_seconds(kRepeats, [&] { at::mm_out(y, x, x); });
  Ceilings ceilings;
  ceilings.bytes_per_second = 12.0 * static_cast<double>(count) / triad;
  ceilings.flops_per_second = 2.0 * kSize * kSize * kSize / product;
  return ceilings;
}

double measure_row_reads(const DirectedGraph& graph, const at::Tensor& x) {
  constexpr int kRepeats = 5;
  constexpr std::int64_t kAhead = 8;
  constexpr std::int64_t kLine = 64 / sizeof(float);
  const std::int64_t planes = x.size(0);
  const std::int64_t row = x.size(2) * x.size(3);
  const std::int64_t plane = x.size(1) * row;
  const float* data = x.data_ptr<float>();
  const NodeId* neighbours = graph.neighbours().data();
  const std::int64_t count = graph.num_half_edges();
  const std::int64_t grain = count / at::get_num_threads() + 1;
  const double time = best_seconds(kRepeats, [&] {
    at::parallel_for(0, count, grain, [&](std::int64_t begin, std::int64_t end) {
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
