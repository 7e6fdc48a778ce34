#pragma once

#include "dsnn/graph/directed_graph.h"

#include "util/internal_api.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dsnn {

/// Two nodes, u < v.
struct NodePair {
  NodeId u;
  NodeId v;
  bool operator==(const NodePair&) const = default;
};

/// The `count` pairs of points with the least distance, those of equal distance by (u, v); all
/// pairs if there are no more. `positions` are n points of the plane [n, 2]. Ordered by (u, v).
///
/// Throws Error for a position that is not finite. Memory O(n + count), also where many points
/// coincide; time about (n + count) log(n).
DSNN_INTERNAL_API std::vector<NodePair> closest_pairs(std::span<const double> positions,
                                                      std::int64_t count);

}  // namespace dsnn
