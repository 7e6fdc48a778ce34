#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/train/run.h"
#include "dsnn/train/scores.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace dsnn {

/// A pair and the probability that source -> target is an arc.
struct LinkPrediction {
  NodeId source = 0, target = 0;
  double probability = 0;
};

/// A trained model of links on a graph, all of whose arcs carry messages.
class DSNN_API LinkPredictor {
 public:
  /// Throws Error if the run is of another task, if it has no model of the split, or if the
  /// features do not match.
  LinkPredictor(const Run& run, int split, const Dataset& dataset);
  ~LinkPredictor();
  LinkPredictor(LinkPredictor&&) noexcept;

  /// Logits [pairs, outputs]: one output for two classes, else one for each.
  std::vector<float> logits(std::span<const Arc> pairs) const;
  /// Probabilities [pairs, classes].
  std::vector<double> probabilities(std::span<const Arc> pairs) const;
  /// For each node, the `count` most probable targets without an arc from it, the best first. Uses
  /// memory for a block of pairs and the result, not for all pairs. Throws Error for a run of
  /// directions, which assumes that there is an arc.
  std::vector<LinkPrediction> top(std::int64_t count) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// Scores on the test pairs of splits of a dataset, each with the messages of its split.
DSNN_API std::vector<Scores> link_test_scores(const Run& run, const std::vector<int>& splits,
                                              const Dataset& dataset);

}  // namespace dsnn
