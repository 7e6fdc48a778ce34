#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dsnn {

/// Whether the logarithms of out-degree and in-degree are added to the features.
enum class DegreeColumns {
  kAuto,  ///< if there are fewer than kFewFeatures features and the dataset is not a known one
  kYes,
  kNo
};

/// DegreeColumns::kAuto adds degree columns to graphs with fewer features than this.
inline constexpr std::int64_t kFewFeatures = 16;

/// The preparation of one feature column.
struct ColumnPreparation {
  enum class Kind {
    kKeep,         ///< unchanged: 0/1 and categorical columns
    kStandard,     ///< (x - mean) / deviation
    kLogStandard,  ///< the same for log(1 + x / unit)
    kRowShare      ///< x / max(sum of such columns in the row, 1): word counts
  };
  Kind kind = Kind::kKeep;
  double mean = 0, deviation = 1, unit = 1;
  /// The column that marks missing values of this one, and the value that replaces them; -1: none.
  std::int64_t missing_column = -1;
  double fill = 0;

  bool operator==(const ColumnPreparation&) const = default;
};

/// The transformation of features to the input of a model. It is fitted once, on the training data;
/// the run saves it and applies it to other graphs.
class DSNN_API FeaturePreparation {
 public:
  /// Leaves features unchanged.
  FeaturePreparation() = default;

  /// Uses all nodes and no labels. `scale`:
  /// - kRows: the smallest value of the matrix is subtracted, then each row is divided by
  ///   max(its sum, 1), as is usual for published bags of words;
  /// - kStandard: columns with values other than 0 and 1 are scaled to mean 0 and deviation 1;
  /// - kAuto: the published treatment of a known dataset (Dataset::usual_scale); otherwise by
  /// column:
  ///   word counts (at least 32 sparse, non-negative columns) are divided by their row sum, numeric
  ///   columns are scaled to mean 0 and deviation 1, long-tailed ones after a logarithm, 0/1 and
  ///   categorical columns (named column=value) are unchanged;
  /// - kNone: features are unchanged.
  static FeaturePreparation fit(const Dataset& dataset, FeatureScale scale, DegreeColumns degrees);

  /// The prepared features of a graph. `features` must have the same columns as for fit().
  Features apply(const DirectedGraph& graph, const Features& features) const;

  /// The same with the degrees of all nodes.
  Features apply(const Features& features, std::span<const NodeId> out_degrees,
                 std::span<const NodeId> in_degrees) const;

  /// Whether apply() returns its argument unchanged.
  bool is_identity() const { return !smallest && columns.empty() && !adds_degrees; }
  /// The number of columns of the result of apply().
  std::int64_t num_prepared(std::int64_t num_columns) const;
  /// One line: "2 columns standardised (age, balance after a logarithm), 12 kept (country)".
  std::string description(const std::vector<std::string>& names) const;

  std::optional<float> smallest;           ///< kRows: the subtracted value
  std::vector<ColumnPreparation> columns;  ///< one per column; empty: unchanged
  bool adds_degrees = false;
  ColumnPreparation out_degree, in_degree;  ///< preparation of the added logarithms

  bool operator==(const FeaturePreparation&) const = default;
};

}  // namespace dsnn
