#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"

#include <string>
#include <vector>

namespace dsnn {

/// Scores of a pair u -> v from its neighbourhood, without learning.
enum class LinkHeuristic {
  kCommonNeighbours,       ///< number of w with u -> w -> v
  kAdamicAdar,             ///< the sum of 1 / log(degree of w) over them
  kPreferentialAttachment  ///< out-degree of u times in-degree of v
};
/// All of them with their names.
struct NamedHeuristic {
  LinkHeuristic kind;
  std::string name;
};
DSNN_API const std::vector<NamedHeuristic>& link_heuristics();

/// Time O(degree of u + degree of v).
DSNN_API double heuristic_score(const DirectedGraph& graph, LinkHeuristic heuristic, Arc pair);

}  // namespace dsnn
