#pragma once

#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/program.h"
#include "dsnn/engine/sparse_matrix.h"
#include "dsnn/export.h"

// Products with sparse matrices. They give the same bits for any number of threads.
namespace dsnn::engine {

/// A x [eq:spmm]. x: [columns, f] or, in planes, [1 or 2, columns, f]; the result has `rows`
/// instead of `columns`. Differentiable in x.
///
/// With learned values instead of those of the matrix: real [entries], for all planes; or complex
/// [2, entries], real and imaginary parts, with x in two planes. Differentiable in values and x.
DSNN_API OperatorPtr spmm_operator(SparseMatrix matrix);
DSNN_API Value spmm(Value x, const SparseMatrix& matrix);
DSNN_API Value spmm(Value values, Value x, const SparseMatrix& matrix);

/// X W with sparse features X [eq:sparse-linear] and dropout on its entries. Dropout is a function
/// of the seed and the index of the entry, so no mask is stored.
///
/// weight: [columns, out]; result: [rows, out]. Differentiable in weight.
DSNN_API OperatorPtr sparse_linear_operator(SparseMatrix matrix, const Dropout& dropout = {});

}  // namespace dsnn::engine
