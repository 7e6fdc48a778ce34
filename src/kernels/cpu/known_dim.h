#pragma once

#include <cstdint>
#include <hwy/detect_targets.h>

namespace dsnn::kernels {

/// Whether kernels for an instruction set (HWY_TARGET) have loops for known sizes.
constexpr bool is_specialised(std::int64_t target) {
  return target == HWY_AVX2 || target == HWY_AVX3 || target == HWY_NEON;
}

/// Stalk dimensions from 1 to this limit have specialised loops with the dimension as a
/// compile-time constant: those used in searches. Others share one generic loop; so do all in
/// double, which is for checks, and the x86 baseline, which is rarely used. kTarget is HWY_TARGET.
template <class T, std::int64_t kTarget>
struct KnownDims {
#ifdef DSNN_NO_KNOWN_DIMS  // to measure their benefit: CXXFLAGS=-DDSNN_NO_KNOWN_DIMS
  static constexpr bool kHasAny = false;
#else
  static constexpr bool kHasAny = sizeof(T) == sizeof(float) && is_specialised(kTarget);
#endif
  static constexpr int kDense = kHasAny ? 5 : 0;           // the gather, real blocks
  static constexpr int kComplexDense = kHasAny ? 4 : 0;    // the gather, complex blocks
  static constexpr int kGeneral = kHasAny ? 5 : 0;         // scaled general maps
  static constexpr int kComplexGeneral = kHasAny ? 3 : 0;  // scaled general maps, complex
  static constexpr int kStalkLinear = kHasAny ? 8 : 0;     // the product with W_1
};

/// Calls run.operator()<kDim>() with kDim = dim, known to the compiler, or with 0 where dim is more
/// than kMost.
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
