#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <optional>
#include <span>

namespace dsnn {

/// Classification scores on a set of nodes.
struct Scores {
  double loss = 0;                ///< mean cross-entropy
  double accuracy = 0;            ///< share of the nodes whose largest logit is that of their class
  double macro_f1 = 0;            ///< mean F1 of the classes that occur as label or prediction
  std::optional<double> roc_auc;  ///< for two classes, if both occur
};

/// Mean and sample standard deviation over splits (0 for a single one).
struct MeanAndDeviation {
  double mean = 0, deviation = 0;
};
DSNN_API MeanAndDeviation mean_and_deviation(std::span<const double> values);

/// logits: [n, num_classes]; labels: [n]; nodes: those to score. All zero without nodes.
DSNN_API Scores score(std::span<const float> logits, std::int64_t num_classes,
                      std::span<const std::int64_t> labels, std::span<const std::int64_t> nodes);

}  // namespace dsnn
