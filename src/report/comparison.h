#pragma once

#include "dsnn/report/report.h"

#include "report/statistics.h"
#include "util/internal_api.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dsnn {

/// A model compared with another on the same splits.
struct Comparison {
  std::string name;  ///< of the other model, and of its folder
  /// Splits for which the other model has a score, i.e. its training did not fail.
  std::vector<int> splits;
  std::vector<double> accuracies;  ///< of the other model on the test nodes
  double difference = 0;           ///< mean over these splits: the model's minus the other's
  std::optional<Interval> interval, corrected;  ///< of the difference; for splits that share nodes
};

/// Trains the other models on the splits of the run, or reads them from its folder `report`.
/// `accuracies` are those of the run on its splits.
DSNN_INTERNAL_API std::vector<Comparison> compare(const Run& run, const Dataset& dataset,
                                                  std::span<const double> accuracies,
                                                  const ReportOptions& options);

}  // namespace dsnn
