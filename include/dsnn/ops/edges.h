#pragma once

#include "dsnn/export.h"
#include "dsnn/ops/sparse.h"

#include <cstdint>

namespace at {
class Tensor;
}

// What networks with attention do along edges: numbers for every entry e = (row u, column v) of a
// sparse matrix, in the order by rows. The matrix's own values do not count, and entries of the
// same place are different entries. Several heads lie side by side: [n, heads * f] has f channels
// of head 0, then of head 1. The same bits for any number of threads, for all of them.
namespace dsnn::ops {

/// left_u + right_v [eq:edge-sum]: the scores a^T [x_u || x_v] of GAT are those of two products
/// with each node. left: [rows, k], right: [columns, k]; result: [entries, k]. Differentiable once
/// in both. torch.ops.dsnn.edge_sum(left, right, matrix).
DSNN_API at::Tensor edge_sum(const at::Tensor& left, const at::Tensor& right,
                             const SparseMatrix& matrix);

/// x_u . y_v for every head [eq:edge-dot]. x: [rows, heads * f], y: [columns, heads * f]; result:
/// [entries, heads]. Differentiable once in both. torch.ops.dsnn.edge_dot(x, y, matrix, heads).
DSNN_API at::Tensor edge_dot(const at::Tensor& x, const at::Tensor& y, const SparseMatrix& matrix,
                             std::int64_t heads = 1);

/// sum_c weight_hc act(left_uhc + right_vhc) for every head h [eq:edge-attention], the scores of
/// GATv2, with act the leaky ReLU: t, or slope t where t is not positive. left: [rows, heads * f],
/// right: [columns, heads * f], weight: [heads, f]; result: [entries, heads]. Differentiable once
/// in left, right and weight; the sums of an entry are made again on the way back, never stored.
/// torch.ops.dsnn.edge_attention(left, right, weight, matrix, slope).
DSNN_API at::Tensor edge_attention(const at::Tensor& left, const at::Tensor& right,
                                   const at::Tensor& weight, const SparseMatrix& matrix,
                                   double slope = 0.2);

/// The softmax over the entries of each row, for every head [eq:edge-softmax]. scores: [entries,
/// heads]; the result has its shape. Scores of any size are good: the largest of the row is taken
/// off first. Differentiable once. torch.ops.dsnn.edge_softmax(scores, matrix).
DSNN_API at::Tensor edge_softmax(const at::Tensor& scores, const SparseMatrix& matrix);

/// sum_v values_eh x_vh for every row and head [eq:edge-spmm]. values: [entries, heads], x:
/// [columns, heads * f]; result: [rows, heads * f], 0 in a row without entries. Differentiable once
/// in both. torch.ops.dsnn.edge_spmm(values, x, matrix).
DSNN_API at::Tensor edge_spmm(const at::Tensor& values, const at::Tensor& x,
                              const SparseMatrix& matrix);

/// The largest x_v of each row, channel by channel [eq:neighbour-max]; 0 in a row without entries.
/// x: [columns, f]; result: [rows, f]. Differentiable once; of several that are largest, the first
/// in the row gets the gradient. torch.ops.dsnn.neighbour_max(x, matrix).
DSNN_API at::Tensor neighbour_max(const at::Tensor& x, const SparseMatrix& matrix);

}  // namespace dsnn::ops
