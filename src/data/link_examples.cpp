#include "dsnn/data/link_examples.h"

#include "dsnn/util/error.h"
#include "dsnn/util/random.h"

#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace dsnn {
namespace {

/// The half-edge (u, v), if there is an edge.
std::optional<HalfEdgeId> find_half_edge(const DirectedGraph& graph, NodeId u, NodeId v) {
  const auto begin = graph.neighbours().begin() + graph.row_begin(u);
  const auto end = graph.neighbours().begin() + graph.row_end(u);
  const auto found = std::lower_bound(begin, end, v);
  if (found == end || *found != v) return std::nullopt;
  return found - graph.neighbours().begin();
}

bool is_arc(const DirectedGraph& graph, Arc pair) {
  const auto h = find_half_edge(graph, pair.source, pair.target);
  return h && graph.has_arc(*h);
}

Arc reversed(Arc arc) { return {arc.target, arc.source}; }

/// Whether u -> v is an arc and v -> u is none.
bool is_one_way(const DirectedGraph& graph, Arc arc) { return !is_arc(graph, reversed(arc)); }

/// Sets of nodes that are joined.
class Components {
 public:
  explicit Components(NodeId count) : parent_(at(count)) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  /// Whether u and v were in different sets.
  bool join(NodeId u, NodeId v) {
    const NodeId a = root(u), b = root(v);
    parent_[at(std::max(a, b))] = std::min(a, b);
    return a != b;
  }

 private:
  NodeId root(NodeId u) {
    while (parent_[at(u)] != u) u = parent_[at(u)] = parent_[at(parent_[at(u)])];
    return u;
  }
  std::vector<NodeId> parent_;
};

/// A pair in increasing order, for each edge, and whether a spanning forest contains it: the first
/// edges in this order that close no cycle.
struct Edges {
  std::vector<Arc> tree, others;
};
Edges edges_of(const DirectedGraph& graph) {
  Edges edges;
  Components components(graph.num_nodes());
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      const NodeId v = graph.neighbour(h);
      if (v < u) continue;
      (components.join(u, v) ? edges.tree : edges.others).push_back({u, v});
    }
  }
  return edges;
}

/// The arcs of an edge.
std::vector<Arc> arcs_of(const DirectedGraph& graph, Arc edge) {
  std::vector<Arc> arcs;
  for (const Arc arc : {edge, reversed(edge)}) {
    if (is_arc(graph, arc)) arcs.push_back(arc);
  }
  return arcs;
}

/// Moves the first `count` items out of a list.
std::vector<Arc> take(std::vector<Arc>& from, std::int64_t count) {
  std::vector<Arc> taken(from.begin(), from.begin() + count);
  from.erase(from.begin(), from.begin() + count);
  return taken;
}

/// Training, validation and test: edges or arcs.
struct Parts {
  std::vector<Arc> train, validation, test;
};

/// Draws the parts from `free`; `kept` is for training.
Parts divide(const Dataset& dataset, std::vector<Arc> free, const std::vector<Arc>& kept,
             std::int64_t num_test, std::int64_t num_validation, std::uint64_t seed) {
  if (std::ssize(free) < num_test + num_validation || num_test < 1 || num_validation < 1) {
    throw Error(fmt::format(
        "{}: validation and test need {} and {} arcs, at least one each, but {} may be removed "
        "(the others join nodes that have no other path); choose other shares, or "
        "protocol=random",
        dataset.name, num_validation, num_test, free.size()));
  }
  Random(seed).shuffle(free);
  Parts parts;
  parts.test = take(free, num_test);
  parts.validation = take(free, num_validation);
  parts.train = std::move(free);
  parts.train.insert(parts.train.end(), kept.begin(), kept.end());
  return parts;
}

std::int64_t share_of(double share, std::size_t count) {
  return static_cast<std::int64_t>(share * static_cast<double>(count));
}

/// Writes the pairs of one part of a split.
class Examples {
 public:
  Examples(const DirectedGraph& graph, const LinkOptions& options)
      : graph_(graph), options_(options) {}

  /// The number of pairs without an arc that go with these, to be drawn.
  std::int64_t add(const std::vector<Arc>& part, LabelledPairs& to) const {
    return options_.protocol == LinkProtocol::kMagnet ? add_edges(part, to) : add_arcs(part, to);
  }

 private:
  std::int64_t scaled(std::int64_t count) const {
    return std::llround(options_.negatives_per_arc * static_cast<double>(count));
  }

  /// MagNet's pairs: one-way edges, every other one reversed.
  std::int64_t add_edges(const std::vector<Arc>& edges, LabelledPairs& to) const {
    std::vector<Arc> arcs;
    for (const Arc edge : edges) {
      const std::vector<Arc> found = arcs_of(graph_, edge);
      if (found.size() == 1) arcs.push_back(found[0]);
    }
    const bool has_three = options_.question == LinkQuestion::kThreeClass;
    const auto count = std::ssize(arcs);
    if (options_.question == LinkQuestion::kDirection || has_three) {
      for (std::int64_t i = 0; i < count; ++i) {
        const bool is_forward = i % 2 == 0;
        to.add(is_forward ? arcs[at(i)] : reversed(arcs[at(i)]),
               has_three ? (is_forward ? 0 : 1) : (is_forward ? 1 : 0));
      }
      return has_three ? scaled(count) : 0;
    }
    // Of the published pairs that are no arcs, one third are reversed arcs: those of other edges
    // than the arcs.
    const std::int64_t num_arcs = (count + 1) / 2;
    const double share = options_.question == LinkQuestion::kExistenceDirection ? 1.0 / 2 : 1.0 / 3;
    for (std::int64_t i = 0; i < num_arcs; ++i) to.add(arcs[at(i)], 1);
    return add_reversed({arcs.begin() + num_arcs, arcs.end()}, scaled(num_arcs), share, to);
  }

  std::int64_t add_arcs(const std::vector<Arc>& arcs, LabelledPairs& to) const {
    std::vector<Arc> one_way;
    for (const Arc arc : arcs) {
      if (is_one_way(graph_, arc)) one_way.push_back(arc);
    }
    const auto count = std::ssize(one_way);
    switch (options_.question) {
      case LinkQuestion::kExistence:
        for (const Arc arc : arcs) to.add(arc, 1);
        return scaled(std::ssize(arcs));
      case LinkQuestion::kDirection:
      case LinkQuestion::kThreeClass:
        break;
      case LinkQuestion::kExistenceDirection:
        for (const Arc arc : arcs) to.add(arc, 1);
        return add_reversed(one_way, scaled(std::ssize(arcs)), 1.0 / 2, to);
    }
    const bool has_three = options_.question == LinkQuestion::kThreeClass;
    for (const Arc arc : one_way) {
      to.add(arc, has_three ? 0 : 1);
      to.add(reversed(arc), has_three ? 1 : 0);
    }
    return has_three ? scaled(count) : 0;
  }

  /// Adds a share of `count` pairs that are no arcs, as reversed arcs; returns the number of
  /// others.
  static std::int64_t add_reversed(const std::vector<Arc>& arcs, std::int64_t count, double share,
                                   LabelledPairs& to) {
    const std::int64_t used =
        std::min<std::int64_t>(std::llround(share * static_cast<double>(count)), std::ssize(arcs));
    for (std::int64_t i = 0; i < used; ++i) to.add(reversed(arcs[at(i)]), 0);
    return count - used;
  }

  const DirectedGraph& graph_;
  const LinkOptions& options_;
};

std::uint64_t seed_for(std::uint64_t seed, int number, std::uint64_t purpose) {
  Random random(seed);
  std::uint64_t drawn = 0;
  for (int i = 0; i <= number; ++i) drawn = random.below(std::uint64_t{1} << 48);
  return drawn * 8 + purpose;
}

Parts parts_of(const Dataset& dataset, const LinkOptions& options, int number) {
  const DirectedGraph& graph = dataset.graph;
  const std::uint64_t seed = seed_for(options.seed, number, 0);
  const auto arcs_of_all = [&](const std::vector<Arc>& edges) {
    std::vector<Arc> arcs;
    for (const Arc edge : edges) {
      for (const Arc arc : arcs_of(graph, edge)) arcs.push_back(arc);
    }
    return arcs;
  };
  switch (options.protocol) {
    case LinkProtocol::kMagnet: {
      const Edges edges = edges_of(graph);
      const std::size_t count = edges.tree.size() + edges.others.size();
      const std::int64_t num_test = share_of(options.test_share, count);
      return divide(dataset, edges.others, edges.tree, num_test,
                    share_of(options.validation_share, count - at(num_test)), seed);
    }
    case LinkProtocol::kPygsd: {
      const Edges edges = edges_of(graph);
      const auto count = static_cast<std::size_t>(graph.num_arcs());
      return divide(dataset, arcs_of_all(edges.others), arcs_of_all(edges.tree),
                    share_of(options.test_share, count), share_of(options.validation_share, count),
                    seed);
    }
    case LinkProtocol::kRandom: {
      const auto count = static_cast<std::size_t>(graph.num_arcs());
      return divide(dataset, graph.arcs(), {}, share_of(options.test_share, count),
                    share_of(options.validation_share, count), seed);
    }
    case LinkProtocol::kGiven:
      break;
  }
  const LinkSplit& given = dataset.link_splits[at(number)];
  return {given.train, given.validation, given.test};
}

}  // namespace

std::int64_t num_classes(LinkQuestion question) {
  return question == LinkQuestion::kThreeClass ? 3 : 2;
}

bool has_edge(const DirectedGraph& graph, NodeId u, NodeId v) {
  return find_half_edge(graph, u, v).has_value();
}

DirectedGraph subgraph(const DirectedGraph& graph, const std::vector<Arc>& arcs) {
  std::vector<double> weights;
  for (const Arc arc : arcs) {
    const auto h = find_half_edge(graph, arc.source, arc.target);
    if (!h || !graph.has_arc(*h)) {
      throw Error(fmt::format("the pair {} -> {} is no arc of the graph", arc.source, arc.target));
    }
    if (graph.is_weighted()) weights.push_back(graph.arc_weight(*h));
  }
  return DirectedGraph::from_arcs(graph.num_nodes(), arcs, weights);
}

int num_link_splits(const Dataset& dataset, LinkProtocol protocol, int count) {
  if (protocol != LinkProtocol::kGiven) return count;
  if (dataset.link_splits.empty()) {
    throw Error(fmt::format(
        "{}: has no link splits (arrays pos_train, pos_val and pos_test); choose a protocol that "
        "draws them: magnet, pygsd or random",
        dataset.name));
  }
  return static_cast<int>(dataset.link_splits.size());
}

std::optional<Arc> absent_pair(const DirectedGraph& graph, std::int64_t position,
                               std::uint64_t seed) {
  constexpr std::uint64_t kMostTries = 1024;
  if (graph.num_nodes() < 2) return std::nullopt;
  const auto n = static_cast<double>(graph.num_nodes());
  for (std::uint64_t tries = 0; tries < kMostTries; ++tries) {
    const std::uint64_t place = (static_cast<std::uint64_t>(position) * kMostTries + tries) * 2;
    const auto u = static_cast<NodeId>(uniform_at(seed, place) * n);
    const auto v = static_cast<NodeId>(uniform_at(seed, place + 1) * n);
    if (u != v && !has_edge(graph, u, v)) return Arc{u, v};
  }
  return std::nullopt;
}

std::vector<Arc> absent_pairs(const DirectedGraph& graph, std::int64_t count, std::uint64_t seed) {
  std::vector<Arc> pairs;
  pairs.reserve(at(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::optional<Arc> pair = absent_pair(graph, i, seed);
    if (!pair) {
      throw Error(fmt::format(
          "a graph with {} nodes and {} edges has hardly any pair without an arc to draw",
          graph.num_nodes(), graph.num_edges()));
    }
    pairs.push_back(*pair);
  }
  return pairs;
}

LinkExamples link_examples(const Dataset& dataset, const LinkOptions& options, int number) {
  const DirectedGraph& graph = dataset.graph;
  const Parts parts = parts_of(dataset, options, number);
  const bool is_magnet = options.protocol == LinkProtocol::kMagnet;
  LinkExamples result;
  for (const Arc each : parts.train) {
    // MagNet's graph has one arc for each edge: of a two-way edge, that to the smaller node.
    result.messages.push_back(is_magnet ? arcs_of(graph, each).back() : each);
  }
  const Examples examples(graph, options);
  result.drawn_label = options.question == LinkQuestion::kThreeClass ? 2 : 0;
  const bool is_existence = options.question == LinkQuestion::kExistence;
  const auto add = [&](const std::vector<Arc>& part, std::vector<Arc> LinkSplit::*given,
                       std::uint64_t purpose, LabelledPairs& to, const DirectedGraph& known) {
    const std::int64_t count = examples.add(part, to);
    if (options.protocol == LinkProtocol::kGiven && is_existence) {
      const std::vector<Arc>& negatives = dataset.link_splits[at(number)].*given;
      for (const Arc pair : negatives) to.add(pair, result.drawn_label);
      if (!negatives.empty()) return;
    }
    for (const Arc pair : absent_pairs(known, count, seed_for(options.seed, number, purpose))) {
      to.add(pair, result.drawn_label);
    }
  };
  add(parts.validation, &LinkSplit::validation_negatives, 1, result.validation, graph);
  add(parts.test, &LinkSplit::test_negatives, 2, result.test, graph);
  // The published programs draw training pairs that are no arcs of the whole graph; elsewhere an
  // arc of validation or test may be among them, as in practice.
  const bool knows_all = is_magnet || options.protocol == LinkProtocol::kPygsd;
  if (!options.has_fixed_negatives) {
    result.num_drawn = examples.add(parts.train, result.train);
  } else {
    add(parts.train, &LinkSplit::train_negatives, 3, result.train,
        knows_all ? graph : DirectedGraph::from_arcs(graph.num_nodes(), result.messages));
  }
  const auto check = [&](const LabelledPairs& pairs, const char* part) {
    if (!pairs.pairs.empty()) return;
    throw Error(
        fmt::format("{}: link split {} has no {} pairs for this task", dataset.name, number, part));
  };
  check(result.train, "training");
  check(result.validation, "validation");
  check(result.test, "test");
  return result;
}

}  // namespace dsnn
