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

/// Lanes of a vector of tag D.
template <class D>
constexpr std::int64_t lanes_of() {
  return static_cast<std::int64_t>(hn::MaxLanes(D()));
}

/// Lanes of the widest vector.
template <class T>
constexpr std::int64_t max_lanes() {
  return lanes_of<hn::ScalableTag<T>>();
}

/// Rounded up to whole vectors of tag D, so that rows of scratch start aligned.
template <class D>
HWY_INLINE std::int64_t padded(std::int64_t n) {
  constexpr std::int64_t kLanes = lanes_of<D>();
  return (n + kLanes - 1) / kLanes * kLanes;
}

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

/// The first n of p's numbers, zeros behind them. Never reads further.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_first(D d, std::int64_t n, const T* p) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  return hn::MaskedLoad(hn::FirstN(d, static_cast<std::size_t>(n)), d, p);
#else
  HWY_ALIGN T buffer[hn::MaxLanes(D())] = {};
  for (std::int64_t i = 0; i < n; ++i) buffer[i] = p[i];
  return hn::Load(d, buffer);
#endif
}

/// Writes the first n lanes of v, and nothing behind them.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_first(hn::Vec<D> v, D d, std::int64_t n, T* p) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
  hn::BlendedStore(v, hn::FirstN(d, static_cast<std::size_t>(n)), d, p);
#else
  HWY_ALIGN T buffer[hn::MaxLanes(D())];
  hn::Store(v, d, buffer);
  for (std::int64_t i = 0; i < n; ++i) p[i] = buffer[i];
#endif
}

/// out[k] = sum of the lanes of v[k], for kCount vectors. Sums neighbouring lanes of two vectors at
/// a time, so that one vector of results is left in the end: 3 instructions a vector instead of 8.
template <int kCount, class D, class T = hn::TFromD<D>>
HWY_INLINE void sum_lanes([[maybe_unused]] D d, const hn::Vec<D>* v, T* out) {
#if HWY_TARGET == HWY_SCALAR
  for (int k = 0; k < kCount; ++k) out[k] = hn::GetLane(v[k]);
#else
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  for (int begin = 0; begin < kCount; begin += kLanes) {
    const int count = HWY_MIN(kLanes, kCount - begin);
    if (count == 1) {
      out[begin] = hn::GetLane(hn::SumOfLanes(d, v[begin]));
      continue;
    }
    hn::Vec<D> t[kLanes];
    for (int i = 0; i < kLanes; ++i) t[i] = i < count ? v[begin + i] : hn::Zero(d);
    for (int width = kLanes; width > 1; width /= 2) {
      for (int i = 0; i < width / 2; ++i) {
        t[i] = hn::Add(hn::ConcatEven(d, t[2 * i + 1], t[2 * i]),
                       hn::ConcatOdd(d, t[2 * i + 1], t[2 * i]));
      }
    }
    store_first(t[0], d, count, out + begin);
  }
#endif
}

/// Lanes that hold a row of so many numbers: a power of two.
constexpr int row_lanes(int dim) { return dim <= 1 ? 1 : 2 * row_lanes((dim + 1) / 2); }

/// Whether the rows of small matrices are vectors: of 2 to 8 numbers, either as many as there are
/// lanes, in several pieces if need be, or fewer than the lanes of one vector.
template <int kDim, class T>
constexpr bool rows_are_vectors() {
  return kDim >= 2 && kDim <= 8 && HWY_TARGET != HWY_SCALAR &&
         (row_lanes(kDim) == kDim || max_lanes<T>() >= row_lanes(kDim));
}
template <int kDim, class T>
using RowTag = hn::CappedTag<T, static_cast<std::size_t>(row_lanes(kDim))>;

/// A row of such a matrix, or a piece of it; what is behind the row is neither read nor written.
template <int kDim, class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_row(D tag, const T* p) {
  if constexpr (row_lanes(kDim) == kDim) {
    return hn::LoadU(tag, p);
  } else {
    return load_first(tag, kDim, p);
  }
}
template <int kDim, class D, class T = hn::TFromD<D>>
HWY_INLINE void store_row(hn::Vec<D> row, D tag, T* p) {
  if constexpr (row_lanes(kDim) == kDim) {
    hn::StoreU(row, tag, p);
  } else {
    store_first(row, tag, kDim, p);
  }
}

/// The rows of a b, or a^T b, for kDim x kDim matrices whose rows are vectors: store(i, piece, sum)
/// gets each of them, and begin(i, piece) is what it is added to.
template <int kDim, bool kTransposeA, class D, class T, class Begin, class Store>
HWY_INLINE void for_product_rows(D tag, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b,
                                 const Begin& begin, const Store& store) {
  using V = hn::Vec<D>;
  for (int piece = 0; piece < kDim; piece += static_cast<int>(lanes_of<D>())) {
    V rows[kDim];
#pragma GCC unroll 8
    for (int k = 0; k < kDim; ++k) rows[k] = load_row<kDim>(tag, b + k * kDim + piece);
#pragma GCC unroll 8
    for (int i = 0; i < kDim; ++i) {
      V sum = begin(i, piece);
#pragma GCC unroll 8
      for (int k = 0; k < kDim; ++k) {
        sum =
            hn::MulAdd(hn::Set(tag, kTransposeA ? a[k * kDim + i] : a[i * kDim + k]), rows[k], sum);
      }
      store(i, piece, sum);
    }
  }
}

/// A complex matrix: its real and its imaginary part, in rows.
template <class T>
struct ComplexRows {
  const T* HWY_RESTRICT re;
  const T* HWY_RESTRICT im;
};

/// The same for a b, or a* b, of complex matrices: store(i, piece, re, im).
template <int kDim, bool kAdjointA, class D, class T, class Store>
HWY_INLINE void for_complex_product_rows(D tag, const ComplexRows<T>& a, const ComplexRows<T>& b,
                                         const Store& store) {
  using V = hn::Vec<D>;
  for (int piece = 0; piece < kDim; piece += static_cast<int>(lanes_of<D>())) {
    V re_rows[kDim], im_rows[kDim];
#pragma GCC unroll 8
    for (int k = 0; k < kDim; ++k) {
      re_rows[k] = load_row<kDim>(tag, b.re + k * kDim + piece);
      im_rows[k] = load_row<kDim>(tag, b.im + k * kDim + piece);
    }
#pragma GCC unroll 8
    for (int i = 0; i < kDim; ++i) {
      V re = hn::Zero(tag), im = hn::Zero(tag);
#pragma GCC unroll 8
      for (int k = 0; k < kDim; ++k) {
        const int at = kAdjointA ? k * kDim + i : i * kDim + k;
        const V ar = hn::Set(tag, a.re[at]);
        const V ai = hn::Set(tag, kAdjointA ? -a.im[at] : a.im[at]);
        re = hn::NegMulAdd(ai, im_rows[k], hn::MulAdd(ar, re_rows[k], re));
        im = hn::MulAdd(ai, re_rows[k], hn::MulAdd(ar, im_rows[k], im));
      }
      store(i, piece, re, im);
    }
  }
}

/// c += a b, or a^T b, for d x d matrices in rows; with kSubtract, c -= it. Rows of 2, 4 or 8 are
/// vectors; others are left to the compiler, which also handles a d that it does not know (kDim =
/// 0). (Rows that fill their vectors in part need stores with a mask, and what is read again soon
/// is better not stored that way.)
template <int kDim, bool kTransposeA, bool kSubtract = false, class T>
HWY_INLINE void add_small_product(std::int64_t d, const T* HWY_RESTRICT a, const T* HWY_RESTRICT b,
                                  T* HWY_RESTRICT c) {
  if constexpr (kDim > 0 && row_lanes(kDim) == kDim && rows_are_vectors<kDim, T>() && !kSubtract) {
    const RowTag<kDim, T> tag;
    for_product_rows<kDim, kTransposeA>(
        tag, a, b, [&](int i, int piece) HWY_ATTR { return hn::LoadU(tag, c + i * kDim + piece); },
        [&](int i, int piece, hn::Vec<RowTag<kDim, T>> sum)
            HWY_ATTR { hn::StoreU(sum, tag, c + i * kDim + piece); });
  } else {
    const std::int64_t n = kDim > 0 ? kDim : d;
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t k = 0; k < n; ++k) {
        const T factor = kTransposeA ? a[k * n + i] : a[i * n + k];
        for (std::int64_t j = 0; j < n; ++j) {
          c[i * n + j] += (kSubtract ? -factor : factor) * b[k * n + j];
        }
      }
    }
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
