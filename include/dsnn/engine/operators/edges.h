#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/engine/sparse_matrix.h"
#include "dsnn/export.h"

#include <cstdint>

// Operators along edges, for attention: values for every entry e = (row u, column v) of a sparse
// matrix, in row order. The values of the matrix are not used, and duplicate entries are separate
// entries. Heads are concatenated: [n, heads * f] has f channels of head 0, then of head 1. All are
// differentiable in their arguments and give the same bits for any number of threads.
namespace dsnn::engine {

/// left_u + right_v [eq:edge-sum]: the scores a^T [x_u || x_v] of GAT, from two products per node.
/// left: [rows, k], right: [columns, k]; result: [entries, k].
DSNN_API OperatorPtr edge_sum_operator(SparseMatrix matrix);
DSNN_API Value edge_sum(Value left, Value right, const SparseMatrix& matrix);

/// x_u . y_v for every head [eq:edge-dot]. x: [rows, heads * f], y: [columns, heads * f]; result:
/// [entries, heads].
DSNN_API OperatorPtr edge_dot_operator(SparseMatrix matrix, std::int64_t heads);
DSNN_API Value edge_dot(Value x, Value y, const SparseMatrix& matrix, std::int64_t heads = 1);

/// sum_c x_uc conj(y_vc), complex [eq:edge-hermitian]. x: [2, rows, f], y: [2, columns, f]; result:
/// [2, entries].
DSNN_API OperatorPtr edge_hermitian_operator(SparseMatrix matrix);
DSNN_API Value edge_hermitian(Value x, Value y, const SparseMatrix& matrix);

/// sum_c weight_hc act(left_uhc + right_vhc) for every head h [eq:edge-attention], the scores of
/// GATv2, with act the leaky ReLU: t, or slope t where t is not positive. left: [rows, heads * f],
/// right: [columns, heads * f], weight: [heads, f]; result: [entries, heads]. The sums of an entry
/// are not stored but recomputed in the backward pass.
DSNN_API OperatorPtr edge_attention_operator(SparseMatrix matrix, double slope);
DSNN_API Value edge_attention(Value left, Value right, const Operand& weight,
                              const SparseMatrix& matrix, double slope = 0.2);

/// The softmax over the entries of each row, for every head [eq:edge-softmax]. scores: [entries,
/// heads]; the result has its shape. Scores may be arbitrarily large: the maximum of the row is
/// subtracted first.
DSNN_API OperatorPtr edge_softmax_operator(SparseMatrix matrix);
DSNN_API Value edge_softmax(Value scores, const SparseMatrix& matrix);

/// sum_v values_eh x_vh for every row and head [eq:edge-spmm]. values: [entries, heads], x:
/// [columns, heads * f]; result: [rows, heads * f], 0 in a row without entries.
DSNN_API OperatorPtr edge_spmm_operator(SparseMatrix matrix);
DSNN_API Value edge_spmm(Value values, Value x, const SparseMatrix& matrix);

/// The largest x_v of each row, channel by channel [eq:neighbour-max]; 0 in a row without entries.
/// x: [columns, f]; result: [rows, f]. For ties, the first in the row gets the gradient.
DSNN_API OperatorPtr neighbour_max_operator(SparseMatrix matrix);
DSNN_API Value neighbour_max(Value x, const SparseMatrix& matrix);

}  // namespace dsnn::engine
