#include "dsnn/sheaf/block_sparse.h"

#include "dsnn/util/error.h"

#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dsnn {
namespace {

/// Raises `largest` to x and propagates NaN, which std::max would drop.
void raise(double& largest, double x) {
  if (!(x <= largest) && !std::isnan(largest)) largest = x;
}

}  // namespace

std::vector<Complex> BlockSparseMatrix::multiply(std::span<const Complex> x,
                                                 std::int64_t channels) const {
  if (x.size() != at(num_cols() * channels)) {
    throw Error(fmt::format(
        "block-sparse product: x has {} elements, expected {} ({} columns, {} channels)", x.size(),
        num_cols() * channels, num_cols(), channels));
  }
  std::vector<Complex> y(at(num_rows() * channels), Complex(0));
  const std::int64_t d = block_dim;
  for (std::int64_t i = 0; i < num_block_rows(); ++i) {
    for (std::int64_t b = row_offsets[at(i)]; b < row_offsets[at(i) + 1]; ++b) {
      const std::int64_t j = cols[at(b)];
      for (std::int64_t r = 0; r < d; ++r) {
        for (std::int64_t c = 0; c < d; ++c) {
          const Complex entry = block(b)[at(r * d + c)];
          for (std::int64_t k = 0; k < channels; ++k) {
            y[at((i * d + r) * channels + k)] += entry * x[at((j * d + c) * channels + k)];
          }
        }
      }
    }
  }
  return y;
}

std::vector<Complex> BlockSparseMatrix::to_dense() const {
  std::vector<Complex> dense(at(num_rows() * num_cols()), Complex(0));
  const std::int64_t d = block_dim;
  for (std::int64_t i = 0; i < num_block_rows(); ++i) {
    for (std::int64_t b = row_offsets[at(i)]; b < row_offsets[at(i) + 1]; ++b) {
      for (std::int64_t r = 0; r < d; ++r) {
        for (std::int64_t c = 0; c < d; ++c) {
          dense[at((i * d + r) * num_cols() + cols[at(b)] * d + c)] = block(b)[at(r * d + c)];
        }
      }
    }
  }
  return dense;
}

BlockSparseMatrix adjoint(const BlockSparseMatrix& matrix) {
  if (matrix.num_block_rows() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(fmt::format("block-sparse adjoint: {} block rows, expected fewer than 2^31",
                            matrix.num_block_rows()));
  }
  const std::int64_t d = matrix.block_dim;
  BlockSparseMatrix result;
  result.block_dim = matrix.block_dim;
  result.num_block_cols = matrix.num_block_rows();
  result.row_offsets.assign(at(matrix.num_block_cols) + 1, 0);
  result.cols.resize(matrix.cols.size());
  result.values.resize(matrix.values.size());
  for (const std::int32_t col : matrix.cols) ++result.row_offsets[at(col) + 1];
  for (std::int64_t i = 0; i < matrix.num_block_cols; ++i) {
    result.row_offsets[at(i) + 1] += result.row_offsets[at(i)];
  }
  std::vector<std::int64_t> next = result.row_offsets;
  for (std::int64_t i = 0; i < matrix.num_block_rows(); ++i) {
    for (std::int64_t b = matrix.row_offsets[at(i)]; b < matrix.row_offsets[at(i) + 1]; ++b) {
      const std::int64_t to = next[at(matrix.cols[at(b)])]++;
      result.cols[at(to)] = static_cast<std::int32_t>(i);
      for (std::int64_t r = 0; r < d; ++r) {
        for (std::int64_t c = 0; c < d; ++c) {
          result.block(to)[at(c * d + r)] = std::conj(matrix.block(b)[at(r * d + c)]);
        }
      }
    }
  }
  return result;
}

double max_abs_difference(const BlockSparseMatrix& a, const BlockSparseMatrix& b) {
  if (a.block_dim != b.block_dim || a.num_block_rows() != b.num_block_rows() ||
      a.num_block_cols != b.num_block_cols) {
    throw Error(fmt::format(
        "block-sparse difference: {} x {} (blocks of {}) and {} x {} (blocks of {})", a.num_rows(),
        a.num_cols(), a.block_dim, b.num_rows(), b.num_cols(), b.block_dim));
  }
  const std::vector<Complex> zero(at(static_cast<std::int64_t>(a.block_dim) * a.block_dim), 0);
  double largest = 0;
  for (std::int64_t i = 0; i < a.num_block_rows(); ++i) {
    std::int64_t p = a.row_offsets[at(i)];
    std::int64_t q = b.row_offsets[at(i)];
    const std::int64_t p_end = a.row_offsets[at(i) + 1];
    const std::int64_t q_end = b.row_offsets[at(i) + 1];
    while (p < p_end || q < q_end) {  // merge the two sorted rows
      const std::int64_t none = std::numeric_limits<std::int64_t>::max();
      const std::int64_t p_col = p < p_end ? a.cols[at(p)] : none;
      const std::int64_t q_col = q < q_end ? b.cols[at(q)] : none;
      const std::span<const Complex> x = p_col <= q_col ? a.block(p++) : zero;
      const std::span<const Complex> y = q_col <= p_col ? b.block(q++) : zero;
      for (std::size_t k = 0; k < x.size(); ++k) raise(largest, std::abs(x[k] - y[k]));
    }
  }
  return largest;
}

double max_abs(const BlockSparseMatrix& matrix) {
  double largest = 0;
  for (const Complex& value : matrix.values) raise(largest, std::abs(value));
  return largest;
}

}  // namespace dsnn
