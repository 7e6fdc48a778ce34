#include "dsnn/parts/partition.h"

#include "dsnn/util/error.h"

#include "data/reorder.h"
#include "graph/locality_order.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsnn {
namespace {

NodeId node_at(const std::vector<NodeId>& order, std::int64_t place) {
  return order.empty() ? static_cast<NodeId>(place) : order[at(place)];
}

/// The nodes of a part by their places: its own and their neighbours.
std::vector<std::int64_t> places_of(const DirectedGraph& graph, const std::vector<NodeId>& order,
                                    const Partition& partition, int part) {
  std::vector<bool> is_in(partition.size(), false);
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    if (partition[at(u)] != part) continue;
    is_in[at(u)] = true;
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      is_in[at(graph.neighbour(h))] = true;
    }
  }
  std::vector<std::int64_t> places;
  for (std::int64_t place = 0; place < graph.num_nodes(); ++place) {
    if (is_in[at(node_at(order, place))]) places.push_back(place);
  }
  return places;
}

/// All arcs with an end that the part owns.
DirectedGraph graph_of(const DirectedGraph& graph, const Part& part, int number) {
  std::vector<NodeId> local(at(graph.num_nodes()), -1);
  for (std::size_t i = 0; i < part.numbers.size(); ++i) {
    local[at(part.numbers[i])] = static_cast<NodeId>(i);
  }
  std::vector<Arc> arcs;
  std::vector<double> weights;
  const auto add = [&](HalfEdgeId h, NodeId from, NodeId to) {
    if (!graph.has_arc(h)) return;
    arcs.push_back({from, to});
    if (graph.is_weighted()) weights.push_back(graph.arc_weight(h));
  };
  for (std::size_t i = 0; i < part.numbers.size(); ++i) {
    if (part.nodes.owners[i] != number) continue;
    const auto u = static_cast<NodeId>(part.numbers[i]);
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      const NodeId v = local[at(graph.neighbour(h))];
      add(h, static_cast<NodeId>(i), v);
      // The arc back is that of v, unless v is a ghost.
      if (part.nodes.owners[at(v)] != number) add(graph.reverse(h), v, static_cast<NodeId>(i));
    }
  }
  return DirectedGraph::from_arcs(static_cast<NodeId>(part.numbers.size()), arcs, weights);
}

std::vector<std::uint8_t> own_mask(const std::vector<std::uint8_t>& mask, const Part& part,
                                   int number) {
  std::vector<std::uint8_t> own(part.numbers.size(), 0);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (part.nodes.owners[i] == number) own[i] = mask[at(part.numbers[i])];
  }
  return own;
}

}  // namespace

std::vector<NodeId> input_order(const DirectedGraph& graph) {
  // Fewer nodes fit into the cache in any order.
  constexpr NodeId kManyNodes = 10'000;
  return graph.num_nodes() < kManyNodes ? std::vector<NodeId>() : locality_order(graph);
}

Partition partition_blocks(const DirectedGraph& graph, const std::vector<NodeId>& order,
                           int num_parts) {
  const NodeId n = graph.num_nodes();
  const std::int64_t work = graph.num_half_edges() + n;
  Partition partition(at(n));
  std::int64_t before = 0;
  for (NodeId place = 0; place < n; ++place) {
    const NodeId u = node_at(order, place);
    partition[at(u)] = static_cast<std::int32_t>(std::min<std::int64_t>(
        before * num_parts / std::max<std::int64_t>(work, 1), num_parts - 1));
    before += graph.degree(u) + 1;
  }
  return partition;
}

PartitionCost cost_of(const DirectedGraph& graph, const Partition& partition, int num_parts) {
  PartitionCost cost;
  std::vector<std::int64_t> half_edges(at(num_parts), 0);
  std::vector<NodeId> seen_by(at(num_parts), -1);
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    const std::int32_t own = partition[at(u)];
    half_edges[at(own)] += graph.degree(u);
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      const std::int32_t other = partition[at(graph.neighbour(h))];
      if (other == own) continue;
      if (u < graph.neighbour(h)) ++cost.cut_edges;
      if (std::exchange(seen_by[at(other)], u) != u) ++cost.ghosts;
    }
  }
  if (graph.num_half_edges() > 0) {
    cost.balance = static_cast<double>(std::ranges::max(half_edges)) * num_parts /
                   static_cast<double>(graph.num_half_edges());
  }
  return cost;
}

Part make_part(const Dataset& dataset, const std::vector<NodeId>& order, const Partition& partition,
               int number) {
  const DirectedGraph& graph = dataset.graph;
  if (std::ssize(partition) != graph.num_nodes()) {
    throw Error(
        fmt::format("partition: has {} nodes, expected {}", partition.size(), graph.num_nodes()));
  }
  Part part;
  part.nodes.num_all = graph.num_nodes();
  part.nodes.places = places_of(graph, order, partition, number);
  const bool is_empty = part.nodes.places.empty();
  if (is_empty) part.nodes.places = {0};
  std::vector<NodeId> rows;
  for (const std::int64_t place : part.nodes.places) {
    rows.push_back(node_at(order, place));
    part.nodes.owners.push_back(is_empty ? -1 : partition[at(rows.back())]);
  }
  part.numbers.assign(rows.begin(), rows.end());
  Dataset& data = part.data;
  data.name = dataset.name;
  data.graph = graph_of(graph, part, number);
  data.features = reordered(dataset.features, rows);
  data.num_classes = dataset.num_classes;
  data.usual_scale = dataset.usual_scale;
  data.label_names = dataset.label_names;
  data.feature_names = dataset.feature_names;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_own = part.nodes.owners[i] == number;
    if (!dataset.labels.empty()) data.labels.push_back(is_own ? dataset.labels[at(rows[i])] : -1);
    if (!dataset.node_ids.empty()) data.node_ids.push_back(dataset.node_ids[at(rows[i])]);
  }
  for (const Split& split : dataset.splits) {
    data.splits.push_back({own_mask(split.train, part, number),
                           own_mask(split.validation, part, number),
                           own_mask(split.test, part, number)});
  }
  return part;
}

}  // namespace dsnn
