#pragma once

#include "dsnn/graph/directed_graph.h"

#include "util/internal_api.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dsnn {

/// A 95 % confidence interval.
struct Interval {
  double low = 0, high = 0;
};

/// Of the mean of some values, by Student's distribution; nothing for less than two. Values of
/// splits that share nodes vary less than they should: `test_per_train`, how many times as many
/// nodes a split tests as it trains on, corrects for that [eq:corrected-t].
DSNN_INTERNAL_API std::optional<Interval> mean_interval(std::span<const double> values,
                                                        double test_per_train = 0);

/// Of a share, hits of count > 0, by Wilson.
DSNN_INTERNAL_API Interval wilson_interval(std::int64_t hits, std::int64_t count);

/// What a model says of a node that it is tested on.
struct Prediction {
  int split = 0;
  NodeId node = 0;
  std::int64_t label = 0, predicted = 0;
  double probability = 0;  ///< of the class that is predicted

  bool is_right() const { return label == predicted; }
};

/// How often nodes of class i are taken for class j: [classes, classes].
DSNN_INTERNAL_API std::vector<std::int64_t> confusion_matrix(std::span<const Prediction> all,
                                                             std::int64_t num_classes);

/// Nothing where it would be 0 over 0.
struct ClassScores {
  std::optional<double> precision, recall, f1;
  std::int64_t support = 0;  ///< nodes of the class
};
DSNN_INTERNAL_API std::vector<ClassScores> class_scores(std::span<const std::int64_t> confusion,
                                                        std::int64_t num_classes);

/// Predictions whose probability is in a tenth of [0, 1]; its lower end belongs to it, and 1 to the
/// last.
struct ReliabilityBin {
  std::int64_t count = 0;
  double probability = 0, accuracy = 0;  ///< means
};
struct Calibration {
  std::vector<ReliabilityBin> bins;  ///< [10]
  double error = 0;  ///< the mean of |probability - accuracy| over bins, by their counts
};
DSNN_INTERNAL_API Calibration calibration_of(std::span<const Prediction> all);

/// A node that is predicted wrongly, at its most confident.
struct Mistake {
  Prediction prediction;
  int num_wrong = 0, num_tested = 0;  ///< splits
};
/// One a node, the most confident first; ties by the node's number.
DSNN_INTERNAL_API std::vector<Mistake> find_mistakes(std::span<const Prediction> all);

}  // namespace dsnn
