#include "ceilings.h"

#include "timing.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

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

}  // namespace dsnn::bench
