#include "graph/locality_order.h"

#include "util/index.h"

#include <algorithm>
#include <numeric>

namespace dsnn {

std::vector<NodeId> locality_order(const DirectedGraph& graph) {
  const auto by_degree = [&](NodeId u, NodeId v) { return graph.degree(u) < graph.degree(v); };
  std::vector<NodeId> starts(at(graph.num_nodes()));
  std::iota(starts.begin(), starts.end(), 0);
  std::ranges::stable_sort(starts, by_degree);
  std::vector<NodeId> order;
  order.reserve(starts.size());
  std::vector<bool> is_placed(starts.size());
  const auto place = [&](NodeId u) {
    is_placed[at(u)] = true;
    order.push_back(u);
  };
  for (const NodeId start : starts) {
    if (is_placed[at(start)]) continue;
    std::size_t next = order.size();
    place(start);
    for (; next < order.size(); ++next) {
      const NodeId u = order[next];
      const auto first = static_cast<std::ptrdiff_t>(order.size());
      for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
        if (!is_placed[at(graph.neighbour(h))]) place(graph.neighbour(h));
      }
      std::stable_sort(order.begin() + first, order.end(), by_degree);
    }
  }
  return order;
}

}  // namespace dsnn
