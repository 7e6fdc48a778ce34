#include "dsnn/nn/adjacency.h"

#include "dsnn/graph/directed_graph.h"
#include "dsnn/util/error.h"

#include "nn/sparse_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace dsnn::nn {
namespace {

/// A_uv for h = (u,v), 0 if v is not such a neighbour.
double entry(const DirectedGraph& graph, HalfEdgeId h, Neighbours neighbours) {
  switch (neighbours) {
    case Neighbours::kAll:
      return std::abs(graph.edge_weight(h));
    case Neighbours::kOut:
      return std::abs(graph.arc_weight(h));
    case Neighbours::kIn:
      return std::abs(graph.arc_weight(graph.reverse(h)));
  }
  return 0;
}

/// Whether h = (u,v) makes v such a neighbour of u.
bool is_joined(const DirectedGraph& graph, HalfEdgeId h, Neighbours neighbours) {
  switch (neighbours) {
    case Neighbours::kAll:
      return true;
    case Neighbours::kOut:
      return graph.has_arc(h);
    case Neighbours::kIn:
      return graph.has_arc(graph.reverse(h));
  }
  return false;
}

engine::SparseMatrix make_adjacency(const Input& input, const AdjacencyOptions& options) {
  const DirectedGraph& graph = input.graph().directed();
  SparseRows rows;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    if (options.self_loops) rows.add(u, 1);
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      // Without scaling only the pattern matters, including arcs whose weights cancel.
      const double value = entry(graph, h, options.neighbours);
      const bool is_pair =
          options.scaling == Scaling::kNone && is_joined(graph, h, options.neighbours);
      if (value != 0 || is_pair) rows.add(graph.neighbour(h), value);
    }
    rows.end_row();
  }
  return scaled(std::move(rows), options.scaling,
                [&](std::vector<double>& sums) { input.complete(sums); });
}

engine::SparseMatrix make_k_hop(const DirectedGraph& graph, int hops, Scaling scaling) {
  const std::size_t most = most_sparse_entries();
  SparseRows rows;
  std::vector<NodeId> reached_from(static_cast<std::size_t>(graph.num_nodes()), -1);
  std::vector<NodeId> ring, next;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    ring = {u};
    reached_from[static_cast<std::size_t>(u)] = u;
    for (int hop = 0; hop < hops; ++hop) {
      next.clear();
      for (const NodeId v : ring) {
        for (HalfEdgeId h = graph.row_begin(v); h < graph.row_end(v); ++h) {
          NodeId& mark = reached_from[static_cast<std::size_t>(graph.neighbour(h))];
          if (mark != u) next.push_back(graph.neighbour(h));
          mark = u;
        }
      }
      std::swap(ring, next);
    }
    if (rows.cols.size() + ring.size() > most) {
      throw Error(
          fmt::format("this graph has more than {} pairs of nodes {} edges apart, over which "
                      "the model sums; more do not fit into memory",
                      most, hops));
    }
    std::ranges::sort(ring);
    for (const NodeId v : ring) rows.add(v, 1);
    rows.end_row();
  }
  return scaled(std::move(rows), scaling);
}

}  // namespace

const engine::SparseMatrix& adjacency(const Input& input, const AdjacencyOptions& options) {
  const std::string key = fmt::format("adjacency {} {} {}", static_cast<int>(options.neighbours),
                                      options.self_loops, static_cast<int>(options.scaling));
  return input.memo<engine::SparseMatrix>(key, [&] { return make_adjacency(input, options); });
}

std::vector<double> entry_values(const engine::SparseMatrix& matrix) {
  if (!matrix.values().empty()) return matrix.values();
  return std::vector<double>(static_cast<std::size_t>(matrix.num_entries()), 1);
}

Parameter directed_parameter() {
  return {"directed", false, "Aggregate over in-neighbours only, instead of all neighbours"};
}

const engine::SparseMatrix& k_hop_adjacency(const Input& input, int hops, Scaling scaling) {
  return input.memo<engine::SparseMatrix>(
      fmt::format("hops {} {}", hops, static_cast<int>(scaling)),
      [&] { return make_k_hop(input.graph().directed(), hops, scaling); });
}

}  // namespace dsnn::nn
