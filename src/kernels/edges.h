#pragma once

#include "kernels/executor.h"
#include "kernels/sparse.h"
#include "util/internal_api.h"

#include <cstdint>

// Values for every entry e = (row u, column v) of a sparse matrix, whose own values are not used.
// "Own" refers to the row and "other" to the column; with the transpose for `rows`, gradients of
// columns are those of rows. T is float or double.
namespace dsnn::kernels {

/// out_e = own_u + other_v [eq:edge-sum], `width` values each. The values of `rows` are in order.
template <class T>
DSNN_INTERNAL_API void edge_sum(const Executor& executor, const SparseRows& rows,
                                std::int64_t width, const T* own, const T* other, T* out);

/// grad_own_u = sum_e grad_e.
template <class T>
DSNN_INTERNAL_API void edge_sum_backward(const Executor& executor, const SparseRows& rows,
                                         std::int64_t width, const T* grad, T* grad_own);

/// scores_eh = sum_c weight_hc act(own_uhc + other_vhc) [eq:edge-attention], act the leaky ReLU.
/// own: [rows, heads, channels], other: [shape.num_cols, heads, channels]; one plane. The values of
/// `rows` are in order.
template <class T>
DSNN_INTERNAL_API void edge_attention(const Executor& executor, const SparseRows& rows,
                                      const SparseShape& shape, T slope, const T* own,
                                      const T* other, const T* weight, T* scores);

/// The gradients of own and, if not null, of weight. The terms of the scores are recomputed.
template <class T>
DSNN_INTERNAL_API void edge_attention_backward(const Executor& executor, const SparseRows& rows,
                                               const SparseShape& shape, T slope, const T* own,
                                               const T* other, const T* weight, const T* grad,
                                               T* grad_own, T* grad_weight);

/// The softmax over the entries of each row [eq:edge-softmax]. The values of `rows` are in order,
/// here and in the next function.
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

/// The gradient of each y goes to the first entry of its row with this value. `columns` is the
/// transpose of `rows`, with the entries of a column in the order of their rows.
template <class T>
DSNN_INTERNAL_API void neighbour_max_backward(const Executor& executor, const SparseRows& rows,
                                              const SparseRows& columns, const SparseShape& shape,
                                              const T* x, const T* grad, T* grad_x);

}  // namespace dsnn::kernels
