// Entries of a sparse matrix with their values worked out. Compiled once for each instruction set:
// see vector-inl.h.
#if defined(DSNN_KERNELS_CPU_SPARSE_RUN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_SPARSE_RUN_INL_H_
#undef DSNN_KERNELS_CPU_SPARSE_RUN_INL_H_
#else
#define DSNN_KERNELS_CPU_SPARSE_RUN_INL_H_
#endif

#include "dsnn/util/random.h"

#include "kernels/half_edges.h"
#include "kernels/sparse.h"

#include <algorithm>
#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// A few entries of one row with their final values, so that the loops over channels need to
/// support only one kind of entry. Arrays that can be used in place are not copied.
template <class T>
struct Run {
  std::int64_t count;
  const std::int32_t* cols;
  const T* real;
  const T* imag;

  std::int32_t own_cols[kRun];
  T own_real[kRun];
  T own_imag[kRun];
};

/// With dropout, from fixed values. Each entry is written, and the next one overwrites it if it is
/// dropped, as a branch could not be predicted.
template <class T>
HWY_INLINE void load_kept(const SparseRows& rows, const SparseValues<T>& values, std::int64_t begin,
                          std::int64_t end, Run<T>& run) {
  const auto [probability, seed] = values.dropout;
  const double scale = 1 / (1 - probability);
  std::int64_t count = 0;
  for (std::int64_t e = begin; e < end; ++e) {
    const std::int64_t position = rows.position(e);
    run.own_cols[count] = rows.cols[e];
    run.own_real[count] =
        static_cast<T>(values.fixed == nullptr ? scale : scale * values.fixed[position]);
    count += uniform_at(seed, static_cast<std::uint64_t>(position)) < probability ? 0 : 1;
  }
  run.count = count;
  run.cols = run.own_cols;
  run.real = run.own_real;
}

/// value(position) for every entry of a run.
template <class T, class Value>
HWY_INLINE void fill(const SparseRows& rows, std::int64_t begin, std::int64_t count, T* to,
                     const Value& value) {
  if (rows.positions == nullptr) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = value(begin + i);
  } else {
    for (std::int64_t i = 0; i < count; ++i) to[i] = value(rows.positions[begin + i]);
  }
}

/// The entries of a run as head `head` of `heads` has them.
template <class T>
HWY_INLINE void load_run(const SparseRows& rows, const SparseValues<T>& values, std::int64_t heads,
                         std::int64_t head, std::int64_t begin, std::int64_t end, Run<T>& run) {
  if (values.dropout.probability > 0) return load_kept(rows, values, begin, end, run);
  const std::int64_t count = end - begin;
  run.count = count;
  run.cols = rows.cols + begin;
  run.real = run.own_real;
  run.imag = run.own_imag;
  if (values.real == nullptr) {
    const double* fixed = values.fixed;
    if (fixed == nullptr) {
      std::fill(run.own_real, run.own_real + count, T{1});
    } else {
      fill(rows, begin, count, run.own_real,
           [=](std::int64_t e) { return static_cast<T>(fixed[e]); });
    }
  } else if (rows.positions == nullptr && heads == 1) {
    run.real = values.real + begin;
  } else {
    const T* real = values.real + head;
    fill(rows, begin, count, run.own_real, [=](std::int64_t e) { return real[e * heads]; });
  }
  if (values.imag != nullptr) {
    const T sign = values.conjugate ? T{-1} : T{1};
    const T* imag = values.imag + head;
    fill(rows, begin, count, run.own_imag, [=](std::int64_t e) { return sign * imag[e * heads]; });
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
