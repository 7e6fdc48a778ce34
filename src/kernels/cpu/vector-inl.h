// Helpers for the vector kernels. Compiled once for each instruction set, like everything that
// includes it: hence the guard that Highway toggles instead of #pragma once.
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
/// that no lane is out of range. d is the Highway tag of the piece that starts at i.
/// Bodies must be lambdas marked HWY_ATTR to be compiled for the instruction set.
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

/// The first n elements at p, followed by zeros. Does not read further.
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

/// Writes only the first n lanes of v.
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

/// a b + c, rounded once like MulAdd, for scalar code. (The compiler does not fuse products and
/// sums by itself, -ffp-contract=off: that would depend on the machine.)
template <class T>
HWY_INLINE T fused(T a, T b, T c) {
#if HWY_TARGET == HWY_SCALAR
  return a * b + c;
#else
  if constexpr (sizeof(T) == sizeof(float)) {
    return __builtin_fmaf(a, b, c);
  } else {
    return __builtin_fma(a, b, c);
  }
#endif
}

// Sums over many elements use a fixed number of virtual lanes, in as many registers, or parts, as
// needed: for floats, lane i sums the elements i, i + 16, i + 32 ... In the end lane i is added to
// lane i + 8, and the remaining eight lanes are added pairwise. So every bit of a sum is the same
// with AVX2, AVX-512 and NEON. The target without vectors has no fused multiply-add either, so its
// bits differ anyway: it has one lane.

template <class T>
constexpr std::int64_t virtual_lanes() {
  return HWY_TARGET == HWY_SCALAR ? 1 : 64 / static_cast<std::int64_t>(sizeof(T));
}
/// The number of lanes after the upper ones have been added to the lower ones.
template <class T>
constexpr std::int64_t folded_lanes() {
  return HWY_TARGET == HWY_SCALAR ? 1 : 8;
}
/// Vectors of tag D that hold kLanes lanes.
template <class D, std::int64_t kLanes = virtual_lanes<hn::TFromD<D>>()>
constexpr int num_parts() {
  return static_cast<int>(HWY_MAX(std::int64_t{1}, kLanes / lanes_of<D>()));
}

/// ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)) for the lanes of a vector of 8 or fewer.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE T sum_neighbours([[maybe_unused]] D d, hn::Vec<D> v) {
#if HWY_TARGET != HWY_SCALAR
  constexpr std::int64_t kLanes = lanes_of<D>();
  static_assert(kLanes <= 8);
  if constexpr (kLanes >= 2) v = hn::Add(v, hn::Reverse2(d, v));
  if constexpr (kLanes >= 4) v = hn::Add(v, hn::Reverse4(d, v));
  if constexpr (kLanes == 8) {
    const hn::Half<D> half;
    return hn::GetLane(hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
#endif
  return hn::GetLane(v);
}

/// The sum of all lanes of some parts, 16 or fewer.
template <int kParts, class D, class T = hn::TFromD<D>>
HWY_INLINE T sum_parts(D d, const hn::Vec<D>* parts) {
  constexpr std::int64_t kLanes = kParts * lanes_of<D>();
  if constexpr (kLanes > 8 && kParts == 1) {
    const hn::Half<D> half;  // UpperHalf without its namespace: the target without vectors lacks it
    return sum_neighbours(half, hn::Add(hn::LowerHalf(half, parts[0]), UpperHalf(half, parts[0])));
  } else if constexpr (kLanes > 8) {
    hn::Vec<D> folded[kParts / 2];
    for (int p = 0; p < kParts / 2; ++p) folded[p] = hn::Add(parts[p], parts[p + kParts / 2]);
    return sum_parts<kParts / 2>(d, folded);
  } else if constexpr (kParts > 1) {
    return sum_parts<kParts / 2>(d, parts) + sum_parts<kParts / 2>(d, parts + kParts / 2);
  } else {
    return sum_neighbours(d, parts[0]);
  }
}

/// The sum of n elements: term(d, i, sum) returns sum plus the elements from i on, one per lane of
/// d. The remainder after whole sets of virtual lanes is processed in halves.
template <class T, std::int64_t kLanes = virtual_lanes<T>(), class Term>
HWY_INLINE T sum_terms(std::int64_t n, const Term& term, std::int64_t begin = 0) {
  const hn::CappedTag<T, static_cast<std::size_t>(kLanes)> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int kParts = num_parts<decltype(d), kLanes>();
  T total = 0;
  if (n - begin >= kLanes) {
    V sums[kParts];
    for (V& sum : sums) sum = hn::Zero(d);
    for (; begin + kLanes <= n; begin += kLanes) {
      for (int p = 0; p < kParts; ++p)
        sums[p] = term(d, begin + p * lanes_of<decltype(d)>(), sums[p]);
    }
    total = sum_parts<kParts>(d, sums);
  }
  if constexpr (kLanes > 1) {
    if (begin < n) return total + sum_terms<T, kLanes / 2>(n, term, begin);
  }
  return total;
}

/// x y
template <class T>
HWY_INLINE T dot_product(std::int64_t n, const T* x, const T* y) {
  return sum_terms<T>(n, [=](auto d, std::int64_t i, auto sum) HWY_ATTR {
    return hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), sum);
  });
}

#if HWY_TARGET != HWY_SCALAR
/// The sums of adjacent lanes: those of `lower`, then those of `upper`.
template <class D, class V>
HWY_INLINE V join_neighbours(D d, V upper, V lower) {
  return hn::Add(hn::ConcatEven(d, upper, lower), hn::ConcatOdd(d, upper, lower));
}

/// t[0] = the sums of the lanes of t[0] .. t[kWidth - 1], as many as there are lanes. Two vectors
/// at a time become one, so that one vector of results is left in the end: 3 instructions a vector
/// instead of 8. (Recursive, because the compiler keeps arrays in registers only where it knows
/// every index.)
template <int kWidth, class D, class V>
HWY_INLINE void sum_lanes_of_all(D d, V* t) {
  if constexpr (kWidth > 1) {
#pragma GCC unroll 8
    for (int i = 0; i < kWidth / 2; ++i) {
      const V lower = t[2 * i], upper = t[2 * i + 1];
      if constexpr (kWidth > 8) {
        t[i] =
            hn::Add(hn::ConcatLowerLower(d, upper, lower), hn::ConcatUpperUpper(d, upper, lower));
      } else {
        t[i] = join_neighbours(d, upper, lower);
      }
    }
    sum_lanes_of_all<kWidth / 2>(d, t);
  }
}
#endif

/// out[k] = the sum of the lanes of v[k], for kCount vectors.
template <int kCount, class D, class T = hn::TFromD<D>>
HWY_INLINE void sum_lanes([[maybe_unused]] D d, const hn::Vec<D>* v, T* out) {
#if HWY_TARGET == HWY_SCALAR
  for (int k = 0; k < kCount; ++k) out[k] = hn::GetLane(v[k]);
#else
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
  for (int begin = 0; begin < kCount; begin += kLanes) {
    const int count = HWY_MIN(kLanes, kCount - begin);
    if (count == 1) {
      out[begin] = sum_parts<1>(d, v + begin);
      continue;
    }
    hn::Vec<D> t[kLanes];
    for (int i = 0; i < kLanes; ++i) t[i] = i < count ? v[begin + i] : hn::Zero(d);
    sum_lanes_of_all<kLanes>(d, t);
    store_first(t[0], d, count, out + begin);
  }
#endif
}

/// One vector for the kParts parts of a sum.
template <int kParts, class D>
HWY_INLINE hn::Vec<D> join_parts([[maybe_unused]] D d, hn::Vec<D> (&parts)[kParts]) {
#if HWY_TARGET != HWY_SCALAR
  constexpr int kFolded = kParts * lanes_of<D>() > 8 ? kParts / 2 : kParts;
  for (int p = 0; p < kParts - kFolded; ++p) parts[p] = hn::Add(parts[p], parts[p + kFolded]);
  for (int width = kFolded; width > 1; width /= 2) {
    for (int p = 0; p < width / 2; ++p) {
      parts[p] = join_neighbours(d, parts[2 * p + 1], parts[2 * p]);
    }
  }
#endif
  return parts[0];
}

/// out[k] = kCount sums over n numbers each: sum(part, sums) sets `sums` to those of the numbers of
/// for_part(d, n, part, ...). It is to add them up in variables of its own: those stay in
/// registers.
template <int kCount, class D, class T = hn::TFromD<D>, class Sum>
HWY_INLINE void sum_in_parts(D d, std::int64_t n, T* out, const Sum& sum) {
  using V = hn::Vec<D>;
  constexpr int kParts = num_parts<D>();
  constexpr int kFewParts = num_parts<D, folded_lanes<T>()>();  // where few numbers leave others 0
  V sums[kCount];
  if constexpr (kParts == 1) {
    sum(0, sums);
  } else {
    const int used = n > folded_lanes<T>() ? kParts : kFewParts;
    V parts[kCount][kParts];
    for (int part = 0; part < used; ++part) {
      sum(part, sums);
#pragma GCC unroll 16
      for (int k = 0; k < kCount; ++k) parts[k][part] = sums[k];
    }
    for (int k = 0; k < kCount; ++k) {
      V few[kFewParts];
      for (int p = 0; p < kFewParts; ++p) few[p] = parts[k][p];
      sums[k] = used == kParts ? join_parts<kParts>(d, parts[k]) : join_parts<kFewParts>(d, few);
    }
  }
  sum_lanes<kCount>(d, sums, out);
}

/// Calls body(i, load) for the vectors of [0, n) that belong to a part, where load(p) is the vector
/// at p, with zeros behind the last number.
template <class D, class T = hn::TFromD<D>, class Body>
HWY_INLINE void for_part(D d, std::int64_t n, int part, const Body& body) {
  constexpr std::int64_t kLanes = lanes_of<D>();
  constexpr std::int64_t kStep = HWY_MAX(virtual_lanes<T>(), kLanes);
  std::int64_t i = part * kLanes;
  for (; i + kLanes <= n; i += kStep) {
    body(i, [&](const T* p) HWY_ATTR { return hn::LoadU(d, p); });
  }
  if (i < n) {
    body(i, [&](const T* p) HWY_ATTR { return load_first(d, n - i, p); });
  }
}

/// The number of lanes for a row of this length: a power of two.
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

/// A row of such a matrix, or a piece of it; does not read or write beyond the row.
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
/// receives each of them, and begin(i, piece) is the value it is added to.
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
/// vectors; others are left to the compiler, which also handles d unknown at compile time (kDim =
/// 0). (Rows that fill their vectors only partly need masked stores, which delay reads that follow
/// soon.)
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
          c[i * n + j] = fused(kSubtract ? -factor : factor, b[k * n + j], c[i * n + j]);
        }
      }
    }
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
