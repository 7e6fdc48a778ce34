#pragma once

#include "dsnn/graph/directed_graph.h"

#include "util/internal_api.h"

#include <span>
#include <vector>

namespace dsnn {

/// The largest number of sources for hop_distances().
inline constexpr NodeId kMaxHopSources = 64;
/// The distance to a node of another component.
inline constexpr NodeId kNoPath = -1;

/// Number of edges on a shortest path from each source to each node, ignoring directions and
/// weights: [n, sources]. Time: between that of one breadth-first search, where the searches
/// overlap, and that of all of them.
DSNN_INTERNAL_API std::vector<NodeId> hop_distances(const DirectedGraph& graph,
                                                    std::span<const NodeId> sources);

}  // namespace dsnn
