#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <vector>

namespace dsnn {

/// How features are scaled; see FeaturePreparation.
enum class FeatureScale { kAuto, kStandard, kRows, kNone };

/// A feature matrix with one row per node: dense, or sparse in compressed rows. Readers keep the
/// form of the file.
struct DSNN_API Features {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::vector<float> values;          ///< dense: [rows, columns]; sparse: [entries]
  std::vector<std::int64_t> offsets;  ///< sparse: [rows + 1], row offsets; dense: empty
  std::vector<std::int32_t> columns;  ///< sparse: [entries], ascending within a row; dense: empty

  static Features dense(std::int64_t num_rows, std::int64_t num_columns, std::vector<float> values);

  /// Whether there are no features.
  bool empty() const { return num_columns == 0; }
  bool is_sparse() const { return !offsets.empty(); }
  std::int64_t num_nonzeros() const;
  /// Share of non-zero entries; NaN for a matrix without entries.
  double density() const;

  /// The same matrix in the other form; explicit zeros of a sparse matrix are dropped.
  Features to_dense() const;
  Features to_sparse() const;

  /// The same form and the same values.
  bool operator==(const Features&) const = default;
};

/// The smallest value of the matrix, including the implicit zeros of a sparse matrix.
DSNN_API float smallest_value(const Features& features);
/// Subtracts the smallest value of the matrix, then divides each row by max(its sum, 1).
DSNN_API Features normalise_rows(const Features& features);
/// The same with a given smallest value, that of the features a model was trained on.
DSNN_API Features normalise_rows(const Features& features, float smallest);

}  // namespace dsnn
