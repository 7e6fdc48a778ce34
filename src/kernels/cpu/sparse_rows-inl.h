// What kernels over the rows of a sparse matrix share. Compiled once for each instruction set: see
// vector-inl.h.
#if defined(DSNN_KERNELS_CPU_SPARSE_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_SPARSE_ROWS_INL_H_
#undef DSNN_KERNELS_CPU_SPARSE_ROWS_INL_H_
#else
#define DSNN_KERNELS_CPU_SPARSE_ROWS_INL_H_
#endif

#include "kernels/cpu/vector-inl.h"
#include "kernels/half_edges.h"
#include "kernels/sparse.h"

#include <algorithm>
#include <cstdint>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// Asks for rows of x before their turn. The machine cannot guess them, and where x is larger than
/// its second-level cache it would wait for each.
template <class T>
class Prefetcher {
 public:
  Prefetcher(const SparseRows& rows, const SparseShape& shape, std::int64_t last, const T* x)
      : cols_(rows.cols), shape_(shape), last_(last), x_(x) {
    const std::int64_t count = shape.planes * shape.num_cols * shape.row_size();
    is_needed_ = count * static_cast<std::int64_t>(sizeof(T)) > kCacheBytes;
  }

  /// To be called with all entries in turn, up to the last one.
  HWY_INLINE void advance(std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t kAhead = 16;
    constexpr std::int64_t kLine = 64 / static_cast<std::int64_t>(sizeof(T));
    constexpr std::int64_t kMostLines = 8;  // longer rows are a pattern that the machine does see
    if (!is_needed_) return;
    const std::int64_t length = std::min(shape_.row_size(), kMostLines * kLine);
    end = std::min(end + kAhead, last_);
    for (std::int64_t e = begin + kAhead; e < end; ++e) {
      for (std::int64_t plane = 0; plane < shape_.planes; ++plane) {
        const T* row = x_ + (plane * shape_.num_cols + cols_[e]) * shape_.row_size();
        for (std::int64_t i = 0; i < length; i += kLine) hwy::Prefetch(row + i);
      }
    }
  }

 private:
  const std::int32_t* cols_;
  SparseShape shape_;
  std::int64_t last_;
  const T* x_;
  bool is_needed_;
};

/// totals = sums over entries begin .. end-1 of a row, in runs: add(e, sums) adds what entry e has.
template <int kSums, class D, class Add>
HWY_INLINE void sum_entries(D d, std::int64_t begin, std::int64_t end, hn::Vec<D> (&totals)[kSums],
                            const Add& add) {
  for (auto& total : totals) total = hn::Zero(d);
  while (begin < end) {
    const std::int64_t run_end = std::min<std::int64_t>(begin + kRun, end);
    hn::Vec<D> sums[kSums];
    for (auto& sum : sums) sum = hn::Zero(d);
    for (; begin < run_end; ++begin) add(begin, sums);
    for (int k = 0; k < kSums; ++k) totals[k] = hn::Add(totals[k], sums[k]);
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
