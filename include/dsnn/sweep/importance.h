#pragma once

#include "dsnn/export.h"
#include "dsnn/sweep/sweep.h"

#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// How much a parameter alone says about the score of a trial.
struct Importance {
  std::string parameter;
  /// Share of the variance of the score that it explains, in [0, 1] [eq:importance]; nothing where
  /// that cannot be told: all scores are the same, or hardly a value was tried twice.
  std::optional<double> share;
  /// What a parameter without any effect stays below in 95 of 100 cases.
  double chance = 0;
};

struct ImportanceReport {
  std::vector<Importance> parameters;  ///< those that are searched, the largest share first
  int num_compared = 0;                ///< trials with a score at the first rung
  int num_failed = 0;                  ///< trials that failed there, and are left out
};

/// By the scores of the first rung, which all trials have from the same number of splits and
/// epochs.
DSNN_API ImportanceReport parameter_importance(const Sweep& sweep);

}  // namespace dsnn
