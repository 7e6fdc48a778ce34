#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <optional>
#include <span>

namespace dsnn {

/// How well some nodes are told apart.
struct Scores {
  double loss = 0;      ///< mean cross-entropy
  double accuracy = 0;  ///< share of the nodes whose largest logit is their class's
  double macro_f1 = 0;  ///< mean over the classes that occur (as label or as prediction) of F1
  std::optional<double> roc_auc;  ///< for two classes of which both occur
};

/// Over the splits: the mean, and the standard deviation of a sample (0 for a single one).
struct MeanAndDeviation {
  double mean = 0, deviation = 0;
};
DSNN_API MeanAndDeviation mean_and_deviation(std::span<const double> values);

/// logits: [n, num_classes]; labels: [n]; nodes: those that count. All zero for no nodes.
DSNN_API Scores score(std::span<const float> logits, std::int64_t num_classes,
                      std::span<const std::int64_t> labels, std::span<const std::int64_t> nodes);

}  // namespace dsnn
