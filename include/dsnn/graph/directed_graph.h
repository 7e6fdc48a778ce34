#pragma once

#include "dsnn/export.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dsnn {

using NodeId = std::int32_t;      ///< 0 .. n-1, n < 2^31
using HalfEdgeId = std::int64_t;  ///< 0 .. 2m-1; graphs may have more than 2^31 half-edges

/// An arc `source -> target`.
struct Arc {
  NodeId source;
  NodeId target;
};

/// Arcs dropped while building a graph.
struct DroppedArcs {
  std::int64_t self_loops = 0;
  std::int64_t duplicates = 0;   ///< merged into another arc
  std::int64_t zero_weight = 0;  ///< with a weight, or sum of weights, of 0
};

/// A directed graph, stored as its half-edges [eq:half-edge].
///
/// An unordered pair {u,v} joined by at least one arc is an *edge*. It has two *half-edges*: h =
/// (u,v), owned by u, and its reverse h' = (v,u), owned by v. Half-edges are numbered by (owner,
/// neighbour), so those of a node are consecutive: compressed sparse rows. This is the order of
/// every per-half-edge array of the library.
///
/// Memory: 9 bytes per half-edge and 8 per node, and 8 more per half-edge with weights.
class DSNN_API DirectedGraph {
 public:
  /// No nodes, no arcs.
  DirectedGraph() = default;

  /// Builds the graph on nodes 0 .. num_nodes-1. Self-loops are dropped and duplicate arcs merged;
  /// their weights are summed. `weights` is empty (every arc has weight 1, also if duplicated) or
  /// has one finite value, of either sign, per arc. An arc with a total weight of 0 is dropped:
  /// A_uv = 0.
  ///
  /// Throws Error for a node out of range, a weight that is not finite, or different lengths. Time
  /// O(n + m log(largest degree)); the arcs are read twice and not copied.
  static DirectedGraph from_arcs(NodeId num_nodes, std::span<const Arc> arcs,
                                 std::span<const double> weights = {});

  // --- sizes ---
  NodeId num_nodes() const { return static_cast<NodeId>(row_offsets_.size() - 1); }
  HalfEdgeId num_half_edges() const { return static_cast<HalfEdgeId>(neighbours_.size()); }
  HalfEdgeId num_edges() const { return num_half_edges() / 2; }
  HalfEdgeId num_arcs() const { return num_arcs_; }
  const DroppedArcs& dropped() const { return dropped_; }
  bool is_weighted() const { return !arc_weights_.empty(); }

  // --- the half-edges of a node ---
  HalfEdgeId row_begin(NodeId u) const { return row_offsets_[index(u)]; }
  HalfEdgeId row_end(NodeId u) const { return row_offsets_[index(u) + 1]; }
  /// Number of edges at u, regardless of direction.
  NodeId degree(NodeId u) const { return static_cast<NodeId>(row_end(u) - row_begin(u)); }
  /// Number of arcs u -> v, and of arcs v -> u.
  NodeId out_degree(NodeId u) const;
  NodeId in_degree(NodeId u) const;

  // --- one half-edge h = (u,v) ---
  NodeId neighbour(HalfEdgeId h) const { return neighbours_[index(h)]; }
  /// The reverse half-edge h' = (v,u).
  HalfEdgeId reverse(HalfEdgeId h) const {
    return row_begin(neighbour(h)) + static_cast<HalfEdgeId>(reverse_ranks_[index(h)]);
  }
  /// s_h [eq:orientation]: +1 if only u -> v exists, -1 if only v -> u, 0 if both; for a two-way
  /// edge with weights sgn(|A_uv| - |A_vu|). Always s_h' = -s_h.
  int orientation(HalfEdgeId h) const { return orientations_[index(h)]; }
  /// Whether the arc u -> v exists.
  bool has_arc(HalfEdgeId h) const {
    return is_weighted() ? arc_weights_[index(h)] != 0 : orientation(h) >= 0;
  }
  /// A_uv: the weight of the arc u -> v, 1 without weights, 0 if the arc does not exist.
  double arc_weight(HalfEdgeId h) const {
    return is_weighted() ? arc_weights_[index(h)] : (has_arc(h) ? 1.0 : 0.0);
  }
  /// w_e [eq:edge-weight]: the mean of the weights of the existing arcs; the same for h and h'.
  double edge_weight(HalfEdgeId h) const;

  // --- whole arrays ---
  std::span<const HalfEdgeId> row_offsets() const { return row_offsets_; }  ///< [n + 1]
  std::span<const NodeId> neighbours() const { return neighbours_; }        ///< [2m]
  /// Position of each half-edge's reverse within the row of the neighbour [2m].
  std::span<const NodeId> reverse_ranks() const { return reverse_ranks_; }
  std::span<const std::int8_t> orientations() const { return orientations_; }  ///< [2m]
  /// Owner of each half-edge [2m]; computed.
  std::vector<NodeId> owners() const;
  /// One half-edge per edge [m], edges ordered by (smaller, larger) endpoint: the half-edge of the
  /// tail if the orientation is not 0, else that of the smaller endpoint. This is the orientation
  /// of the coboundary [eq:coboundary]. Computed.
  std::vector<HalfEdgeId> edge_list() const;
  /// The arcs, ordered by (source, target), and their weights if there are any. Computed.
  std::vector<Arc> arcs() const;
  std::vector<double> arc_weights() const;

  // --- other graphs ---
  /// The graph with every arc reversed.
  DirectedGraph reversed() const;
  /// The undirected version: both arcs for every edge, with the weight of the edge.
  DirectedGraph symmetrised() const;

 private:
  static std::size_t index(HalfEdgeId i) { return static_cast<std::size_t>(i); }

  std::vector<HalfEdgeId> row_offsets_ = {0};  // [n + 1]
  std::vector<NodeId> neighbours_;             // [2m]
  // Position of h' within the row of its owner. A position is below n < 2^31, so four bytes are
  // enough, while the index of the half-edge would need eight.
  std::vector<NodeId> reverse_ranks_;      // [2m]
  std::vector<std::int8_t> orientations_;  // [2m]
  std::vector<double> arc_weights_;        // [2m] or empty
  HalfEdgeId num_arcs_ = 0;
  DroppedArcs dropped_;
};

}  // namespace dsnn
