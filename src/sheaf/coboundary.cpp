#include "dsnn/sheaf/coboundary.h"

#include "dsnn/util/error.h"

#include "sheaf/stalk.h"
#include "util/index.h"

#include <fmt/format.h>

namespace dsnn {
namespace {

/// Calls visit(e, h, u, v) for every edge with its half-edge h = (u,v).
template <class Visit>
void for_each_edge(const DirectedGraph& graph, Visit visit) {
  const std::vector<HalfEdgeId> edges = graph.edge_list();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const HalfEdgeId h = edges[e];
    visit(static_cast<std::int64_t>(e), h, graph.neighbour(graph.reverse(h)), graph.neighbour(h));
  }
}

void check_length(const char* what, std::size_t got, std::int64_t expected) {
  if (got != at(expected)) {
    throw Error(fmt::format("coboundary: {} has {} elements, expected {}", what, got, expected));
  }
}

}  // namespace

// [eq:coboundary] delta_eu = F_h, delta_ev = -T_h F_h'
BlockSparseMatrix coboundary(const Sheaf& sheaf) {
  const DirectedGraph& graph = sheaf.graph();
  const int d = sheaf.stalk_dim();
  BlockSparseMatrix delta;
  delta.block_dim = d;
  delta.num_block_cols = graph.num_nodes();
  delta.cols.resize(at(graph.num_half_edges()));
  delta.values.resize(at(graph.num_half_edges() * d * d));
  for_each_edge(graph, [&](std::int64_t e, HalfEdgeId h, NodeId u, NodeId v) {
    const std::int64_t tail = 2 * e + (u < v ? 0 : 1);  // blocks of a row are ordered by column
    const std::int64_t head = 2 * e + (u < v ? 1 : 0);
    delta.cols[at(tail)] = u;
    delta.cols[at(head)] = v;
    const MapView near = sheaf.map(h);
    const MapView far = sheaf.map(graph.reverse(h));
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) {
        delta.block(tail)[at(i * d + j)] = near(i, j);
        delta.block(head)[at(i * d + j)] = -sheaf.phase(h) * far(i, j);
      }
    }
    delta.row_offsets.push_back(2 * e + 2);
  });
  return delta;
}

std::vector<Complex> apply_coboundary(const Sheaf& sheaf, std::span<const Complex> x,
                                      std::int64_t channels) {
  const DirectedGraph& graph = sheaf.graph();
  const std::int64_t stalk = sheaf.stalk_dim() * channels;
  check_length("x", x.size(), graph.num_nodes() * stalk);
  std::vector<Complex> y(at(graph.num_edges() * stalk), Complex(0));
  for_each_edge(graph, [&](std::int64_t e, HalfEdgeId h, NodeId u, NodeId v) {
    Complex* y_e = y.data() + e * stalk;
    // y_e = F_h x_u - T_h F_h' x_v
    add_map_times(1, sheaf.map(h), x.data() + u * stalk, channels, y_e);
    add_map_times(-sheaf.phase(h), sheaf.map(graph.reverse(h)), x.data() + v * stalk, channels,
                  y_e);
  });
  return y;
}

std::vector<Complex> apply_coboundary_adjoint(const Sheaf& sheaf, std::span<const Complex> y,
                                              std::int64_t channels) {
  const DirectedGraph& graph = sheaf.graph();
  const std::int64_t stalk = sheaf.stalk_dim() * channels;
  check_length("y", y.size(), graph.num_edges() * stalk);
  std::vector<Complex> x(at(graph.num_nodes() * stalk), Complex(0));
  for_each_edge(graph, [&](std::int64_t e, HalfEdgeId h, NodeId u, NodeId v) {
    const Complex* y_e = y.data() + e * stalk;
    // x_u += F_h* y_e,  x_v -= conj(T_h) F_h'* y_e
    add_adjoint_times(1, sheaf.map(h), y_e, channels, x.data() + u * stalk);
    add_adjoint_times(-std::conj(sheaf.phase(h)), sheaf.map(graph.reverse(h)), y_e, channels,
                      x.data() + v * stalk);
  });
  return x;
}

}  // namespace dsnn
