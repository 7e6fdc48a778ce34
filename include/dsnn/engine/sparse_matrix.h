#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <memory>
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
  std::shared_ptr<const Data> data_;
};

}  // namespace dsnn::engine
