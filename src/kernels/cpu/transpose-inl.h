// Rows of a row-major array into the lanes of vectors and back: lane b of vector c is entry c of
// row b. With shuffles, because gathering one lane at a time would cost more than the arithmetic.
#if defined(DSNN_KERNELS_CPU_TRANSPOSE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_TRANSPOSE_INL_H_
#undef DSNN_KERNELS_CPU_TRANSPOSE_INL_H_
#else
#define DSNN_KERNELS_CPU_TRANSPOSE_INL_H_
#endif

#include "kernels/cpu/numbers-inl.h"
#include "kernels/cpu/vector-inl.h"

#include <algorithm>
#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// Columns handled together: those of a 128-bit block, within which shuffles are cheap.
template <class T>
constexpr int block_columns() {
  return std::min<int>(16 / sizeof(T), hn::MaxLanes(hn::ScalableTag<T>()));
}

// Combine, UpperHalf and Interleave* stand without their namespace: the target that has no vectors
// lacks them, and need not know them where they are not used.

/// A vector of blocks, block i read from source + i step.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_blocks(D d, const T* source, std::int64_t step) {
  if constexpr (hn::MaxLanes(D()) <= block_columns<T>()) {
    return hn::LoadU(d, source);
  } else {
    const hn::Half<D> half;
    constexpr std::int64_t kBlocks = hn::MaxLanes(hn::Half<D>()) / block_columns<T>();
    return Combine(d, load_blocks(half, source + kBlocks * step, step),
                   load_blocks(half, source, step));
  }
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_blocks(D d, hn::Vec<D> v, T* target, std::int64_t step) {
  if constexpr (hn::MaxLanes(D()) <= block_columns<T>()) {
    hn::StoreU(v, d, target);
  } else {
    const hn::Half<D> half;
    constexpr std::int64_t kBlocks = hn::MaxLanes(hn::Half<D>()) / block_columns<T>();
    store_blocks(half, hn::LowerHalf(half, v), target, step);
    store_blocks(half, UpperHalf(half, v), target + kBlocks * step, step);
  }
}

/// Transposes the square within each block of v[0 .. block_columns - 1].
template <class T>
HWY_INLINE void transpose_blocks(Lanes<T>* v) {
  const hn::ScalableTag<T> d;
  if constexpr (block_columns<T>() == 4) {
    const Lanes<T> even_low = InterleaveLower(d, v[0], v[2]);
    const Lanes<T> odd_low = InterleaveLower(d, v[1], v[3]);
    const Lanes<T> even_high = InterleaveUpper(d, v[0], v[2]);
    const Lanes<T> odd_high = InterleaveUpper(d, v[1], v[3]);
    v[0] = InterleaveLower(d, even_low, odd_low);
    v[1] = InterleaveUpper(d, even_low, odd_low);
    v[2] = InterleaveLower(d, even_high, odd_high);
    v[3] = InterleaveUpper(d, even_high, odd_high);
  } else if constexpr (block_columns<T>() == 2) {
    const Lanes<T> low = InterleaveLower(d, v[0], v[1]);
    v[1] = InterleaveUpper(d, v[0], v[1]);
    v[0] = low;
  }
}

/// Reads max_lanes<T>() rows of `columns` entries each; entry(c) is the vector of column c.
template <class T, class Entry>
HWY_INLINE void load_rows(std::int64_t columns, const T* rows, const Entry& entry) {
  const hn::ScalableTag<T> d;
  constexpr int kColumns = block_columns<T>();
  if (columns < kColumns) {
    if (columns == 1) entry(0) = hn::LoadU(d, rows);
    if (columns == 2) hn::LoadInterleaved2(d, rows, entry(0), entry(1));
    if (columns == 3) hn::LoadInterleaved3(d, rows, entry(0), entry(1), entry(2));
    return;
  }
  for (std::int64_t c = 0; c < columns; c += kColumns) {
    // The last block overlaps the one before: nothing outside of the rows is touched.
    const std::int64_t first = std::min(c, columns - kColumns);
    Lanes<T> v[kColumns];
    for (int i = 0; i < kColumns; ++i) {
      v[i] = load_blocks(d, rows + i * columns + first, kColumns * columns);
    }
    transpose_blocks<T>(v);
    for (int i = 0; i < kColumns; ++i) entry(first + i) = v[i];
  }
}

/// The opposite.
template <class T, class Entry>
HWY_INLINE void store_rows(std::int64_t columns, T* rows, const Entry& entry) {
  const hn::ScalableTag<T> d;
  constexpr int kColumns = block_columns<T>();
  if (columns < kColumns) {
    if (columns == 1) hn::StoreU(entry(0), d, rows);
    if (columns == 2) hn::StoreInterleaved2(entry(0), entry(1), d, rows);
    if (columns == 3) hn::StoreInterleaved3(entry(0), entry(1), entry(2), d, rows);
    return;
  }
  for (std::int64_t c = 0; c < columns; c += kColumns) {
    const std::int64_t first = std::min(c, columns - kColumns);
    Lanes<T> v[kColumns];
    for (int i = 0; i < kColumns; ++i) v[i] = entry(first + i);
    transpose_blocks<T>(v);
    for (int i = 0; i < kColumns; ++i) {
      store_blocks(d, v[i], rows + i * columns + first, kColumns * columns);
    }
  }
}

/// The same for numbers: the imaginary parts are `plane` entries behind the real ones.
template <class N, class T = typename N::Scalar>
HWY_INLINE void load_numbers(std::int64_t columns, const T* rows, std::int64_t plane, N* numbers) {
  load_rows<T>(columns, rows, [&](std::int64_t c) -> Lanes<T>& { return numbers[c].re; });
  if constexpr (N::kPlanes == 2) {
    load_rows<T>(columns, rows + plane, [&](std::int64_t c) -> Lanes<T>& { return numbers[c].im; });
  }
}

template <class N, class T = typename N::Scalar>
HWY_INLINE void store_numbers(std::int64_t columns, const N* numbers, T* rows, std::int64_t plane) {
  store_rows<T>(columns, rows, [&](std::int64_t c) -> const Lanes<T>& { return numbers[c].re; });
  if constexpr (N::kPlanes == 2) {
    store_rows<T>(columns, rows + plane,
                  [&](std::int64_t c) -> const Lanes<T>& { return numbers[c].im; });
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
