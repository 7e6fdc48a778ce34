#pragma once

#include "dsnn/export.h"
#include "dsnn/sweep/sweep.h"

#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// How much of the score of a trial a parameter explains by itself.
struct Importance {
  std::string parameter;
  /// Share of the variance of the score that it explains, in [0, 1] [eq:importance]; nothing if it
  /// cannot be estimated: all scores are equal, or too few values were tried twice.
  std::optional<double> share;
  /// The bound that a parameter without effect stays below in 95 of 100 cases.
  double chance = 0;
};

struct ImportanceReport {
  std::vector<Importance> parameters;  ///< the searched parameters, the largest share first
  int num_compared = 0;                ///< trials with a score at the first rung
  int num_failed = 0;                  ///< trials that failed there and are excluded
};

/// Computed from the scores of the first rung, where all trials have the same number of splits and
/// epochs.
DSNN_API ImportanceReport parameter_importance(const Sweep& sweep);

}  // namespace dsnn
