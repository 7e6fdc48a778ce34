#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/train/ensemble.h"
#include "dsnn/train/run.h"
#include "dsnn/train/scores.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dsnn {

/// A pair and the probability that source -> target is an arc.
struct LinkPrediction {
  NodeId source = 0, target = 0;
  double probability = 0;
};

/// A trained model of links, or an ensemble, on a graph, all of whose arcs carry messages.
class DSNN_API LinkPredictor {
 public:
  /// Throws Error if a run is of another task or question, if it has no model of the split, or if
  /// the features do not match.
  LinkPredictor(const Ensemble& ensemble, int split, const Dataset& dataset);
  LinkPredictor(const Run& run, int split, const Dataset& dataset);
  ~LinkPredictor();
  LinkPredictor(LinkPredictor&&) noexcept;

  /// Logits [pairs, outputs]: one output for two classes, else one for each. Of an ensemble those
  /// of the averaged probabilities.
  std::vector<float> logits(std::span<const Arc> pairs) const;
  /// Probabilities [pairs, classes].
  std::vector<double> probabilities(std::span<const Arc> pairs) const;
  /// For each node, the `count` most probable targets without an arc from it, the best first. Uses
  /// memory for a block of pairs and the result, not for all pairs. Throws Error for a run of
  /// directions, which assumes that there is an arc.
  std::vector<LinkPrediction> top(std::int64_t count) const;

 private:
  LinkPredictor(std::span<const Run> runs, int split, const Dataset& dataset);

  struct Member;
  std::vector<std::unique_ptr<Member>> members_;
  DirectedGraph graph_;  ///< in the dataset's order of nodes
  std::string name_;     ///< of the dataset
};

/// Scores on the validation and test pairs of a split of a dataset, with the messages of the split.
DSNN_API EnsembleScores link_scores_of(const Ensemble& ensemble, int split, const Dataset& dataset);
/// Those on the test pairs of several splits.
DSNN_API std::vector<Scores> link_test_scores(const Ensemble& ensemble,
                                              const std::vector<int>& splits,
                                              const Dataset& dataset);

}  // namespace dsnn
