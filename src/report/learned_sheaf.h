#pragma once

#include "dsnn/train/run.h"

#include "util/internal_api.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dsnn {

/// What a sheaf network learned of a graph.
struct LearnedSheaf {
  int split = 0;                 ///< whose model it is
  std::optional<double> charge;  ///< nothing for a model without a phase

  /// How often the entries of a layer's maps, real and imaginary parts, fall into bins of equal
  /// width from `from` to `to`, which are the same for all layers.
  struct Histogram {
    int layer = 0;  ///< from 1
    std::vector<std::int64_t> counts;
  };
  double from = 0, to = 0;
  std::vector<Histogram> histograms;  ///< of layers with maps of their own

  /// An edge, and |F_h x_u - T_h F_h' x_v| [eq:coboundary] of the last layer's sheaf and what goes
  /// into that layer, over all channels and learned stalk dimensions.
  struct Edge {
    NodeId source = 0, target = 0;  ///< nodes of the dataset
    bool is_two_way = false;
    double disagreement = 0;
  };
  std::vector<Edge> edges;         ///< those that disagree most, the first most
  double median_disagreement = 0;  ///< of all edges
};

/// Nothing for a model that is no sheaf network, or a graph without edges.
DSNN_INTERNAL_API std::optional<LearnedSheaf> learned_sheaf(const Run& run, int split,
                                                            const Dataset& dataset,
                                                            std::size_t num_edges);

}  // namespace dsnn
