#pragma once

#include "dsnn/train/scores.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dsnn {

/// Scores from what is counted on a set of nodes.
struct ClassCounts {
  std::vector<double> hits, predicted, actual;  ///< of each class
  double loss_sum = 0;                          ///< of the nodes' cross-entropies
  /// Of two classes: by how much class 1 is ahead, for nodes of class 1 and of class 0.
  std::vector<double> positives = {}, negatives = {};

  explicit ClassCounts(std::size_t classes)
      : hits(classes, 0), predicted(classes, 0), actual(classes, 0) {}
  void add_margin(bool is_positive, double margin) {
    (is_positive ? positives : negatives).push_back(margin);
  }
  /// All zero without nodes.
  Scores scores(std::size_t num_nodes) &&;
};

/// What score() is computed from.
ClassCounts count_classes(std::span<const float> logits, std::int64_t num_classes,
                          std::span<const std::int64_t> labels,
                          std::span<const std::int64_t> nodes);

}  // namespace dsnn
