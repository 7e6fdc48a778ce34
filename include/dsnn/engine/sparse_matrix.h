#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dsnn::engine {

/// A real sparse matrix for operators: compressed sparse rows, and the same entries by columns for
/// gradients. Copies are cheap and share one matrix, which lives as long as a result needs it for
/// its gradient.
///
/// Values are doubles: one matrix serves both precisions, and reading eight bytes per entry costs
/// little compared with reading a row of the dense factor.
class DSNN_API SparseMatrix {
 public:
  /// Row i has entries row_offsets[i] .. row_offsets[i+1]-1, in any order of columns; duplicate
  /// entries are summed. Empty `values` mean 1 for every entry. Throws Error if the arrays are
  /// inconsistent or a column is out of range. Time and memory O(rows + columns + entries).
  SparseMatrix(std::vector<std::int64_t> row_offsets, std::vector<std::int32_t> cols,
               std::vector<double> values, std::int64_t num_cols);

  /// The matrix without values whose entries are these positions, in order of rows; `places`
  /// returns the entry of each.
  static SparseMatrix from_pairs(std::int64_t num_rows, std::int64_t num_cols,
                                 std::span<const Arc> pairs, std::vector<std::int64_t>& places);
  /// Replaces the entries, in this matrix and in all its copies, by others of the same number: for
  /// pairs that change between passes of a program. Not while a program uses them.
  void replace(SparseMatrix&& other);

  std::int64_t num_rows() const { return static_cast<std::int64_t>(data_->row_offsets.size()) - 1; }
  std::int64_t num_cols() const { return static_cast<std::int64_t>(data_->col_offsets.size()) - 1; }
  std::int64_t num_entries() const { return static_cast<std::int64_t>(data_->cols.size()); }

  const std::vector<std::int64_t>& row_offsets() const { return data_->row_offsets; }
  const std::vector<std::int32_t>& cols() const { return data_->cols; }
  /// [entries], or empty if all are 1.
  const std::vector<double>& values() const { return data_->values; }

  /// Column j has entries col_offsets[j] .. col_offsets[j+1]-1 of the next two arrays, by
  /// increasing row: the row of each entry, and its index in row order.
  const std::vector<std::int64_t>& col_offsets() const { return data_->col_offsets; }
  const std::vector<std::int32_t>& rows() const { return data_->rows; }
  const std::vector<std::int64_t>& positions() const { return data_->positions; }

 private:
  struct Data {
    std::vector<std::int64_t> row_offsets;
    std::vector<std::int32_t> cols;
    std::vector<double> values;
    std::vector<std::int64_t> col_offsets;
    std::vector<std::int32_t> rows;
    std::vector<std::int64_t> positions;
  };
  std::shared_ptr<Data> data_;
};

}  // namespace dsnn::engine
