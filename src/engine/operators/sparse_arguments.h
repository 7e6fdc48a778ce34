#pragma once

#include "dsnn/engine/sparse_matrix.h"

#include "kernels/sparse.h"

namespace dsnn::engine {

/// A matrix for kernels, and its transpose.
inline kernels::SparseRows rows_of(const SparseMatrix& matrix) {
  return {matrix.num_rows(), matrix.row_offsets().data(), matrix.cols().data(), nullptr};
}
inline kernels::SparseRows columns_of(const SparseMatrix& matrix) {
  return {matrix.num_cols(), matrix.col_offsets().data(), matrix.rows().data(),
          matrix.positions().data()};
}

/// The matrix with its own values.
template <class T>
kernels::SparseValues<T> values_of(const SparseMatrix& matrix) {
  kernels::SparseValues<T> values;
  if (!matrix.values().empty()) values.fixed = matrix.values().data();
  return values;
}

}  // namespace dsnn::engine
