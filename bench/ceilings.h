#pragma once

#include <cstdint>

namespace dsnn::bench {

/// What the machine can do, measured on as many threads as LibTorch uses now.
struct Ceilings {
  double bytes_per_second = 0;  ///< STREAM's triad a = b + s c: three arrays, counted once each
  double flops_per_second = 0;  ///< single-precision matrix product of 2048 x 2048
};

/// `bytes`: of all three arrays of the triad together.
Ceilings measure_ceilings(std::int64_t bytes);

}  // namespace dsnn::bench
