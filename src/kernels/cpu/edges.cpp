#include "kernels/edges.h"

#include "kernels/cuda/dispatch.h"
#include "kernels/half_edges.h"
#include "kernels/reduce_blocks.h"
#include "kernels/scratch.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/edges.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/math-inl.h"
#include "kernels/cpu/sparse_rows-inl.h"
#include "kernels/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

/// A column's number in as many bits as T has, to be compared next to its values.
template <class T>
using Column = hwy::MakeSigned<T>;

template <class T>
void sum(const SparseRows& rows, NodeRange range, std::int64_t width, const T* own, const T* other,
         T* out) {
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    for (std::int64_t e = rows.offsets[r]; e < rows.offsets[r + 1]; ++e) {
      for_lanes<T>(width, [&](auto d, std::int64_t i) HWY_ATTR {
        const auto left = hn::LoadU(d, own + r * width + i);
        const auto right = hn::LoadU(d, other + rows.cols[e] * width + i);
        hn::StoreU(hn::Add(left, right), d, out + e * width + i);
      });
    }
  }
}

template <class T>
void sum_backward(const SparseRows& rows, NodeRange range, std::int64_t width, const T* grad,
                  T* grad_own) {
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    for_lanes<T>(width, [&](auto d, std::int64_t i) HWY_ATTR {
      hn::Vec<decltype(d)> total[1];
      sum_entries(d, rows.offsets[r], rows.offsets[r + 1], total,
                  [&](std::int64_t e, auto& sums) HWY_ATTR {
                    const auto g = hn::LoadU(d, grad + rows.position(e) * width + i);
                    sums[0] = hn::Add(sums[0], g);
                  });
      hn::StoreU(total[0], d, grad_own + r * width + i);
    });
  }
}

/// The slope of the leaky ReLU at t, whose value there is t times it.
template <class D, class V>
HWY_INLINE V slope_at(D d, V t, V slope) {
  return hn::IfThenElse(hn::Gt(t, hn::Zero(d)), hn::Set(d, 1), slope);
}

template <class T>
void attention(const SparseRows& rows, NodeRange range, const SparseShape& shape, T slope,
               const T* own, const T* other, const T* weight, T* scores) {
  const Prefetcher<T> prefetcher(rows, shape, rows.offsets[range.end], other);
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    for (std::int64_t e = rows.offsets[r]; e < rows.offsets[r + 1]; ++e) {
      prefetcher.advance(e, e + 1);
      for (std::int64_t head = 0; head < shape.heads; ++head) {
        const std::int64_t first = head * shape.channels;
        const T* left = own + r * shape.row_size() + first;
        const T* right = other + rows.cols[e] * shape.row_size() + first;
        scores[e * shape.heads + head] =
            sum_terms<T>(shape.channels, [=](auto d, std::int64_t i, auto sum) HWY_ATTR {
              const auto t = hn::Add(hn::LoadU(d, left + i), hn::LoadU(d, right + i));
              const auto act = hn::Mul(t, slope_at(d, t, hn::Set(d, slope)));
              return hn::MulAdd(hn::LoadU(d, weight + first + i), act, sum);
            });
      }
    }
  }
}

/// With S_u = sum_e grad_e act'(t_e), t_e = own_u + other_v: grad_own_u = weight S_u. kWithWeight
/// adds sum_e grad_e act(t_e) to weight_sums.
template <bool kWithWeight, class T>
void attention_backward(const SparseRows& rows, NodeRange range, const SparseShape& shape, T slope,
                        const T* own, const T* other, const T* weight, const T* grad, T* grad_own,
                        T* weight_sums) {
  const std::int64_t size = shape.row_size();
  const Prefetcher<T> prefetcher(rows, shape, rows.offsets[range.end], other);
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    for (std::int64_t head = 0; head < shape.heads; ++head) {
      for_lanes<T>(shape.channels, [&](auto d, std::int64_t i) HWY_ATTR {
        const std::int64_t c = head * shape.channels + i;
        const auto left = hn::LoadU(d, own + r * size + c);
        const auto small = hn::Set(d, slope);
        hn::Vec<decltype(d)> total[kWithWeight ? 2 : 1];
        sum_entries(d, rows.offsets[r], rows.offsets[r + 1], total,
                    [&](std::int64_t e, auto& sums) HWY_ATTR {
                      if (c == 0) prefetcher.advance(e, e + 1);
                      const auto g = hn::Set(d, grad[rows.position(e) * shape.heads + head]);
                      const auto t = hn::Add(left, hn::LoadU(d, other + rows.cols[e] * size + c));
                      const auto change = hn::Mul(g, slope_at(d, t, small));
                      sums[0] = hn::Add(sums[0], change);
                      if constexpr (kWithWeight) sums[1] = hn::MulAdd(change, t, sums[1]);
                    });
        hn::StoreU(hn::Mul(hn::LoadU(d, weight + c), total[0]), d, grad_own + r * size + c);
        if constexpr (kWithWeight) {
          hn::StoreU(hn::Add(hn::LoadU(d, weight_sums + c), total[1]), d, weight_sums + c);
        }
      });
    }
  }
}

/// Entries of a block are consecutive, so that exponentials, the expensive part, use whole vectors
/// however short the rows are.
template <class T>
void softmax(const SparseRows& rows, NodeRange range, std::int64_t heads, const T* scores, T* out) {
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    const std::int64_t begin = rows.offsets[r] * heads;
    const std::int64_t end = rows.offsets[r + 1] * heads;
    if (begin == end) continue;
    for_lanes<T>(heads, [&](auto d, std::int64_t i) HWY_ATTR {
      auto largest = hn::LoadU(d, scores + begin + i);
      for (std::int64_t j = begin + heads; j < end; j += heads) {
        largest = hn::Max(largest, hn::LoadU(d, scores + j + i));
      }
      for (std::int64_t j = begin; j < end; j += heads) {
        hn::StoreU(hn::Sub(hn::LoadU(d, scores + j + i), largest), d, out + j + i);
      }
    });
  }
  T* block = out + rows.offsets[range.begin] * heads;
  const std::int64_t size = (rows.offsets[range.end] - rows.offsets[range.begin]) * heads;
  for_lanes<T>(size, [&](auto d, std::int64_t i) HWY_ATTR {
    hn::StoreU(exp_of_negative(d, hn::LoadU(d, block + i)), d, block + i);
  });
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    for_lanes<T>(heads, [&](auto d, std::int64_t i) HWY_ATTR {
      const std::int64_t begin = rows.offsets[r];
      const std::int64_t end = rows.offsets[r + 1];
      hn::Vec<decltype(d)> total[1];
      sum_entries(d, begin, end, total, [&](std::int64_t e, auto& sums) HWY_ATTR {
        sums[0] = hn::Add(sums[0], hn::LoadU(d, out + e * heads + i));
      });
      for (std::int64_t e = begin; e < end; ++e) {
        T* at = out + e * heads + i;
        hn::StoreU(hn::Div(hn::LoadU(d, at), total[0]), d, at);
      }
    });
  }
}

template <class T>
void softmax_backward(const SparseRows& rows, NodeRange range, std::int64_t heads, const T* out,
                      const T* grad, T* grad_scores) {
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    for_lanes<T>(heads, [&](auto d, std::int64_t i) HWY_ATTR {
      const std::int64_t begin = rows.offsets[r];
      const std::int64_t end = rows.offsets[r + 1];
      hn::Vec<decltype(d)> total[1];
      sum_entries(d, begin, end, total, [&](std::int64_t e, auto& sums) HWY_ATTR {
        const std::int64_t at = e * heads + i;
        sums[0] = hn::MulAdd(hn::LoadU(d, out + at), hn::LoadU(d, grad + at), sums[0]);
      });
      for (std::int64_t e = begin; e < end; ++e) {
        const std::int64_t at = e * heads + i;
        const auto change = hn::Sub(hn::LoadU(d, grad + at), total[0]);
        hn::StoreU(hn::Mul(hn::LoadU(d, out + at), change), d, grad_scores + at);
      }
    });
  }
}

/// The largest of each row to `y`, or with kColumns the column of the first that has it to
/// `columns`, -1 in an empty row. NaN counts as the largest, so that training reports it.
template <bool kColumns, class T>
void row_max(const SparseRows& rows, NodeRange range, const SparseShape& shape, const T* x, T* y,
             Column<T>* columns) {
  const std::int64_t f = shape.channels;
  const Prefetcher<T> prefetcher(rows, shape, rows.offsets[range.end], x);
  for (std::int64_t r = range.begin; r < range.end; ++r) {
    for_lanes<T>(f, [&](auto d, std::int64_t i) HWY_ATTR {
      const hn::RebindToSigned<decltype(d)> di;
      auto largest = hn::Zero(d);
      auto column = hn::Set(di, -1);
      for (std::int64_t e = rows.offsets[r]; e < rows.offsets[r + 1]; ++e) {
        if (i == 0) prefetcher.advance(e, e + 1);
        const auto value = hn::LoadU(d, x + rows.cols[e] * f + i);
        const auto here = hn::Set(di, static_cast<Column<T>>(rows.cols[e]));
        if (e == rows.offsets[r]) {
          largest = value;
          column = here;
          continue;
        }
        const auto is_larger = hn::AndNot(hn::Le(value, largest), hn::Eq(largest, largest));
        largest = hn::IfThenElse(is_larger, value, largest);
        if constexpr (kColumns) {
          column = hn::IfThenElse(hn::RebindMask(di, is_larger), here, column);
        }
      }
      if constexpr (kColumns) {
        hn::StoreU(column, di, columns + r * f + i);
      } else {
        hn::StoreU(largest, d, y + r * f + i);
      }
    });
  }
}

/// `transpose` has the columns for rows; largest: the columns from row_max.
template <class T>
void max_backward(const SparseRows& transpose, NodeRange range, std::int64_t f,
                  const Column<T>* largest, const T* grad, T* grad_x) {
  for (std::int64_t v = range.begin; v < range.end; ++v) {
    const std::int64_t begin = transpose.offsets[v];
    for_lanes<T>(f, [&](auto d, std::int64_t i) HWY_ATTR {
      const hn::RebindToSigned<decltype(d)> di;
      const auto own = hn::Set(di, static_cast<Column<T>>(v));
      hn::Vec<decltype(d)> total[1];
      sum_entries(d, begin, transpose.offsets[v + 1], total,
                  [&](std::int64_t e, auto& sums) HWY_ATTR {
                    const std::int64_t row = transpose.cols[e];
                    // Entries of the same place, of which only one has the gradient.
                    if (e > begin && transpose.cols[e - 1] == row) return;
                    const auto is_own = hn::Eq(hn::LoadU(di, largest + row * f + i), own);
                    const auto g = hn::LoadU(d, grad + row * f + i);
                    sums[0] = hn::Add(sums[0], hn::IfThenElseZero(hn::RebindMask(d, is_own), g));
                  });
      hn::StoreU(total[0], d, grad_x + v * f + i);
    });
  }
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

template <class T>
void edge_sum(const Executor& executor, const SparseRows& rows, std::int64_t width, const T* own,
              const T* other, T* out) {
  DSNN_ON_GPU(edge_sum(*gpu, rows, width, own, other, out));
  const auto kernel = DSNN_DISPATCH(sum<T>);
  for_row_blocks(executor, rows.offsets, rows.num_rows,
                 [&](NodeRange range) { kernel(rows, range, width, own, other, out); });
}

template <class T>
void edge_sum_backward(const Executor& executor, const SparseRows& rows, std::int64_t width,
                       const T* grad, T* grad_own) {
  DSNN_ON_GPU(edge_sum_backward(*gpu, rows, width, grad, grad_own));
  const auto kernel = DSNN_DISPATCH(sum_backward<T>);
  for_row_blocks(executor, rows.offsets, rows.num_rows,
                 [&](NodeRange range) { kernel(rows, range, width, grad, grad_own); });
}

template <class T>
void edge_attention(const Executor& executor, const SparseRows& rows, const SparseShape& shape,
                    T slope, const T* own, const T* other, const T* weight, T* scores) {
  DSNN_ON_GPU(edge_attention(*gpu, rows, shape, slope, own, other, weight, scores));
  const auto kernel = DSNN_DISPATCH(attention<T>);
  for_row_blocks(executor, rows.offsets, rows.num_rows, [&](NodeRange range) {
    kernel(rows, range, shape, slope, own, other, weight, scores);
  });
}

// The gradient of weight is a sum over all entries: in T over those of a block of rows, from there
// on in double, over groups of blocks and then over the groups.
template <class T>
void edge_attention_backward(const Executor& executor, const SparseRows& rows,
                             const SparseShape& shape, T slope, const T* own, const T* other,
                             const T* weight, const T* grad, T* grad_own, T* grad_weight) {
  DSNN_ON_GPU(edge_attention_backward(*gpu, rows, shape, slope, own, other, weight, grad, grad_own,
                                      grad_weight));
  if (grad_weight == nullptr) {
    const auto kernel = DSNN_DISPATCH(attention_backward<false, T>);
    return for_row_blocks(executor, rows.offsets, rows.num_rows, [&](NodeRange range) {
      kernel(rows, range, shape, slope, own, other, weight, grad, grad_own, nullptr);
    });
  }
  const auto kernel = DSNN_DISPATCH(attention_backward<true, T>);
  const auto size = static_cast<std::size_t>(shape.row_size());
  const NodeBlocks blocks(rows.offsets, rows.num_rows);
  const ReduceBlocks groups(blocks.count(), 1);
  ScratchVector<double> partial(static_cast<std::size_t>(groups.count()) * size);
  run_blocks(executor, groups.count(), [&](BlockQueue& queue) {
    ScratchVector<T> sums(size);
    for (std::int64_t group; queue.take(group);) {
      double* own_sums = partial.data() + static_cast<std::size_t>(group) * size;
      for (std::int64_t block = groups.begin(group); block < groups.end(group); ++block) {
        std::fill(sums.begin(), sums.end(), T{0});
        kernel(rows, blocks[block], shape, slope, own, other, weight, grad, grad_own, sums.data());
        for (std::size_t i = 0; i < size; ++i) own_sums[i] += sums[i];
      }
    }
  });
  ScratchVector<double> total(size);
  add_blocks(executor, partial.data(), groups.count(), shape.row_size(), total.data());
  std::transform(total.begin(), total.end(), grad_weight,
                 [](double value) { return static_cast<T>(value); });
}

template <class T>
void edge_softmax(const Executor& executor, const SparseRows& rows, std::int64_t heads,
                  const T* scores, T* out) {
  DSNN_ON_GPU(edge_softmax(*gpu, rows, heads, scores, out));
  const auto kernel = DSNN_DISPATCH(softmax<T>);
  for_row_blocks(executor, rows.offsets, rows.num_rows,
                 [&](NodeRange range) { kernel(rows, range, heads, scores, out); });
}

template <class T>
void edge_softmax_backward(const Executor& executor, const SparseRows& rows, std::int64_t heads,
                           const T* out, const T* grad, T* grad_scores) {
  DSNN_ON_GPU(edge_softmax_backward(*gpu, rows, heads, out, grad, grad_scores));
  const auto kernel = DSNN_DISPATCH(softmax_backward<T>);
  for_row_blocks(executor, rows.offsets, rows.num_rows,
                 [&](NodeRange range) { kernel(rows, range, heads, out, grad, grad_scores); });
}

template <class T>
void neighbour_max(const Executor& executor, const SparseRows& rows, const SparseShape& shape,
                   const T* x, T* y) {
  DSNN_ON_GPU(neighbour_max(*gpu, rows, shape, x, y));
  const auto kernel = DSNN_DISPATCH(row_max<false, T>);
  for_row_blocks(executor, rows.offsets, rows.num_rows,
                 [&](NodeRange range) { kernel(rows, range, shape, x, y, nullptr); });
}

// The largest entries are recomputed, so that the forward pass need not store them.
template <class T>
void neighbour_max_backward(const Executor& executor, const SparseRows& rows,
                            const SparseRows& columns, const SparseShape& shape, const T* x,
                            const T* grad, T* grad_x) {
  DSNN_ON_GPU(neighbour_max_backward(*gpu, rows, columns, shape, x, grad, grad_x));
  ScratchVector<hwy::MakeSigned<T>> largest(
      static_cast<std::size_t>(rows.num_rows * shape.channels));
  const auto find = DSNN_DISPATCH(row_max<true, T>);
  for_row_blocks(executor, rows.offsets, rows.num_rows,
                 [&](NodeRange range) { find(rows, range, shape, x, nullptr, largest.data()); });
  const auto kernel = DSNN_DISPATCH(max_backward<T>);
  for_row_blocks(executor, columns.offsets, columns.num_rows, [&](NodeRange range) {
    kernel(columns, range, shape.channels, largest.data(), grad, grad_x);
  });
}

#define DSNN_INSTANTIATE(T)                                                                        \
  template void edge_sum(const Executor&, const SparseRows&, std::int64_t, const T*, const T*,     \
                         T*);                                                                      \
  template void edge_sum_backward(const Executor&, const SparseRows&, std::int64_t, const T*, T*); \
  template void edge_attention(const Executor&, const SparseRows&, const SparseShape&, T,          \
                               const T*, const T*, const T*, T*);                                  \
  template void edge_attention_backward(const Executor&, const SparseRows&, const SparseShape&, T, \
                                        const T*, const T*, const T*, const T*, T*, T*);           \
  template void edge_softmax(const Executor&, const SparseRows&, std::int64_t, const T*, T*);      \
  template void edge_softmax_backward(const Executor&, const SparseRows&, std::int64_t, const T*,  \
                                      const T*, T*);                                               \
  template void neighbour_max(const Executor&, const SparseRows&, const SparseShape&, const T*,    \
                              T*);                                                                 \
  template void neighbour_max_backward(const Executor&, const SparseRows&, const SparseRows&,      \
                                       const SparseShape&, const T*, const T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
