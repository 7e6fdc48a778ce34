#pragma once

#include "dsnn/graph/directed_graph.h"

#include "util/internal_api.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dsnn {

/// The nodes as points of the plane, such that neighbours in the graph are near in the plane, for
/// the aggregation of Geom-GCN (Pei et al., 2020).
struct LatentSpace {
  std::vector<double> positions;  ///< [n, 2]
  std::vector<NodeId> landmarks;  ///< ascending; all nodes if there are few

  NodeId num_nodes() const { return static_cast<NodeId>(positions.size() / 2); }
  double x(NodeId u) const { return positions[2 * static_cast<std::size_t>(u)]; }
  double y(NodeId u) const { return positions[2 * static_cast<std::size_t>(u) + 1]; }
};

struct IsomapOptions {
  NodeId num_landmarks = 500;  ///< 3 or more; graphs with no more nodes are embedded exactly
  std::uint64_t seed = 0;      ///< for the choice of landmarks
};

/// Landmark Isomap [eq:isomap] on hop distances, ignoring directions and weights. Nodes of
/// different components are one hop further apart than the two most distant connected nodes.
///
/// An unneeded axis (the second one of a path) is 0. The sign of an axis is such that the first of
/// its outermost landmarks is on the positive side. If the two largest eigenvalues are equal (a
/// cycle), the axes are arbitrary orthogonal ones. Positions are rounded to 2^-30 of the largest
/// coordinate: nodes that coincide but for rounding errors do coincide.
///
/// Deterministic. Time O(L (n + m) + L^3) for L landmarks, less where searches overlap; memory 300
/// bytes per node.
DSNN_INTERNAL_API LatentSpace isomap(const DirectedGraph& graph, const IsomapOptions& options = {});

/// Neighbour lists as compressed sparse rows.
struct NeighbourLists {
  std::vector<std::int64_t> row_offsets;  ///< [n + 1]
  std::vector<NodeId> neighbours;         ///< ascending in each row
};

/// N_s [eq:latent-neighbourhood]: the ends of the `num_pairs` closest pairs of nodes, with
/// num_pairs = m for neighbourhoods of the same mean size as the graph's. Symmetric.
DSNN_INTERNAL_API NeighbourLists latent_neighbourhood(const LatentSpace& space,
                                                      std::int64_t num_pairs);

/// The position of a node relative to another.
enum class Quadrant : std::uint8_t { kUpperLeft, kUpperRight, kLowerLeft, kLowerRight };

/// tau(z_u, z_v) [eq:latent-relation]: the position of v relative to u. Exactly above counts as
/// right, exactly to either side as upper, and an equal position as upper right.
inline Quadrant quadrant(const LatentSpace& space, NodeId u, NodeId v) {
  const bool is_left = space.x(v) < space.x(u);
  const bool is_lower = space.y(v) < space.y(u);
  if (is_lower) return is_left ? Quadrant::kLowerLeft : Quadrant::kLowerRight;
  return is_left ? Quadrant::kUpperLeft : Quadrant::kUpperRight;
}

}  // namespace dsnn
