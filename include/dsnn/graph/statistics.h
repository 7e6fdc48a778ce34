#pragma once

#include "dsnn/export.h"
#include "dsnn/graph/directed_graph.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dsnn {

/// Share of the arcs whose opposite arc also exists; NaN without arcs.
DSNN_API double reciprocity(const DirectedGraph& graph);
/// Number of edges with an arc in both directions.
DSNN_API HalfEdgeId num_two_way_edges(const DirectedGraph& graph);

/// Minimum, maximum and mean over the nodes; all 0 without nodes.
struct DegreeSummary {
  NodeId min = 0, max = 0;
  double mean = 0;
};
struct DegreeStatistics {
  DegreeSummary total, out, in;  ///< edges at a node; arcs that leave; arcs that enter
  NodeId num_isolated = 0;
};
DSNN_API DegreeStatistics degree_statistics(const DirectedGraph& graph);

struct ComponentStatistics {
  NodeId count = 0;
  NodeId largest = 0;  ///< nodes of the largest component
};
/// Connected components, ignoring directions.
DSNN_API ComponentStatistics weak_components(const DirectedGraph& graph);
/// Strongly connected components: sets of nodes that reach each other along arcs.
DSNN_API ComponentStatistics strong_components(const DirectedGraph& graph);

/// How often neighbours share a label. Edges count once, regardless of direction and weight; edges
/// with an unknown (negative) label at an endpoint are ignored. NaN if the definition divides by 0.
struct Homophily {
  /// Share of the edges whose endpoints have the same label.
  double edge;
  /// Mean, over the nodes with an edge, of the share of their neighbours with their own label.
  double node;
  /// Lim et al. 2021: (1 / (C-1)) sum_k max(0, h_k - |C_k| / n), with h_k the share of same-label
  /// neighbours among all neighbours of class k.
  double class_insensitive;
  /// Platonov et al. 2023: (edge - s) / (1 - s) with s = sum_k (D_k / 2m)^2, D_k the degrees of
  /// class k.
  double adjusted;
  /// Platonov et al. 2023, LI: the information of a neighbour's label about the label of a node,
  /// I(y,z) / H(y), for the labels y, z of the endpoints of a random half-edge.
  double label_informativeness;
};
/// `labels` has one entry per node, 0 .. num_classes-1 or negative. Throws Error above
/// kMaxHomophilyClasses: the table of label pairs is quadratic in the number of classes.
inline constexpr std::int64_t kMaxHomophilyClasses = 4096;
DSNN_API Homophily homophily(const DirectedGraph& graph, std::span<const std::int64_t> labels,
                             std::int64_t num_classes);

}  // namespace dsnn
