#pragma once

#include "dsnn/train/run.h"

#include "util/internal_api.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dsnn {

/// The sheaf that a network learned on a graph.
struct LearnedSheaf {
  int split = 0;                 ///< the split of the model
  std::optional<double> charge;  ///< nothing for a model without a phase

  /// How often the entries of a layer's maps, real and imaginary parts, fall into bins of equal
  /// width from `from` to `to`, which are the same for all layers.
  struct Histogram {
    int layer = 0;  ///< from 1
    std::vector<std::int64_t> counts;
  };
  double from = 0, to = 0;
  std::vector<Histogram> histograms;  ///< of layers with their own maps

  /// An edge, and |F_h x_u - T_h F_h' x_v| [eq:coboundary] for the sheaf and the input of the last
  /// layer, over all channels and learned stalk dimensions.
  struct Edge {
    NodeId source = 0, target = 0;  ///< nodes of the dataset
    bool is_two_way = false;
    double disagreement = 0;
  };
  std::vector<Edge> edges;         ///< edges with the largest disagreement, in descending order
  double median_disagreement = 0;  ///< of all edges
};

/// Nothing if the model is not a sheaf network, or the graph has no edges.
DSNN_INTERNAL_API std::optional<LearnedSheaf> learned_sheaf(const Run& run, int split,
                                                            const Dataset& dataset,
                                                            std::size_t num_edges);

}  // namespace dsnn
