#include "dsnn/engine/graph.h"

#include "util/index.h"

#include <cmath>
#include <utility>

namespace dsnn::engine {
namespace {

std::vector<double> map_scales_of(const DirectedGraph& graph) {
  if (!graph.is_weighted()) return {};
  std::vector<double> scales(at(graph.num_half_edges()));
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      const double weight = graph.edge_weight(h);
      const bool is_larger_end = u > graph.neighbour(h);
      scales[at(h)] = std::copysign(std::sqrt(std::abs(weight)), is_larger_end ? weight : 1.0);
    }
  }
  return scales;
}

}  // namespace

Graph::Graph(DirectedGraph graph) {
  std::vector<double> scales = map_scales_of(graph);
  data_ = std::make_shared<const Data>(Data{std::move(graph), std::move(scales)});
}

}  // namespace dsnn::engine
