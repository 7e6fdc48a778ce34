// Helpers of the vector kernels. Compiled once for each instruction set, as everything that
// includes it: hence the guard that Highway toggles, and no #pragma once.
#if defined(DSNN_KERNELS_CPU_VECTOR_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_VECTOR_INL_H_
#undef DSNN_KERNELS_CPU_VECTOR_INL_H_
#else
#define DSNN_KERNELS_CPU_VECTOR_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Calls body(d, i) for consecutive pieces of [0, n): whole vectors first, then narrower ones, so
/// that no lane is ever outside. d is the Highway tag of the piece that starts at i.
/// Bodies are lambdas marked HWY_ATTR, or they would not get the instruction set.
template <class T, class Body>
HWY_INLINE void for_lanes(std::int64_t n, const Body& body) {
  const hn::ScalableTag<T> d;
  constexpr std::int64_t kLanes = hn::MaxLanes(hn::ScalableTag<T>());
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) body(d, i);
  if constexpr (kLanes > 8) {
    if (n - i >= 8) {
      body(hn::CappedTag<T, 8>(), i);
      i += 8;
    }
  }
  if constexpr (kLanes > 4) {
    if (n - i >= 4) {
      body(hn::CappedTag<T, 4>(), i);
      i += 4;
    }
  }
  if constexpr (kLanes > 2) {
    if (n - i >= 2) {
      body(hn::CappedTag<T, 2>(), i);
      i += 2;
    }
  }
  if constexpr (kLanes > 1) {
    if (n - i >= 1) body(hn::CappedTag<T, 1>(), i);
  }
}

/// Lanes of the widest vector.
template <class T>
constexpr std::int64_t max_lanes() {
  return static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
}

/// Rounded up to whole vectors of the widest kind, so that rows of scratch start aligned.
template <class T>
HWY_INLINE std::int64_t padded(std::int64_t n) {
  constexpr std::int64_t kLanes = max_lanes<T>();
  return (n + kLanes - 1) / kLanes * kLanes;
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
