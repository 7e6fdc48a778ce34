#pragma once

#include "dsnn/graph/directed_graph.h"

#include "util/internal_api.h"

#include <vector>

namespace dsnn {

/// All nodes, ordered such that neighbours are near each other (Cuthill and McKee): sums over
/// neighbours then read mostly from the cache. Depends only on the graph. Time O(m log(largest
/// degree)).
DSNN_INTERNAL_API std::vector<NodeId> locality_order(const DirectedGraph& graph);

}  // namespace dsnn
