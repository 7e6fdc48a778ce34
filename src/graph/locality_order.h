#pragma once

#include "dsnn/graph/directed_graph.h"

#include "util/internal_api.h"

#include <vector>

namespace dsnn {

/// All nodes, neighbours near each other (Cuthill and McKee): sums over neighbours then
/// find most of what they read in the cache. Depends on the graph alone. Time O(m log(largest
/// degree)).
DSNN_INTERNAL_API std::vector<NodeId> locality_order(const DirectedGraph& graph);

}  // namespace dsnn
