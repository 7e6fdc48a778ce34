#pragma once

#include "dsnn/engine/sparse_matrix.h"
#include "dsnn/nn/adjacency.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace dsnn::nn {

/// A sparse matrix under construction: compressed sparse rows.
struct SparseRows {
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> cols;
  std::vector<double> values;

  SparseRows() = default;
  explicit SparseRows(const engine::SparseMatrix& matrix)
      : offsets(matrix.row_offsets()), cols(matrix.cols()), values(entry_values(matrix)) {}

  void add(std::int32_t col, double value) {
    cols.push_back(col);
    values.push_back(value);
  }
  void end_row() { offsets.push_back(std::ssize(cols)); }

  std::int64_t num_rows() const { return std::ssize(offsets) - 1; }
  /// Calls work(column, value) for the entries of a row.
  template <class Work>
  void for_row(std::int64_t row, const Work& work) const {
    for (auto e = static_cast<std::size_t>(offsets[static_cast<std::size_t>(row)]);
         e < static_cast<std::size_t>(offsets[static_cast<std::size_t>(row) + 1]); ++e) {
      work(cols[e], values[e]);
    }
  }
};

/// The number of entries that fit into memory.
std::size_t most_sparse_entries();

/// The square matrix, scaled. With `complete` (Input::complete), that of a part of a graph.
engine::SparseMatrix scaled(SparseRows rows, Scaling scaling,
                            const std::function<void(std::vector<double>&)>& complete = {});

SparseRows transposed(const SparseRows& a);

/// A B for square matrices, with columns in ascending order. Throws Error if it has more entries
/// than memory holds.
SparseRows product(const SparseRows& a, const SparseRows& b);

}  // namespace dsnn::nn
