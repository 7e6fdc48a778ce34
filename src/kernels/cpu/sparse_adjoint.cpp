#include "kernels/cuda/dispatch.h"
#include "kernels/half_edges.h"
#include "kernels/scratch.h"
#include "kernels/sparse.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sparse_adjoint.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/sparse_run-inl.h"
#include "kernels/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

template <class T>
std::int64_t padded_row(std::int64_t channels) {
  return padded<hn::ScalableTag<T>>(channels);
}

/// sums_c += value_e x for kVectors vectors of one row of x, which stay in registers; c is the
/// column of e. Rows of sums have `stride` numbers.
template <int kVectors, class T>
HWY_INLINE void add_vectors(const Run<T>& run, std::int64_t stride, const T* x, T* sums) {
  const hn::ScalableTag<T> d;
  constexpr std::int64_t kLanes = max_lanes<T>();
  hn::Vec<hn::ScalableTag<T>> row[kVectors];
  for (int v = 0; v < kVectors; ++v) row[v] = hn::Load(d, x + v * kLanes);
  for (std::int64_t e = 0; e < run.count; ++e) {
    const auto value = hn::Set(d, run.real[e]);
    T* to = sums + run.cols[e] * stride;
    for (int v = 0; v < kVectors; ++v) {
      hn::Store(hn::MulAdd(value, row[v], hn::Load(d, to + v * kLanes)), d, to + v * kLanes);
    }
  }
}

/// Adds the contribution of rows range.begin .. range.end-1 of A to A* x to `sums`, [columns of A,
/// stride].
template <class T>
void scatter(const SparseRows& rows, const SparseValues<T>& values, NodeRange range,
             std::int64_t channels, const T* x, T* sums) {
  constexpr std::int64_t kLanes = max_lanes<T>();
  const std::int64_t stride = padded_row<T>(channels);
  ScratchVector<T> scratch(static_cast<std::size_t>(stride));
  Run<T> run;
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    std::copy_n(x + r * channels, channels, scratch.data());
    for (std::int64_t begin = rows.offsets[r]; begin < rows.offsets[r + 1]; begin += kRun) {
      load_run(rows, values, 1, 0, begin, std::min(begin + kRun, rows.offsets[r + 1]), run);
      std::int64_t c = 0;
      for (; c + 4 * kLanes <= stride; c += 4 * kLanes) {
        add_vectors<4>(run, stride, scratch.data() + c, sums + c);
      }
      const T* rest = scratch.data() + c;
      if (stride - c == 3 * kLanes) add_vectors<3>(run, stride, rest, sums + c);
      if (stride - c == 2 * kLanes) add_vectors<2>(run, stride, rest, sums + c);
      if (stride - c == kLanes) add_vectors<1>(run, stride, rest, sums + c);
    }
  }
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {
namespace {

constexpr std::int64_t kChunkEntries = 1 << 16;  // of A, that share one array of sums
constexpr std::int64_t kWave = 16;               // arrays of sums at a time

std::int64_t num_entries(const SparseRows& rows) { return rows.offsets[rows.num_rows]; }

/// Sums column by column fetch a row of x for every entry. That is slow where x does not stay in
/// the cache; adding to the columns, row by row, is better if these do, and have entries enough to
/// be worth an array of their own for every chunk.
template <class T>
bool is_scattered(const SparseRows& rows, const SparseRows& columns, const SparseValues<T>& values,
                  const SparseShape& shape) {
  const std::int64_t row_bytes = shape.channels * static_cast<std::int64_t>(sizeof(T));
  constexpr std::int64_t kEntriesOfColumn = 8;
  return shape.planes == 1 && shape.heads == 1 && values.imag == nullptr &&
         rows.num_rows * row_bytes > kCacheBytes && columns.num_rows * row_bytes <= kCacheBytes &&
         columns.num_rows * kEntriesOfColumn <= std::min(kChunkEntries, num_entries(rows));
}

/// Chunks of rows with about as many entries each; the cuts depend only on A.
ScratchVector<NodeRange> chunks_of(const SparseRows& rows) {
  const std::int64_t count = std::max<std::int64_t>(1, num_entries(rows) / kChunkEntries);
  ScratchVector<NodeRange> chunks;
  std::int64_t begin = 0;
  for (std::int64_t chunk = 1; chunk <= count; ++chunk) {
    const std::int64_t* last = rows.offsets + rows.num_rows;
    const std::int64_t* cut =
        std::lower_bound(rows.offsets, last, num_entries(rows) * chunk / count);
    const std::int64_t end = chunk == count ? rows.num_rows : cut - rows.offsets;
    chunks.push_back({begin, end});
    begin = end;
  }
  return chunks;
}

}  // namespace

template <class T>
void spmm_adjoint(const Executor& executor, const SparseRows& rows, const SparseRows& columns,
                  const SparseValues<T>& values, const SparseShape& shape, const T* x, T* y) {
  DSNN_ON_GPU(spmm_adjoint(*gpu, rows, columns, values, shape, x, y));
  if (!is_scattered(rows, columns, values, shape)) {
    return spmm(executor, columns, values, shape, x, y);
  }
  const auto kernel = DSNN_DISPATCH(scatter<T>);
  const std::int64_t stride = DSNN_DISPATCH(padded_row<T>)(shape.channels);
  const std::int64_t num_sums = columns.num_rows * stride;
  const ScratchVector<NodeRange> chunks = chunks_of(rows);
  const auto num_chunks = static_cast<std::int64_t>(chunks.size());
  ScratchVector<T> sums(static_cast<std::size_t>(std::min(kWave, num_chunks) * num_sums));
  std::fill_n(y, columns.num_rows * shape.channels, T{0});
  for (std::int64_t first = 0; first < num_chunks; first += kWave) {
    const std::int64_t wave = std::min(kWave, num_chunks - first);
    run_blocks(executor, wave, [&](BlockQueue& queue) {
      for (std::int64_t i; queue.take(i);) {
        T* own = sums.data() + i * num_sums;
        std::fill_n(own, num_sums, T{0});
        kernel(rows, values, chunks[static_cast<std::size_t>(first + i)], shape.channels, x, own);
      }
    });
    for (std::int64_t i = 0; i < wave; ++i) {
      for (std::int64_t row = 0; row < columns.num_rows; ++row) {
        const T* from = sums.data() + i * num_sums + row * stride;
        T* to = y + row * shape.channels;
        for (std::int64_t c = 0; c < shape.channels; ++c) to[c] += from[c];
      }
    }
  }
}

#define DSNN_INSTANTIATE(T)                                                         \
  template void spmm_adjoint(const Executor&, const SparseRows&, const SparseRows&, \
                             const SparseValues<T>&, const SparseShape&, const T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
