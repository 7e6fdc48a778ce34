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

/// Of the mean of some values, by Student's distribution; nothing for fewer than two. Values of
/// splits that share nodes vary too little: `test_per_train`, the ratio of test nodes to training
/// nodes of a split, corrects for that [eq:corrected-t].
DSNN_INTERNAL_API std::optional<Interval> mean_interval(std::span<const double> values,
                                                        double test_per_train = 0);

/// Of a share, hits of count > 0, by Wilson.
DSNN_INTERNAL_API Interval wilson_interval(std::int64_t hits, std::int64_t count);

/// The prediction of a model for a test node.
struct Prediction {
  int split = 0;
  NodeId node = 0;
  std::int64_t label = 0, predicted = 0;
  double probability = 0;  ///< of the predicted class

  bool is_right() const { return label == predicted; }
};

/// How often nodes of class i are predicted as class j: [classes, classes].
DSNN_INTERNAL_API std::vector<std::int64_t> confusion_matrix(std::span<const Prediction> all,
                                                             std::int64_t num_classes);

/// Nothing for 0 / 0.
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

/// A wrongly predicted node, with its most confident wrong prediction.
struct Mistake {
  Prediction prediction;
  int num_wrong = 0, num_tested = 0;  ///< splits
};
/// One per node, the most confident first; ties by node number.
DSNN_INTERNAL_API std::vector<Mistake> find_mistakes(std::span<const Prediction> all);

}  // namespace dsnn
