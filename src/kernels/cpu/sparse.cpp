#include "kernels/sparse.h"

#include "kernels/cuda/dispatch.h"
#include "kernels/half_edges.h"
#include "kernels/scratch.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sparse.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/sparse_rows-inl.h"
#include "kernels/cpu/sparse_run-inl.h"
#include "kernels/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

/// Where a sum over a run reads and writes: one plane, or two at once for complex values.
template <class T>
struct Factors {
  const T* x;
  const T* x_imag;
  T* out;
  T* out_imag;
  std::int64_t x_row;  // from a row of x to the next
};

/// out = sum_e value_e x_e for kVectors vectors of channels from `first` on, in registers. The last
/// vector begins early enough to end with the row: lanes shared by two vectors get equal values.
template <int kVectors, bool kComplex, class T, class D>
HWY_INLINE void sum_vectors(D d, const Run<T>& run, std::int64_t channels, std::int64_t first,
                            const Factors<T>& f) {
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  using V = hn::Vec<D>;
  V sum[kVectors];
  V sum_imag[kVectors];
  std::int64_t at[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    sum[v] = hn::Zero(d);
    sum_imag[v] = hn::Zero(d);
    at[v] = std::min(first + v * kLanes, channels - kLanes);
  }
  for (std::int64_t e = 0; e < run.count; ++e) {
    const std::int64_t row = run.cols[e] * f.x_row;
    const V real = hn::Set(d, run.real[e]);
    for (int v = 0; v < kVectors; ++v) {
      const V x = hn::LoadU(d, f.x + row + at[v]);
      sum[v] = hn::MulAdd(real, x, sum[v]);
      if constexpr (kComplex) {
        const V imag = hn::Set(d, run.imag[e]);
        const V x_imag = hn::LoadU(d, f.x_imag + row + at[v]);
        sum[v] = hn::NegMulAdd(imag, x_imag, sum[v]);
        sum_imag[v] = hn::MulAdd(real, x_imag, hn::MulAdd(imag, x, sum_imag[v]));
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    hn::StoreU(sum[v], d, f.out + at[v]);
    if constexpr (kComplex) hn::StoreU(sum_imag[v], d, f.out_imag + at[v]);
  }
}

/// out = sum_e value_e x_e, with the widest vectors that a row fills.
template <bool kComplex, std::int64_t kLanes, class T>
HWY_INLINE void sum_run(const Run<T>& run, std::int64_t channels, const Factors<T>& f) {
  if constexpr (kLanes > 1) {
    if (channels < kLanes) return sum_run<kComplex, kLanes / 2>(run, channels, f);
  }
  const hn::CappedTag<T, kLanes> d;
  std::int64_t c = 0;
  for (; channels - c > 3 * kLanes; c += 4 * kLanes) {
    sum_vectors<4, kComplex>(d, run, channels, c, f);
  }
  if (channels - c > 2 * kLanes) return sum_vectors<3, kComplex>(d, run, channels, c, f);
  if (channels - c > kLanes) return sum_vectors<2, kComplex>(d, run, channels, c, f);
  if (channels - c > 0) sum_vectors<1, kComplex>(d, run, channels, c, f);
}

template <class T>
HWY_INLINE void add(std::int64_t n, const T* from, T* to) {
  for_lanes<T>(n, [&](auto d, std::int64_t i) HWY_ATTR {
    hn::StoreU(hn::Add(hn::LoadU(d, to + i), hn::LoadU(d, from + i)), d, to + i);
  });
}

/// The planes of one head of one row of y from a run: to `out`, with the given distance between
/// planes.
template <class T>
HWY_INLINE void sum_planes(const Run<T>& run, const SparseShape& shape, std::int64_t x_row,
                           bool is_complex, const T* x, T* out, std::int64_t out_plane) {
  constexpr std::int64_t kLanes = max_lanes<T>();
  const std::int64_t x_plane = shape.num_cols * x_row;
  if (is_complex) {
    return sum_run<true, kLanes, T>(run, shape.channels,
                                    {x, x + x_plane, out, out + out_plane, x_row});
  }
  for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
    sum_run<false, kLanes, T>(
        run, shape.channels,
        {x + plane * x_plane, nullptr, out + plane * out_plane, nullptr, x_row});
  }
}

/// kOneHead: shape.heads is 1, which the loops over short rows are faster for knowing.
template <bool kOneHead, class T>
void multiply(const SparseRows& rows, const SparseValues<T>& values, NodeRange range,
              const SparseShape& shape, const T* x, T* y) {
  const bool is_complex = values.imag != nullptr;
  const std::int64_t f = shape.channels;
  const std::int64_t heads = kOneHead ? 1 : shape.heads;
  const std::int64_t row_size = heads * f;
  const std::int64_t y_plane = rows.num_rows * row_size;
  const Prefetcher<T> prefetcher(rows, shape, rows.offsets[range.end], x);
  ScratchVector<T> scratch(static_cast<std::size_t>(shape.planes * f));
  Run<T> run;
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    std::int64_t begin = rows.offsets[r];
    do {
      const std::int64_t end = std::min<std::int64_t>(begin + kRun, rows.offsets[r + 1]);
      prefetcher.advance(begin, end);
      for (std::int64_t head = 0; head < heads; ++head) {
        const T* from = x + head * f;
        T* out = y + r * row_size + head * f;
        load_run(rows, values, heads, head, begin, end, run);
        if (begin == rows.offsets[r]) {
          sum_planes(run, shape, row_size, is_complex, from, out, y_plane);
        } else {
          sum_planes(run, shape, row_size, is_complex, from, scratch.data(), f);
          for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
            add(f, scratch.data() + plane * f, out + plane * y_plane);
          }
        }
      }
      begin = end;
    } while (begin < rows.offsets[r + 1]);
  }
}

template <class T>
void values_backward(const SparseRows& rows, NodeRange range, const SparseShape& shape, const T* x,
                     const T* grad, T* grad_real, T* grad_imag) {
  const std::int64_t f = shape.channels;
  const std::int64_t x_plane = shape.num_cols * shape.row_size();
  const std::int64_t grad_plane = rows.num_rows * shape.row_size();
  const Prefetcher<T> prefetcher(rows, shape, rows.offsets[range.end], x);
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    for (std::int64_t e = rows.offsets[r]; e < rows.offsets[r + 1]; ++e) {
      prefetcher.advance(e, e + 1);
      for (std::int64_t head = 0; head < shape.heads; ++head) {
        const T* g = grad + r * shape.row_size() + head * f;
        const T* z = x + rows.cols[e] * shape.row_size() + head * f;
        T real = dot_product(f, g, z);
        if (shape.planes == 2) real += dot_product(f, g + grad_plane, z + x_plane);
        grad_real[e * shape.heads + head] = real;
        if (grad_imag != nullptr) {
          grad_imag[e * shape.heads + head] =
              dot_product(f, g + grad_plane, z) - dot_product(f, g, z + x_plane);
        }
      }
    }
  }
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

template <class T>
void spmm(const Executor& executor, const SparseRows& rows, const SparseValues<T>& values,
          const SparseShape& shape, const T* x, T* y) {
  DSNN_ON_GPU(spmm(*gpu, rows, values, shape, x, y));
  const auto kernel =
      shape.heads == 1 ? DSNN_DISPATCH(multiply<true, T>) : DSNN_DISPATCH(multiply<false, T>);
  for_row_blocks(executor, rows.offsets, rows.num_rows,
                 [&](NodeRange range) { kernel(rows, values, range, shape, x, y); });
}

template <class T>
void spmm_values_backward(const Executor& executor, const SparseRows& rows,
                          const SparseShape& shape, const T* x, const T* grad, T* grad_real,
                          T* grad_imag) {
  DSNN_ON_GPU(spmm_values_backward(*gpu, rows, shape, x, grad, grad_real, grad_imag));
  const auto kernel = DSNN_DISPATCH(values_backward<T>);
  for_row_blocks(executor, rows.offsets, rows.num_rows, [&](NodeRange range) {
    kernel(rows, range, shape, x, grad, grad_real, grad_imag);
  });
}

#define DSNN_INSTANTIATE(T)                                                                  \
  template void spmm(const Executor&, const SparseRows&, const SparseValues<T>&,             \
                     const SparseShape&, const T*, T*);                                      \
  template void spmm_values_backward(const Executor&, const SparseRows&, const SparseShape&, \
                                     const T*, const T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
