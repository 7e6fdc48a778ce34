#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// Whether the logarithms of out-degree and in-degree join the features.
enum class DegreeColumns {
  kAuto,  ///< where the features are few (fewer than kFewFeatures) and the dataset is not a known
          ///< one
  kYes,
  kNo
};

/// Graphs with fewer features than this gain degree columns by DegreeColumns::kAuto.
inline constexpr std::int64_t kFewFeatures = 16;

/// What is done to one column of features.
struct ColumnPreparation {
  enum class Kind {
    kKeep,         ///< nothing: 0/1 and category columns
    kStandard,     ///< (x - mean) / deviation
    kLogStandard,  ///< the same of log(1 + x / unit)
    kRowShare      ///< x over max(the row's sum of such columns, 1): counts of words
  };
  Kind kind = Kind::kKeep;
  double mean = 0, deviation = 1, unit = 1;
  /// The column that is 1 where this one is missing, and the value that stands for it; -1: none.
  std::int64_t missing_column = -1;
  double fill = 0;

  bool operator==(const ColumnPreparation&) const = default;
};

/// How features become what a model learns from. Fitted once, on the data of a training; the run
/// keeps it and uses it again on other graphs.
class DSNN_API FeaturePreparation {
 public:
  /// Leaves features as they are.
  FeaturePreparation() = default;

  /// Looks at all nodes and at no label. `scale` decides:
  /// - kRows: the smallest value of the matrix is subtracted, then each row is divided by
  ///   max(its sum, 1), as is usual for published bags of words;
  /// - kStandard: every column that has other values than 0 and 1 gets mean 0 and deviation 1;
  /// - kAuto: what is usual for a known dataset (Dataset::usual_scale); otherwise by column: counts
  ///   of words (at least 32 sparse, non-negative columns) become shares of their row, numeric
  ///   columns get mean 0 and deviation 1, long-tailed ones after a logarithm, 0/1 and category
  ///   columns (named column=value) stay;
  /// - kNone: features stay as they are.
  static FeaturePreparation fit(const Dataset& dataset, FeatureScale scale, DegreeColumns degrees);

  /// Prepared features of a graph. `features` has the columns that fit() saw.
  Features apply(const DirectedGraph& graph, const Features& features) const;

  /// Nothing is done: apply() would return its argument.
  bool is_identity() const { return !smallest && columns.empty() && !adds_degrees; }
  /// Number of columns of apply().
  std::int64_t num_prepared(std::int64_t num_columns) const;
  /// One line: "2 columns standardised (age, balance after a logarithm), 12 kept (country)".
  std::string description(const std::vector<std::string>& names) const;

  std::optional<float> smallest;           ///< kRows: the value that is subtracted
  std::vector<ColumnPreparation> columns;  ///< one for each column, or none: all stay
  bool adds_degrees = false;
  ColumnPreparation out_degree, in_degree;  ///< of the logarithms, where they are added

  bool operator==(const FeaturePreparation&) const = default;
};

}  // namespace dsnn
