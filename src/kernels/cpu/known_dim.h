#pragma once

#include <cstdint>

namespace dsnn::kernels {

/// Stalks of 1 to so many dimensions have loops of their own, in which the compiler knows the
/// dimension: those that searches try. Others, and all in double, which is for checks, share one
/// loop.
template <class T>
struct KnownDims {
#ifdef DSNN_NO_KNOWN_DIMS  // to measure what they gain: CXXFLAGS=-DDSNN_NO_KNOWN_DIMS
  static constexpr bool kHasAny = false;
#else
  static constexpr bool kHasAny = sizeof(T) == sizeof(float);
#endif
  static constexpr int kDense = kHasAny ? 5 : 0;           // the gather, real blocks
  static constexpr int kComplexDense = kHasAny ? 4 : 0;    // the gather, complex blocks
  static constexpr int kGeneral = kHasAny ? 5 : 0;         // scaled general maps
  static constexpr int kComplexGeneral = kHasAny ? 3 : 0;  // scaled general maps, complex
  static constexpr int kStalkLinear = kHasAny ? 8 : 0;     // the product with W_1
  static constexpr int kPlainMaps = kHasAny ? 8 : 0;       // scaled diagonal maps
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
