#pragma once

#include "dsnn/export.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>

namespace dsnn {

/// How scores rank positives above negatives, in [0, 1]; ties count half, except in Hits@K.
struct RankScores {
  double roc_auc = 0;            ///< probability that a positive is above a negative
  double average_precision = 0;  ///< sum over the distinct scores of recall gained x precision
  double mrr = 0;                ///< mean of 1 / rank of each positive among all negatives
  /// Share of the positives above the K-th best negative, K = 20, 50, 100; 1 if there are fewer.
  std::array<double, 3> hits = {};
};
inline constexpr std::array<std::int64_t, 3> kHits = {20, 50, 100};

/// Exact, in time O(k log k) for k scores. Nothing if one of the two sets is empty or a score is
/// NaN.
DSNN_API std::optional<RankScores> rank_scores(std::span<const double> positives,
                                               std::span<const double> negatives);

/// Classification scores on a set of nodes or pairs.
struct Scores {
  double loss = 0;                  ///< mean cross-entropy
  double accuracy = 0;              ///< share of those whose largest logit is that of their class
  double macro_f1 = 0;              ///< mean F1 of the classes that occur as label or prediction
  std::optional<double> roc_auc;    ///< for two classes, if both occur
  std::optional<RankScores> ranks;  ///< of pairs, for two classes, if both occur
  std::optional<double> metric;     ///< of pairs: the chosen one

  /// What the best epoch and the best model are chosen by.
  double value() const { return metric.value_or(accuracy); }
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
