#include "dsnn/data/link_heuristics.h"

#include <cmath>

namespace dsnn {
namespace {

/// Calls visit(w) for all w with u -> w -> v: both rows are sorted.
template <class Visit>
void for_paths(const DirectedGraph& graph, Arc pair, const Visit& visit) {
  HalfEdgeId a = graph.row_begin(pair.source), b = graph.row_begin(pair.target);
  while (a < graph.row_end(pair.source) && b < graph.row_end(pair.target)) {
    const NodeId of_source = graph.neighbour(a), of_target = graph.neighbour(b);
    if (of_source == of_target && graph.has_arc(a) && graph.has_arc(graph.reverse(b))) {
      visit(of_source);
    }
    if (of_source <= of_target) ++a;
    if (of_target <= of_source) ++b;
  }
}

}  // namespace

const std::vector<NamedHeuristic>& link_heuristics() {
  static const std::vector<NamedHeuristic> all = {
      {LinkHeuristic::kCommonNeighbours, "common neighbours"},
      {LinkHeuristic::kAdamicAdar, "Adamic-Adar"},
      {LinkHeuristic::kPreferentialAttachment, "preferential attachment"}};
  return all;
}

double heuristic_score(const DirectedGraph& graph, LinkHeuristic heuristic, Arc pair) {
  if (heuristic == LinkHeuristic::kPreferentialAttachment) {
    return static_cast<double>(graph.out_degree(pair.source)) *
           static_cast<double>(graph.in_degree(pair.target));
  }
  double score = 0;
  for_paths(graph, pair, [&](NodeId w) {
    // w is joined to both, so its degree is at least 2.
    score += heuristic == LinkHeuristic::kCommonNeighbours
                 ? 1
                 : 1 / std::log(static_cast<double>(graph.degree(w)));
  });
  return score;
}

}  // namespace dsnn
