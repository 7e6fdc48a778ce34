#include "data/reorder.h"

#include "util/index.h"

namespace dsnn {

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
  result.num_rows = static_cast<std::int64_t>(order.size());
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

}  // namespace dsnn
