#include "dsnn/data/link_examples.h"

#include "dsnn/graph/statistics.h"
#include "dsnn/util/error.h"
#include "dsnn/util/random.h"

#include "support/expect_error.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace dsnn {
namespace {

using testing::contains;
using testing::message_of;
using testing::TempDir;

using Pair = std::pair<NodeId, NodeId>;
Pair pair_of(Arc arc) { return {arc.source, arc.target}; }
Pair edge_of(Arc arc) { return std::minmax(arc.source, arc.target); }
std::set<Pair> set_of(const std::vector<Arc>& arcs) {
  std::set<Pair> set;
  for (const Arc arc : arcs) set.insert(pair_of(arc));
  return set;
}

constexpr LinkProtocol kDrawn[] = {LinkProtocol::kMagnet, LinkProtocol::kPygsd,
                                   LinkProtocol::kRandom};
constexpr LinkQuestion kQuestions[] = {LinkQuestion::kExistence, LinkQuestion::kDirection,
                                       LinkQuestion::kThreeClass,
                                       LinkQuestion::kExistenceDirection};

/// A random graph with some two-way edges.
Dataset random_dataset(std::uint64_t seed, NodeId n = 60, int num_arcs = 400) {
  Random random(seed);
  std::vector<Arc> arcs;
  const auto node = [&] { return static_cast<NodeId>(random.below(static_cast<unsigned>(n))); };
  for (int i = 0; i < num_arcs; ++i) {
    const NodeId u = node(), v = node();
    arcs.push_back({u, v});
    if (random.uniform() < 0.2) arcs.push_back({v, u});
  }
  Dataset dataset;
  dataset.name = "random";
  dataset.graph = DirectedGraph::from_arcs(n, arcs);
  return dataset;
}

/// Calls test(dataset, options, examples) for many cases.
template <class Test>
void for_cases(const Test& test) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Dataset dataset = random_dataset(seed);
    for (const LinkProtocol protocol : kDrawn) {
      for (const LinkQuestion question : kQuestions) {
        for (const bool is_fixed : {true, false}) {
          LinkOptions options;
          options.question = question;
          options.protocol = protocol;
          options.has_fixed_negatives = is_fixed;
          options.seed = seed;
          test(dataset, options, link_examples(dataset, options, static_cast<int>(seed)));
        }
      }
    }
  }
}

TEST(LinkExamples, LabelsAreTrue) {
  for_cases([](const Dataset& dataset, const LinkOptions& options, const LinkExamples& examples) {
    const std::set<Pair> arcs = set_of(dataset.graph.arcs());
    for (const LabelledPairs* part : {&examples.train, &examples.validation, &examples.test}) {
      ASSERT_EQ(part->pairs.size(), part->labels.size());
      for (std::size_t i = 0; i < part->pairs.size(); ++i) {
        const auto [u, v] = pair_of(part->pairs[i]);
        const bool forward = arcs.contains({u, v}), backward = arcs.contains({v, u});
        // Drawn against training arcs only: it may be another arc.
        const bool may_be_arc =
            part == &examples.train && options.protocol == LinkProtocol::kRandom;
        if (options.question == LinkQuestion::kThreeClass) {
          const std::int64_t truth = forward ? 0 : backward ? 1 : 2;
          EXPECT_FALSE(forward && backward && !may_be_arc);
          EXPECT_TRUE(part->labels[i] == truth || (part->labels[i] == 2 && may_be_arc));
        } else {
          EXPECT_TRUE(part->labels[i] == (forward ? 1 : 0) || may_be_arc);
          if (options.question == LinkQuestion::kDirection) {
            EXPECT_NE(forward, backward);
          }
          if (options.question == LinkQuestion::kExistence &&
              options.protocol == LinkProtocol::kPygsd && part->labels[i] == 0) {
            EXPECT_FALSE(backward);  // no arc at all
          }
        }
      }
    }
  });
}

// No arc of validation or test carries a message, and none is asked about in training as an arc.
TEST(LinkExamples, MessagesAreTrainingArcsOnly) {
  for_cases([](const Dataset& dataset, const LinkOptions& options, const LinkExamples& examples) {
    const std::set<Pair> arcs = set_of(dataset.graph.arcs()), messages = set_of(examples.messages);
    EXPECT_TRUE(std::ranges::includes(arcs, messages));
    EXPECT_EQ(messages.size(), examples.messages.size());
    const bool by_edge = options.protocol == LinkProtocol::kMagnet;
    std::set<Pair> message_edges, asked, train_positives;
    for (const Arc arc : examples.messages) message_edges.insert(edge_of(arc));
    for (const LabelledPairs* part : {&examples.validation, &examples.test}) {
      std::set<Pair> own;
      for (const Arc pair : part->pairs) {
        EXPECT_FALSE(messages.contains(pair_of(pair)));
        EXPECT_FALSE(by_edge && message_edges.contains(edge_of(pair)));
        if (arcs.contains(pair_of(pair))) own.insert(pair_of(pair));
      }
      for (const Pair& pair : own) EXPECT_TRUE(asked.insert(pair).second);  // in one part only
    }
    for (std::size_t i = 0; i < examples.train.pairs.size(); ++i) {
      const Pair pair = pair_of(examples.train.pairs[i]);
      const bool is_arc =
          examples.train.labels[i] == (options.question == LinkQuestion::kThreeClass ? 0 : 1);
      EXPECT_FALSE(is_arc && asked.contains(pair));
    }
  });
}

TEST(LinkExamples, SharesAndConnectedness) {
  const Dataset dataset = random_dataset(9, 80, 900);
  const auto components = weak_components(dataset.graph).count;
  LinkOptions options;
  options.question = LinkQuestion::kDirection;
  for (const LinkProtocol protocol : kDrawn) {
    options.protocol = protocol;
    for (int number = 0; number < 3; ++number) {
      const LinkExamples examples = link_examples(dataset, options, number);
      const auto messages = DirectedGraph::from_arcs(80, examples.messages);
      if (protocol == LinkProtocol::kMagnet) {
        // Edges: 15 % for the test, then 5 % of the rest; one arc for each other edge.
        const std::int64_t m = dataset.graph.num_edges(), num_test = m * 15 / 100;
        EXPECT_EQ(messages.num_arcs(), m - num_test - (m - num_test) * 5 / 100);
        EXPECT_EQ(messages.num_edges(), messages.num_arcs());
      } else {
        const std::int64_t m = dataset.graph.num_arcs();
        EXPECT_EQ(messages.num_arcs(), m - m * 15 / 100 - m * 5 / 100);
      }
      EXPECT_TRUE(protocol == LinkProtocol::kRandom ||
                  weak_components(messages).count == components);
      // Both directions are equally frequent.
      const auto ones = std::ranges::count(examples.test.labels, 1);
      EXPECT_LE(std::abs(2 * ones - std::ssize(examples.test.labels)), 1);
    }
  }
}

// MagNet keeps one arc of a two-way edge and asks about none of its directions.
TEST(LinkExamples, TwoWayEdgesOfMagnet) {
  const Dataset dataset = random_dataset(3);
  LinkOptions options;
  const LinkExamples examples = link_examples(dataset, options, 0);
  const std::set<Pair> arcs = set_of(dataset.graph.arcs());
  std::int64_t num_two_way = 0;
  for (const Arc arc : examples.messages) {
    if (!arcs.contains({arc.target, arc.source})) continue;
    EXPECT_GT(arc.source, arc.target);
    ++num_two_way;
  }
  EXPECT_GT(num_two_way, 0);
  // As many pairs that are no arcs as arcs; a third of them are reversed arcs.
  for (const LabelledPairs* part : {&examples.train, &examples.test}) {
    std::map<std::string, double> count;
    for (std::size_t i = 0; i < part->pairs.size(); ++i) {
      const auto [u, v] = pair_of(part->pairs[i]);
      EXPECT_FALSE(arcs.contains({u, v}) && arcs.contains({v, u}));
      ++count[part->labels[i] == 1 ? "arc" : arcs.contains({v, u}) ? "reversed" : "absent"];
    }
    EXPECT_EQ(count["arc"], count["reversed"] + count["absent"]);
    EXPECT_NEAR(count["reversed"] / count["arc"], 1.0 / 3, 0.02);
  }
}

TEST(LinkExamples, AFunctionOfSeedAndNumber) {
  const Dataset dataset = random_dataset(5);
  LinkOptions options;
  const auto messages = [&](std::uint64_t seed, int number) {
    options.seed = seed;
    return set_of(link_examples(dataset, options, number).messages);
  };
  EXPECT_EQ(messages(1, 2), messages(1, 2));
  EXPECT_NE(messages(1, 2), messages(1, 3));
  EXPECT_NE(messages(1, 2), messages(2, 2));
}

TEST(LinkExamples, AbsentPairs) {
  const Dataset dataset = random_dataset(6);
  const std::vector<Arc> pairs = absent_pairs(dataset.graph, 2000, 7);
  std::set<NodeId> sources, targets;
  for (const Arc pair : pairs) {
    EXPECT_NE(pair.source, pair.target);
    EXPECT_FALSE(has_edge(dataset.graph, pair.source, pair.target));
    sources.insert(pair.source);
    targets.insert(pair.target);
  }
  EXPECT_EQ(sources.size(), 60u);
  EXPECT_EQ(targets.size(), 60u);
  EXPECT_NE(set_of(pairs), set_of(absent_pairs(dataset.graph, 2000, 8)));
  // A pair depends on its position alone.
  for (const std::int64_t i : {1999, 3, 700}) {
    EXPECT_EQ(pair_of(*absent_pair(dataset.graph, i, 7)),
              pair_of(pairs[static_cast<std::size_t>(i)]));
  }
  const std::vector<Arc> few = absent_pairs(dataset.graph, 10, 7);
  for (std::size_t i = 0; i < few.size(); ++i) EXPECT_EQ(pair_of(few[i]), pair_of(pairs[i]));
  std::vector<Arc> all;
  for (NodeId u = 0; u < 5; ++u) {
    for (NodeId v = 0; v < u; ++v) all.push_back({u, v});
  }
  const auto complete = DirectedGraph::from_arcs(5, all);
  EXPECT_FALSE(absent_pair(complete, 0, 0).has_value());
  EXPECT_TRUE(
      contains(message_of<Error>([&] { absent_pairs(complete, 1, 0); }), "hardly any pair"));
}

TEST(LinkExamples, TooFewArcs) {
  Dataset tree;
  tree.name = "tree";
  tree.graph = DirectedGraph::from_arcs(4, std::vector<Arc>{{0, 1}, {0, 2}, {3, 0}});
  EXPECT_TRUE(contains(message_of<Error>([&] { link_examples(tree, {}, 0); }), "no other path"));
  LinkOptions given;
  given.protocol = LinkProtocol::kGiven;
  EXPECT_TRUE(contains(message_of<Error>([&] { num_link_splits(tree, given.protocol, 10); }),
                       "tree: has no link splits"));
}

TEST(LinkExamples, GivenSplitsThroughAFile) {
  Dataset dataset = random_dataset(8);
  const std::vector<Arc> arcs = dataset.graph.arcs();
  const auto some = [&](std::size_t from, std::size_t count) {
    return std::vector<Arc>(arcs.begin() + static_cast<std::ptrdiff_t>(from),
                            arcs.begin() + static_cast<std::ptrdiff_t>(from + count));
  };
  const std::vector<Arc> absent = absent_pairs(dataset.graph, 30, 1);
  dataset.link_splits = {{some(30, 200), some(0, 10), some(10, 20), absent, absent, absent},
                         {some(0, 150), some(150, 5), some(155, 25), absent, absent, absent}};
  const TempDir dir;
  write_dataset(dir / "links.npz", dataset);
  const Dataset read = read_dataset(dir / "links.npz");
  ASSERT_EQ(read.link_splits.size(), 2u);
  LinkOptions options;
  options.protocol = LinkProtocol::kGiven;
  for (int number = 0; number < 2; ++number) {
    const LinkExamples examples = link_examples(read, options, number);
    const LinkSplit& split = dataset.link_splits[static_cast<std::size_t>(number)];
    EXPECT_EQ(set_of(examples.messages), set_of(split.train));
    EXPECT_EQ(examples.test.pairs.size(), split.test.size() + 30);
    EXPECT_EQ(std::ranges::count(examples.test.labels, 0), 30);
    EXPECT_EQ(set_of({examples.validation.pairs.end() - 30, examples.validation.pairs.end()}),
              set_of(absent));
  }
}

TEST(LinkExamples, SubgraphKeepsWeights) {
  const std::vector<Arc> arcs = {{0, 1}, {1, 0}, {1, 2}};
  const auto graph = DirectedGraph::from_arcs(3, arcs, std::vector<double>{2, 3, -4});
  const DirectedGraph part = subgraph(graph, {{1, 2}, {1, 0}});
  EXPECT_EQ(part.arc_weights(), (std::vector<double>{3, -4}));
  EXPECT_TRUE(contains(message_of<Error>([&] { subgraph(graph, {{2, 1}}); }), "2 -> 1 is no arc"));
}

}  // namespace
}  // namespace dsnn
