#pragma once

#include "dsnn/data/features.h"
#include "dsnn/graph/directed_graph.h"

#include "util/internal_api.h"

#include <vector>

// The same with nodes in another order: node i of the result is node order[i], and `order` has each
// node once.
namespace dsnn {

DSNN_INTERNAL_API DirectedGraph reordered(const DirectedGraph& graph,
                                          const std::vector<NodeId>& order);
/// The list may also be of some of the rows.
DSNN_INTERNAL_API Features reordered(const Features& features, const std::vector<NodeId>& order);

}  // namespace dsnn
