#pragma once

#include "dsnn/export.h"
#include "dsnn/sheaf/phase.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsnn {

/// A sparse matrix of complex d x d blocks in compressed sparse rows: block row i has blocks
/// row_offsets[i] .. row_offsets[i+1]-1, by increasing block column. Blocks are row-major.
struct DSNN_API BlockSparseMatrix {
  int block_dim = 1;  ///< d
  std::int64_t num_block_cols = 0;
  std::vector<std::int64_t> row_offsets = {0};  ///< [block rows + 1]
  std::vector<std::int32_t> cols;               ///< [blocks]
  std::vector<Complex> values;                  ///< [blocks, d, d]

  std::int64_t num_block_rows() const { return static_cast<std::int64_t>(row_offsets.size()) - 1; }
  std::int64_t num_rows() const { return num_block_rows() * block_dim; }
  std::int64_t num_cols() const { return num_block_cols * block_dim; }
  std::int64_t num_blocks() const { return static_cast<std::int64_t>(cols.size()); }

  std::span<Complex> block(std::int64_t b) {
    const auto size = static_cast<std::size_t>(block_dim) * static_cast<std::size_t>(block_dim);
    return {values.data() + static_cast<std::size_t>(b) * size, size};
  }
  std::span<const Complex> block(std::int64_t b) const {
    return const_cast<BlockSparseMatrix*>(this)->block(b);
  }

  /// y = M x for `channels` columns at once; x is [cols, channels], the result [rows, channels].
  std::vector<Complex> multiply(std::span<const Complex> x, std::int64_t channels) const;
  /// The whole matrix, row-major; for small matrices.
  std::vector<Complex> to_dense() const;
};

/// M*, the conjugate transpose.
DSNN_API BlockSparseMatrix adjoint(const BlockSparseMatrix& matrix);
/// Largest |A_ij - B_ij| (NaN if any is NaN) of matrices of equal shape, with arbitrary block
/// patterns.
DSNN_API double max_abs_difference(const BlockSparseMatrix& a, const BlockSparseMatrix& b);
/// Largest |A_ij|; NaN if any is NaN.
DSNN_API double max_abs(const BlockSparseMatrix& matrix);

}  // namespace dsnn
