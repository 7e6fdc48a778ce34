// Products of matrices small enough to be done by one thread. Compiled once for each instruction
// set.
#if defined(DSNN_KERNELS_CPU_MATMUL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_MATMUL_INL_H_
#undef DSNN_KERNELS_CPU_MATMUL_INL_H_
#else
#define DSNN_KERNELS_CPU_MATMUL_INL_H_
#endif

#include "kernels/cpu/vector-inl.h"

#include <algorithm>
#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// A matrix whose entry (i, p) is data[i row + p inner]: plain or transposed.
template <class T>
struct Factor {
  const T* data;
  std::int64_t row;
  std::int64_t inner;
};

/// kRows rows and kVectors vectors of C (+)= A B; the last vector has only `last` lanes. Sums run
/// over p in order, one FMA each: the bits of an element of C do not depend on its tile.
template <int kRows, int kVectors, bool kIsPartial, class D, class T = hn::TFromD<D>>
HWY_INLINE void matmul_tile(D d, std::int64_t last, std::int64_t inner, const Factor<T>& a,
                            const T* HWY_RESTRICT b, std::int64_t ldb, T* HWY_RESTRICT c,
                            std::int64_t ldc, bool accumulate) {
  using V = hn::Vec<D>;
  constexpr std::int64_t kLanes = lanes_of<D>();
  const auto load = [&](const T* p, int v) HWY_ATTR {
    return kIsPartial && v == kVectors - 1 ? load_first(d, last, p + v * kLanes)
                                           : hn::LoadU(d, p + v * kLanes);
  };
  V sum[kRows][kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sum[i][v] = accumulate ? load(c + i * ldc, v) : hn::Zero(d);
  }
  const T* from = a.data;
  for (std::int64_t p = 0; p < inner; ++p, from += a.inner, b += ldb) {
    V row[kVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) row[v] = load(b, v);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const V factor = hn::Set(d, from[i * a.row]);
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) sum[i][v] = hn::MulAdd(factor, row[v], sum[i][v]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) {
      T* to = c + i * ldc + v * kLanes;
      if (kIsPartial && v == kVectors - 1) {
        store_first(sum[i][v], d, last, to);
      } else {
        hn::StoreU(sum[i][v], d, to);
      }
    }
  }
}

/// All rows of a panel of columns.
template <int kVectors, bool kIsPartial, class D, class T = hn::TFromD<D>>
HWY_INLINE void matmul_panel(D d, std::int64_t last, std::int64_t rows, std::int64_t inner,
                             Factor<T> a, const T* b, std::int64_t ldb, T* c, std::int64_t ldc,
                             bool accumulate) {
  constexpr int kTile = HWY_TARGET == HWY_AVX3 ? 8 : 4;  // limited by the number of registers
  std::int64_t i = 0;
  const auto tile_at = [&](auto count) HWY_ATTR {
    matmul_tile<decltype(count)::value, kVectors, kIsPartial>(
        d, last, inner, Factor<T>{a.data + i * a.row, a.row, a.inner}, b, ldb, c + i * ldc, ldc,
        accumulate);
    i += decltype(count)::value;
  };
  while (i + kTile <= rows) tile_at(std::integral_constant<int, kTile>());
  while (i + 2 <= rows) tile_at(std::integral_constant<int, 2>());
  while (i < rows) tile_at(std::integral_constant<int, 1>());
}

/// C (+)= A B. A: rows x inner; B: inner x cols, rows of ldb numbers; C: rows x cols, rows of ldc.
/// Vectors are no wider than needed: a machine may process two narrow ones in the time of a wide
/// one.
template <class T, std::int64_t kLanes = max_lanes<T>()>
void matmul(std::int64_t rows, std::int64_t inner, std::int64_t cols, Factor<T> a, const T* b,
            std::int64_t ldb, T* c, std::int64_t ldc, bool accumulate) {
  if constexpr (kLanes > 4) {
    if (cols <= kLanes / 2) {
      return matmul<T, kLanes / 2>(rows, inner, cols, a, b, ldb, c, ldc, accumulate);
    }
  }
  const hn::CappedTag<T, kLanes> d;
  std::int64_t j = 0;
  for (; j + 2 * kLanes <= cols; j += 2 * kLanes) {
    matmul_panel<2, false>(d, kLanes, rows, inner, a, b + j, ldb, c + j, ldc, accumulate);
  }
  if (j + kLanes < cols) {
    matmul_panel<2, true>(d, cols - j - kLanes, rows, inner, a, b + j, ldb, c + j, ldc, accumulate);
  } else if (j + kLanes == cols) {
    matmul_panel<1, false>(d, kLanes, rows, inner, a, b + j, ldb, c + j, ldc, accumulate);
  } else if (j < cols) {
    matmul_panel<1, true>(d, cols - j, rows, inner, a, b + j, ldb, c + j, ldc, accumulate);
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
