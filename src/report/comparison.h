#pragma once

#include "dsnn/report/report.h"

#include "report/statistics.h"
#include "util/internal_api.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dsnn {

/// A model beside another one on the same splits.
struct Comparison {
  std::string name;  ///< of the other, and of its folder
  /// Splits where the other has a score; where its training failed there is none.
  std::vector<int> splits;
  std::vector<double> accuracies;  ///< of the other on the test nodes
  double difference = 0;           ///< the mean over these splits of the model's minus the other's
  std::optional<Interval> interval, corrected;  ///< of the difference; for splits that share nodes
};

/// Trains the others on the splits of the run, or takes them from its folder `report`. `accuracies`
/// are the run's own on its splits.
DSNN_INTERNAL_API std::vector<Comparison> compare(const Run& run, const Dataset& dataset,
                                                  std::span<const double> accuracies,
                                                  const ReportOptions& options);

}  // namespace dsnn
