#include "dsnn/graph/directed_graph.h"

#include "dsnn/util/error.h"

#include "graph/half_edge_builder.h"

#include <fmt/format.h>

#include <utility>

namespace dsnn {

DirectedGraph DirectedGraph::from_arcs(NodeId num_nodes, std::span<const Arc> arcs,
                                       std::span<const double> weights) {
  if (num_nodes < 0) {
    throw Error(fmt::format("graph: the number of nodes is {}, expected 0 or more", num_nodes));
  }
  if (!weights.empty() && weights.size() != arcs.size()) {
    throw Error(fmt::format("graph: {} weights for {} arcs, expected one per arc", weights.size(),
                            arcs.size()));
  }
  const auto num_arcs = static_cast<std::int64_t>(arcs.size());
  auto arc_at = [arcs](std::int64_t i) { return arcs[static_cast<std::size_t>(i)]; };
  auto weight_at = [weights](std::int64_t i) { return weights[static_cast<std::size_t>(i)]; };
  detail::HalfEdges half_edges =
      weights.empty() ? detail::HalfEdgeBuilder(num_nodes, num_arcs, arc_at, nullptr).build()
                      : detail::HalfEdgeBuilder(num_nodes, num_arcs, arc_at, weight_at).build();

  DirectedGraph graph;
  graph.row_offsets_ = std::move(half_edges.row_offsets);
  graph.neighbours_ = std::move(half_edges.neighbours);
  graph.reverse_ranks_ = std::move(half_edges.reverse_ranks);
  graph.orientations_ = std::move(half_edges.orientations);
  graph.arc_weights_ = std::move(half_edges.arc_weights);
  graph.num_arcs_ = half_edges.num_arcs;
  graph.dropped_ = half_edges.dropped;
  return graph;
}

NodeId DirectedGraph::out_degree(NodeId u) const {
  NodeId count = 0;
  for (HalfEdgeId h = row_begin(u); h < row_end(u); ++h) count += has_arc(h) ? 1 : 0;
  return count;
}

NodeId DirectedGraph::in_degree(NodeId u) const {
  NodeId count = 0;
  for (HalfEdgeId h = row_begin(u); h < row_end(u); ++h) count += has_arc(reverse(h)) ? 1 : 0;
  return count;
}

double DirectedGraph::edge_weight(HalfEdgeId h) const {
  if (!is_weighted()) return 1;
  const double there = arc_weight(h);
  const double back = arc_weight(reverse(h));
  // A missing arc has weight 0, so the sum of both is that of the existing arcs.
  return there != 0 && back != 0 ? there / 2 + back / 2 : there + back;
}

std::vector<NodeId> DirectedGraph::owners() const {
  std::vector<NodeId> result(neighbours_.size());
  for (NodeId u = 0; u < num_nodes(); ++u) {
    for (HalfEdgeId h = row_begin(u); h < row_end(u); ++h) result[index(h)] = u;
  }
  return result;
}

std::vector<HalfEdgeId> DirectedGraph::edge_list() const {
  std::vector<HalfEdgeId> result;
  result.reserve(index(num_edges()));
  for (NodeId u = 0; u < num_nodes(); ++u) {
    for (HalfEdgeId h = row_begin(u); h < row_end(u); ++h) {
      if (u < neighbour(h)) result.push_back(orientation(h) >= 0 ? h : reverse(h));
    }
  }
  return result;
}

std::vector<Arc> DirectedGraph::arcs() const {
  std::vector<Arc> result;
  result.reserve(index(num_arcs()));
  for (NodeId u = 0; u < num_nodes(); ++u) {
    for (HalfEdgeId h = row_begin(u); h < row_end(u); ++h) {
      if (has_arc(h)) result.push_back({u, neighbour(h)});
    }
  }
  return result;
}

std::vector<double> DirectedGraph::arc_weights() const {
  std::vector<double> result;
  if (!is_weighted()) return result;
  result.reserve(index(num_arcs()));
  for (const double weight : arc_weights_) {
    if (weight != 0) result.push_back(weight);
  }
  return result;
}

DirectedGraph DirectedGraph::reversed() const {
  std::vector<Arc> turned = arcs();
  for (Arc& arc : turned) std::swap(arc.source, arc.target);
  return from_arcs(num_nodes(), turned, arc_weights());
}

DirectedGraph DirectedGraph::symmetrised() const {
  std::vector<Arc> both;
  std::vector<double> weights;
  both.reserve(neighbours_.size());
  for (NodeId u = 0; u < num_nodes(); ++u) {
    for (HalfEdgeId h = row_begin(u); h < row_end(u); ++h) {
      both.push_back({u, neighbour(h)});
      if (is_weighted()) weights.push_back(edge_weight(h));
    }
  }
  return from_arcs(num_nodes(), both, weights);
}

}  // namespace dsnn
