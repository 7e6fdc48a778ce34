#include "data/reorder.h"

#include "util/index.h"

namespace dsnn {
namespace {

/// What each node has, or nothing if it is not known.
template <class T>
std::vector<T> reordered(const std::vector<T>& of_nodes, const std::vector<NodeId>& order) {
  std::vector<T> result;
  if (of_nodes.empty()) return result;
  result.reserve(order.size());
  for (const NodeId node : order) result.push_back(of_nodes[at(node)]);
  return result;
}

DirectedGraph reordered(const DirectedGraph& graph, const std::vector<NodeId>& order) {
  std::vector<NodeId> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[at(order[i])] = static_cast<NodeId>(i);
  std::vector<Arc> arcs = graph.arcs();
  for (Arc& arc : arcs) arc = {places[at(arc.source)], places[at(arc.target)]};
  return DirectedGraph::from_arcs(graph.num_nodes(), arcs, graph.arc_weights());
}

Features reordered(const Features& features, const std::vector<NodeId>& order) {
  if (features.empty()) return features;
  Features result;
  result.num_rows = features.num_rows;
  result.num_columns = features.num_columns;
  result.values.reserve(features.values.size());
  result.columns.reserve(features.columns.size());
  if (features.is_sparse()) result.offsets.push_back(0);
  for (const NodeId node : order) {
    const auto begin_of = [&](std::int64_t row) {
      return features.is_sparse() ? features.offsets[at(row)] : row * features.num_columns;
    };
    const auto append = [&](const auto& from, auto& to) {
      to.insert(to.end(), from.begin() + begin_of(node), from.begin() + begin_of(node + 1));
    };
    append(features.values, result.values);
    if (!features.is_sparse()) continue;
    append(features.columns, result.columns);
    result.offsets.push_back(std::ssize(result.columns));
  }
  return result;
}

}  // namespace

Dataset reordered(const Dataset& dataset, const std::vector<NodeId>& order) {
  Dataset result;
  result.name = dataset.name;
  result.graph = reordered(dataset.graph, order);
  result.features = reordered(dataset.features, order);
  result.labels = reordered(dataset.labels, order);
  result.num_classes = dataset.num_classes;
  result.node_ids = reordered(dataset.node_ids, order);
  result.label_names = dataset.label_names;
  result.feature_names = dataset.feature_names;
  result.notes = dataset.notes;
  for (const Split& split : dataset.splits) {
    result.splits.push_back({reordered(split.train, order), reordered(split.validation, order),
                             reordered(split.test, order)});
  }
  return result;
}

}  // namespace dsnn
