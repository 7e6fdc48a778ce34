#pragma once

#include <cstdint>

namespace dsnn::kernels {

/// Calls run.operator()<kDim>() with kDim = dim, known to the compiler, or with 0 where dim is more
/// than kMost: loops over a small dimension are faster if they know it.
template <int kMost, class Run>
void with_known_dim(std::int64_t dim, const Run& run) {
  if constexpr (kMost == 0) {
    run.template operator()<0>();
  } else if (dim == kMost) {
    run.template operator()<kMost>();
  } else {
    with_known_dim<kMost - 1>(dim, run);
  }
}

}  // namespace dsnn::kernels
