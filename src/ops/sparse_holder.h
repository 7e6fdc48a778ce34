#pragma once

#include "dsnn/ops/sparse.h"

#include "kernels/sparse.h"

#include <torch/custom_class.h>

#include <utility>

namespace dsnn::ops {

/// ops::SparseMatrix as a value of LibTorch's dispatcher: torch.classes.dsnn.SparseMatrix in
/// Python.
struct SparseHolder final : torch::CustomClassHolder {
  explicit SparseHolder(SparseMatrix shared) : matrix(std::move(shared)) {}

  kernels::SparseRows rows() const {
    return {matrix.num_rows(), matrix.row_offsets().data(), matrix.cols().data(), nullptr};
  }
  /// The rows of the transpose.
  kernels::SparseRows columns() const {
    return {matrix.num_cols(), matrix.col_offsets().data(), matrix.rows().data(),
            matrix.positions().data()};
  }
  std::int64_t num_rows() const { return matrix.num_rows(); }
  std::int64_t num_cols() const { return matrix.num_cols(); }
  std::int64_t num_entries() const { return matrix.num_entries(); }

  const SparseMatrix matrix;
};

using SparsePtr = c10::intrusive_ptr<SparseHolder>;

}  // namespace dsnn::ops
