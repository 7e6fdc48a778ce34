#include "c/graphs.h"

#include "dsnn/util/error.h"

#include "c/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace dsnn::c {
namespace {

constexpr NodeId kMostNodes = std::numeric_limits<NodeId>::max();

/// The arcs without a copy, if they are pairs of 32-bit integers.
std::optional<std::span<const Arc>> arcs_in_place(const dsnn_array& sources,
                                                  const dsnn_array& targets) {
  const auto* begin = static_cast<const char*>(sources.data);
  const bool are_pairs = sources.type == DSNN_INT32 && targets.type == DSNN_INT32 &&
                         sources.stride == sizeof(Arc) && targets.stride == sizeof(Arc) &&
                         begin != nullptr && targets.data == begin + sizeof(NodeId) &&
                         reinterpret_cast<std::uintptr_t>(begin) % alignof(Arc) == 0;
  if (!are_pairs) return std::nullopt;
  return std::span(reinterpret_cast<const Arc*>(begin), static_cast<std::size_t>(sources.size));
}

std::vector<Arc> arcs_of(const dsnn_array& sources, const dsnn_array& targets) {
  // The graph checks negative nodes, as it does all others out of range.
  constexpr NodeId kLeast = std::numeric_limits<NodeId>::min();
  const std::vector<NodeId> from = small_whole_numbers(&sources, "sources", kLeast, kMostNodes - 1);
  const std::vector<NodeId> to = small_whole_numbers(&targets, "targets", kLeast, kMostNodes - 1);
  std::vector<Arc> arcs(from.size());
  for (std::size_t i = 0; i < arcs.size(); ++i) arcs[i] = {from[i], to[i]};
  return arcs;
}

DirectedGraph make_graph(std::int64_t num_nodes, const dsnn_array& sources,
                         const dsnn_array& targets, const dsnn_array* weights) {
  std::vector<double> weight_numbers;
  if (weights != nullptr) {
    weight_numbers = numbers(weights, "weights");
    if (weights->size != sources.size) {
      throw Error(fmt::format("weights: there are {}, expected {}, one for each arc", weights->size,
                              sources.size));
    }
  }
  std::vector<Arc> copies;
  std::optional<std::span<const Arc>> arcs = arcs_in_place(sources, targets);
  if (!arcs) {
    copies = arcs_of(sources, targets);
    arcs = copies;
  }
  if (num_nodes < 0) {
    num_nodes = 0;
    for (const Arc& arc : *arcs) {
      num_nodes = std::max({num_nodes, std::int64_t{arc.source} + 1, std::int64_t{arc.target} + 1});
    }
  }
  if (num_nodes > kMostNodes) {
    throw Error(fmt::format("num_nodes is {}, expected at most {}", num_nodes, kMostNodes));
  }
  return DirectedGraph::from_arcs(static_cast<NodeId>(num_nodes), *arcs, weight_numbers);
}

template <class T>
void copy_to(std::span<const T> from, T* to) {
  if (to != nullptr) std::copy(from.begin(), from.end(), to);
}

}  // namespace

GraphHandles& graphs() {
  static auto* const instance = new GraphHandles("graph");  // never destroyed
  return *instance;
}

MatrixHandles& matrices() {
  static auto* const instance = new MatrixHandles("matrix");
  return *instance;
}

dsnn_graph* new_graph(DirectedGraph graph) {
  return graphs().add(std::make_shared<const engine::Graph>(std::move(graph)));
}

}  // namespace dsnn::c

using namespace dsnn::c;

extern "C" {

dsnn_status dsnn_graph_create(int64_t num_nodes, const dsnn_array* sources,
                              const dsnn_array* targets, const dsnn_array* weights,
                              dsnn_graph** graph) {
  return guarded([&] {
    require(graph, "graph");
    check_array(sources, "sources");
    check_array(targets, "targets");
    if (sources->size != targets->size) {
      throw dsnn::Error(fmt::format("targets: there are {}, expected {}, as many as sources",
                                    targets->size, sources->size));
    }
    *graph = new_graph(make_graph(num_nodes, *sources, *targets, weights));
  });
}

dsnn_status dsnn_graph_close(dsnn_graph* graph) {
  return guarded([&] { graphs().close(graph); });
}

dsnn_status dsnn_graph_get_sizes(dsnn_graph* graph, dsnn_graph_sizes* sizes) {
  return guarded([&] {
    require(sizes, "sizes");
    const auto data = graphs().get(graph);
    const dsnn::DirectedGraph& g = data->directed();
    *sizes = {g.num_nodes(),           g.num_arcs(),           g.num_edges(),
              g.num_half_edges(),      g.dropped().self_loops, g.dropped().duplicates,
              g.dropped().zero_weight, g.is_weighted() ? 1 : 0};
  });
}

dsnn_status dsnn_graph_get_arcs(dsnn_graph* graph, int64_t num_arcs, int32_t* sources,
                                int32_t* targets, double* weights) {
  return guarded([&] {
    const auto data = graphs().get(graph);
    const dsnn::DirectedGraph& g = data->directed();
    check_room(num_arcs, g.num_arcs(), "arcs");
    if (num_arcs == 0) return;
    require(sources, "sources");
    require(targets, "targets");
    for (const dsnn::Arc& arc : g.arcs()) {
      *sources++ = arc.source;
      *targets++ = arc.target;
    }
    if (weights == nullptr) return;
    if (g.is_weighted()) {
      copy_to<double>(g.arc_weights(), weights);
    } else {
      std::fill_n(weights, num_arcs, 1.0);
    }
  });
}

dsnn_status dsnn_graph_get_half_edges(dsnn_graph* graph, int64_t num_nodes, int64_t num_half_edges,
                                      int64_t* offsets, int32_t* neighbours, int64_t* reverses,
                                      int8_t* orientations, double* weights) {
  return guarded([&] {
    const auto data = graphs().get(graph);
    const dsnn::DirectedGraph& g = data->directed();
    check_room(num_nodes, g.num_nodes(), "nodes");
    check_room(num_half_edges, g.num_half_edges(), "half-edges");
    copy_to(g.row_offsets(), offsets);
    copy_to(g.neighbours(), neighbours);
    copy_to(g.orientations(), orientations);
    for (dsnn::HalfEdgeId h = 0; h < g.num_half_edges(); ++h) {
      if (reverses != nullptr) reverses[h] = g.reverse(h);
      if (weights != nullptr) weights[h] = g.arc_weight(h);
    }
  });
}

dsnn_status dsnn_graph_reversed(dsnn_graph* graph, dsnn_graph** reversed) {
  return guarded([&] {
    require(reversed, "reversed");
    *reversed = new_graph(graphs().get(graph)->directed().reversed());
  });
}

dsnn_status dsnn_graph_symmetrised(dsnn_graph* graph, dsnn_graph** symmetrised) {
  return guarded([&] {
    require(symmetrised, "symmetrised");
    *symmetrised = new_graph(graphs().get(graph)->directed().symmetrised());
  });
}

dsnn_status dsnn_matrix_create(int64_t num_columns, const dsnn_array* row_offsets,
                               const dsnn_array* columns, const dsnn_array* values,
                               dsnn_matrix** matrix) {
  return guarded([&] {
    require(matrix, "matrix");
    if (num_columns < 0 || num_columns > kMostNodes) {
      throw dsnn::Error(
          fmt::format("num_columns is {}, expected 0 to {}", num_columns, kMostNodes));
    }
    std::vector<double> value_numbers;
    if (values != nullptr) value_numbers = numbers(values, "values");
    *matrix = matrices().add(std::make_shared<const dsnn::engine::SparseMatrix>(
        whole_numbers(row_offsets, "row_offsets"),
        small_whole_numbers(columns, "columns", std::numeric_limits<std::int32_t>::min(),
                            kMostNodes),
        std::move(value_numbers), num_columns));
  });
}

dsnn_status dsnn_matrix_close(dsnn_matrix* matrix) {
  return guarded([&] { matrices().close(matrix); });
}

}  // extern "C"
