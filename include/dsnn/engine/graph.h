#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"

#include <memory>
#include <vector>

namespace dsnn::engine {

/// A graph for operators. Copies are cheap and share one graph, which lives as long as a result
/// needs it for its gradient.
class DSNN_API Graph {
 public:
  explicit Graph(DirectedGraph graph);

  const DirectedGraph& directed() const { return data_->graph; }
  /// Factors of the maps due to the graph's weights, [2m], or empty without weights: sqrt|w_e|, and
  /// -sqrt|w_e| for the half-edge of the larger endpoint if w_e < 0. Thus F_h* F_h' gets the sign
  /// of w_e, which [eq:edge-weight] puts into the phase, and F_h* F_h does not.
  const std::vector<double>& map_scales() const { return data_->map_scales; }

 private:
  struct Data {
    DirectedGraph graph;
    std::vector<double> map_scales;
  };
  std::shared_ptr<const Data> data_;
};

}  // namespace dsnn::engine
