#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <vector>

namespace dsnn {

/// How features are brought to a common scale; FeaturePreparation has the details.
enum class FeatureScale { kAuto, kStandard, kRows, kNone };

/// A matrix of features, one row a node: dense, or sparse in compressed rows. Readers keep the form
/// that the file has.
struct DSNN_API Features {
  std::int64_t num_rows = 0;
  std::int64_t num_columns = 0;
  std::vector<float> values;          ///< dense: [rows, columns]; sparse: [entries]
  std::vector<std::int64_t> offsets;  ///< sparse: [rows + 1], where each row begins; dense: empty
  std::vector<std::int32_t> columns;  ///< sparse: [entries], ascending within a row; dense: empty

  static Features dense(std::int64_t num_rows, std::int64_t num_columns, std::vector<float> values);

  /// There are no features at all.
  bool empty() const { return num_columns == 0; }
  bool is_sparse() const { return !offsets.empty(); }
  std::int64_t num_nonzeros() const;
  /// Share of the entries that are not 0; NaN for a matrix without entries.
  double density() const;

  /// The same matrix in the other form; entries of a sparse one that are 0 are left out.
  Features to_dense() const;
  Features to_sparse() const;

  /// The same form and the same numbers.
  bool operator==(const Features&) const = default;
};

/// The smallest value of the matrix; what a sparse one does not hold is 0.
DSNN_API float smallest_value(const Features& features);
/// The smallest value of the matrix subtracted, then each row over max(its sum, 1).
DSNN_API Features normalise_rows(const Features& features);
/// The same with the smallest value of other features, those that a model was trained on.
DSNN_API Features normalise_rows(const Features& features, float smallest);

}  // namespace dsnn
