#pragma once

#include "kernels/executor.h"
#include "kernels/sparse.h"
#include "util/internal_api.h"

#include <cstdint>

// Numbers for every entry e = (row u, column v) of a sparse matrix, whose own values do not count.
// "Own" is what a row has and "other" what a column has; with the transpose for `rows`, gradients
// of columns are those of rows. T is float or double.
namespace dsnn::kernels {

/// out_e = own_u + other_v [eq:edge-sum], `width` numbers for each. `rows` has its values in order.
template <class T>
DSNN_INTERNAL_API void edge_sum(const Executor& executor, const SparseRows& rows,
                                std::int64_t width, const T* own, const T* other, T* out);

/// grad_own_u = sum_e grad_e.
template <class T>
DSNN_INTERNAL_API void edge_sum_backward(const Executor& executor, const SparseRows& rows,
                                         std::int64_t width, const T* grad, T* grad_own);

/// scores_eh = sum_c weight_hc act(own_uhc + other_vhc) [eq:edge-attention], act the leaky ReLU.
/// own: [rows, heads, channels], other: [shape.num_cols, heads, channels]; one plane. `rows` has
/// its values in order.
template <class T>
DSNN_INTERNAL_API void edge_attention(const Executor& executor, const SparseRows& rows,
                                      const SparseShape& shape, T slope, const T* own,
                                      const T* other, const T* weight, T* scores);

/// The gradients of own and, if not null, of weight. What the scores were made of is made again.
template <class T>
DSNN_INTERNAL_API void edge_attention_backward(const Executor& executor, const SparseRows& rows,
                                               const SparseShape& shape, T slope, const T* own,
                                               const T* other, const T* weight, const T* grad,
                                               T* grad_own, T* grad_weight);

/// The softmax over the entries of each row [eq:edge-softmax]. `rows` has its values in order, here
/// and in the next.
template <class T>
DSNN_INTERNAL_API void edge_softmax(const Executor& executor, const SparseRows& rows,
                                    std::int64_t heads, const T* scores, T* out);

/// grad_scores_e = out_e (grad_e - sum out grad over the row).
template <class T>
DSNN_INTERNAL_API void edge_softmax_backward(const Executor& executor, const SparseRows& rows,
                                             std::int64_t heads, const T* out, const T* grad,
                                             T* grad_scores);

/// y_u = max_v x_v over the entries of row u, 0 without any [eq:neighbour-max]. x: of `shape`, with
/// one plane and one head.
template <class T>
DSNN_INTERNAL_API void neighbour_max(const Executor& executor, const SparseRows& rows,
                                     const SparseShape& shape, const T* x, T* y);

/// The gradient of each y goes to the first entry of its row that has it. `columns` is the
/// transpose of `rows`, with the entries of a column in the order of their rows.
template <class T>
DSNN_INTERNAL_API void neighbour_max_backward(const Executor& executor, const SparseRows& rows,
                                              const SparseRows& columns, const SparseShape& shape,
                                              const T* x, const T* grad, T* grad_x);

}  // namespace dsnn::kernels
