#include "dsnn/graph/statistics.h"

#include "dsnn/util/error.h"

#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dsnn {
namespace {

double ratio(double numerator, double denominator) {
  return denominator == 0 ? std::numeric_limits<double>::quiet_NaN() : numerator / denominator;
}

template <class DegreeOf>
DegreeSummary summarise(NodeId num_nodes, DegreeOf degree_of) {
  DegreeSummary summary;
  if (num_nodes == 0) return summary;
  summary.min = std::numeric_limits<NodeId>::max();
  std::int64_t sum = 0;
  for (NodeId u = 0; u < num_nodes; ++u) {
    const NodeId degree = degree_of(u);
    summary.min = std::min(summary.min, degree);
    summary.max = std::max(summary.max, degree);
    sum += degree;
  }
  summary.mean = static_cast<double>(sum) / num_nodes;
  return summary;
}

/// -sum p log p of the distribution count / sum(count).
double entropy(std::span<const std::int64_t> counts) {
  double total = 0;
  for (const std::int64_t count : counts) total += static_cast<double>(count);
  double result = 0;
  for (const std::int64_t count : counts) {
    const double p = static_cast<double>(count) / total;
    if (count > 0) result -= p * std::log(p);
  }
  return result;
}

}  // namespace

HalfEdgeId num_two_way_edges(const DirectedGraph& graph) {
  return graph.num_arcs() - graph.num_edges();  // an edge has one arc or two
}

double reciprocity(const DirectedGraph& graph) {
  return ratio(2.0 * static_cast<double>(num_two_way_edges(graph)),
               static_cast<double>(graph.num_arcs()));
}

DegreeStatistics degree_statistics(const DirectedGraph& graph) {
  const NodeId n = graph.num_nodes();
  DegreeStatistics statistics;
  statistics.total = summarise(n, [&](NodeId u) { return graph.degree(u); });
  statistics.out = summarise(n, [&](NodeId u) { return graph.out_degree(u); });
  statistics.in = summarise(n, [&](NodeId u) { return graph.in_degree(u); });
  for (NodeId u = 0; u < n; ++u) statistics.num_isolated += graph.degree(u) == 0 ? 1 : 0;
  return statistics;
}

ComponentStatistics weak_components(const DirectedGraph& graph) {
  ComponentStatistics statistics;
  std::vector<bool> seen(at(graph.num_nodes()), false);
  std::vector<NodeId> to_visit;
  for (NodeId root = 0; root < graph.num_nodes(); ++root) {
    if (seen[at(root)]) continue;
    NodeId size = 0;
    seen[at(root)] = true;
    to_visit.push_back(root);
    while (!to_visit.empty()) {
      const NodeId u = to_visit.back();
      to_visit.pop_back();
      ++size;
      for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
        const NodeId v = graph.neighbour(h);
        if (seen[at(v)]) continue;
        seen[at(v)] = true;
        to_visit.push_back(v);
      }
    }
    ++statistics.count;
    statistics.largest = std::max(statistics.largest, size);
  }
  return statistics;
}

// Tarjan's algorithm, with an explicit stack instead of recursion: paths may be as long as the
// graph.
ComponentStatistics strong_components(const DirectedGraph& graph) {
  constexpr NodeId kUnseen = -1;
  constexpr NodeId kDone = std::numeric_limits<NodeId>::max();  // in a finished component
  struct Frame {
    NodeId node;
    HalfEdgeId next;
  };
  ComponentStatistics statistics;
  std::vector<NodeId> low(at(graph.num_nodes()), kUnseen);  // least number reachable so far
  std::vector<NodeId> open;                                 // nodes not yet in a finished component
  std::vector<Frame> path;
  NodeId next_number = 0;

  for (NodeId root = 0; root < graph.num_nodes(); ++root) {
    if (low[at(root)] != kUnseen) continue;
    std::vector<NodeId> number_on_path;  // visit number of each node of `path`
    auto enter = [&](NodeId u) {
      number_on_path.push_back(next_number);
      low[at(u)] = next_number++;
      open.push_back(u);
      path.push_back({u, graph.row_begin(u)});
    };
    enter(root);
    while (!path.empty()) {
      Frame& frame = path.back();
      const NodeId u = frame.node;
      if (frame.next < graph.row_end(u)) {
        const HalfEdgeId h = frame.next++;
        if (!graph.has_arc(h)) continue;
        const NodeId v = graph.neighbour(h);
        if (low[at(v)] == kUnseen) {
          enter(v);
        } else if (low[at(v)] != kDone) {
          low[at(u)] = std::min(low[at(u)], low[at(v)]);
        }
        continue;
      }
      if (low[at(u)] == number_on_path.back()) {  // u is the first node of its component
        NodeId size = 0;
        for (NodeId v = kUnseen; v != u; ++size) {
          v = open.back();
          open.pop_back();
          low[at(v)] = kDone;
        }
        ++statistics.count;
        statistics.largest = std::max(statistics.largest, size);
      }
      path.pop_back();
      number_on_path.pop_back();
      if (!path.empty()) {
        NodeId& parent_low = low[at(path.back().node)];
        parent_low = std::min(parent_low, low[at(u)]);
      }
    }
  }
  return statistics;
}

Homophily homophily(const DirectedGraph& graph, std::span<const std::int64_t> labels,
                    std::int64_t num_classes) {
  if (labels.size() != at(graph.num_nodes())) {
    throw Error(fmt::format("homophily: {} labels for {} nodes, expected one per node",
                            labels.size(), graph.num_nodes()));
  }
  if (num_classes < 0 || num_classes > kMaxHomophilyClasses) {
    throw Error(fmt::format("homophily: {} classes, expected at most {}", num_classes,
                            kMaxHomophilyClasses));
  }
  // pairs[y, z]: half-edges from a node with label y to one with label z, all labels known.
  std::vector<std::int64_t> pairs(at(num_classes * num_classes), 0);
  std::vector<std::int64_t> class_sizes(at(num_classes), 0);
  double node_sum = 0;
  std::int64_t num_counted_nodes = 0;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    const std::int64_t y = labels[at(u)];
    if (y >= num_classes) {
      throw Error(
          fmt::format("homophily: node {} has label {}, expected less than {}", u, y, num_classes));
    }
    if (y < 0) continue;
    ++class_sizes[at(y)];
    std::int64_t same = 0;
    std::int64_t known = 0;
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      const std::int64_t z = labels[at(graph.neighbour(h))];
      if (z < 0 || z >= num_classes) continue;
      ++pairs[at(y * num_classes + z)];
      ++known;
      same += y == z ? 1 : 0;
    }
    if (known == 0) continue;
    node_sum += static_cast<double>(same) / static_cast<double>(known);
    ++num_counted_nodes;
  }

  std::vector<std::int64_t> class_degrees(at(num_classes), 0);  // D_k
  std::int64_t total = 0;                                       // 2m
  std::int64_t total_same = 0;
  std::int64_t num_labelled = 0;
  for (std::int64_t y = 0; y < num_classes; ++y) {
    for (std::int64_t z = 0; z < num_classes; ++z)
      class_degrees[at(y)] += pairs[at(y * num_classes + z)];
    total += class_degrees[at(y)];
    total_same += pairs[at(y * num_classes + y)];
    num_labelled += class_sizes[at(y)];
  }

  double insensitive = 0;
  double expected = 0;  // share of same-label edges if ends were drawn by degree
  for (std::int64_t k = 0; k < num_classes; ++k) {
    const auto degree = static_cast<double>(class_degrees[at(k)]);
    const double share = degree / static_cast<double>(total);
    expected += share * share;
    if (degree == 0) continue;
    const double same = static_cast<double>(pairs[at(k * num_classes + k)]) / degree;
    const double size = static_cast<double>(class_sizes[at(k)]) / static_cast<double>(num_labelled);
    insensitive += std::max(0.0, same - size);
  }

  Homophily result{};
  result.edge = ratio(static_cast<double>(total_same), static_cast<double>(total));
  result.node = ratio(node_sum, static_cast<double>(num_counted_nodes));
  result.class_insensitive =
      total == 0 ? ratio(0, 0) : ratio(insensitive, static_cast<double>(num_classes - 1));
  result.adjusted = ratio(result.edge - expected, 1 - expected);
  // I(y,z) / H(y) = (2 H(y) - H(y,z)) / H(y), both ends having the same distribution.
  const double label_entropy = entropy(class_degrees);
  result.label_informativeness = 2 - ratio(entropy(pairs), label_entropy);
  return result;
}

}  // namespace dsnn
