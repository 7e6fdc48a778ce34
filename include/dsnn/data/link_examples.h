#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

#include <cstdint>
#include <optional>
#include <vector>

// Link prediction: which pairs of nodes are joined by an arc, and in which direction
// (docs/tasks.md).
namespace dsnn {

/// The question about a pair (u, v).
enum class LinkQuestion {
  kExistence,          ///< 1: u -> v is an arc; 0: neither u -> v nor v -> u is
  kDirection,          ///< 1: u -> v is an arc; 0: v -> u is; never both
  kThreeClass,         ///< 0: u -> v is an arc; 1: v -> u is; 2: neither
  kExistenceDirection  ///< 1: u -> v is an arc; 0: it is not, but v -> u may be
};
/// 2 or 3.
DSNN_API std::int64_t num_classes(LinkQuestion question);

/// How the arcs are divided and which pairs are asked about.
enum class LinkProtocol {
  kMagnet,  ///< of MagNet's experiments: edges are divided, each is asked about once
  kPygsd,   ///< of PyTorch Geometric Signed Directed: arcs are divided, and asked both ways
  kGiven,   ///< the splits of the dataset (Dataset::link_splits), such as those of DirLinkBench
  kRandom   ///< arcs are divided at random, without keeping the graph connected
};

struct LinkOptions {
  LinkQuestion question = LinkQuestion::kExistence;
  LinkProtocol protocol = LinkProtocol::kMagnet;
  double test_share = 0.15, validation_share = 0.05;
  double negatives_per_arc = 1;  ///< pairs without an arc, for each arc
  /// Whether the training pairs without an arc are the same in every epoch.
  bool has_fixed_negatives = true;
  std::uint64_t seed = 0;  ///< of all splits
};

/// Pairs of nodes with the answers.
struct LabelledPairs {
  std::vector<Arc> pairs;
  std::vector<std::int64_t> labels;

  void add(Arc pair, std::int64_t label) {
    pairs.push_back(pair);
    labels.push_back(label);
  }
};

/// What a model is given on one split.
struct LinkExamples {
  std::vector<Arc> messages;  ///< the arcs of its graph: training arcs only
  LabelledPairs train, validation, test;
  /// Pairs without an arc that each epoch draws for training, and their label.
  std::int64_t num_drawn = 0;
  std::int64_t drawn_label = 0;
};

/// The number of splits that a dataset has for a protocol, `count` if they are drawn.
DSNN_API int num_link_splits(const Dataset& dataset, LinkProtocol protocol, int count);

/// Split `number` of a dataset, a function of the arguments only. Throws Error if there are too few
/// arcs, or too few pairs without an arc.
DSNN_API LinkExamples link_examples(const Dataset& dataset, const LinkOptions& options, int number);

/// `count` pairs u != v of a graph with neither u -> v nor v -> u, drawn by a hash of seed and
/// position, with replacement. Throws Error if hardly any pair is left.
DSNN_API std::vector<Arc> absent_pairs(const DirectedGraph& graph, std::int64_t count,
                                       std::uint64_t seed);
/// One of them, by its position; nothing if hardly any pair is left.
DSNN_API std::optional<Arc> absent_pair(const DirectedGraph& graph, std::int64_t position,
                                        std::uint64_t seed);

/// The graph on the same nodes with some of the arcs, and their weights. Throws Error for a pair
/// that is no arc.
DSNN_API DirectedGraph subgraph(const DirectedGraph& graph, const std::vector<Arc>& arcs);

/// Whether there is an edge between u and v. Time O(log degree).
DSNN_API bool has_edge(const DirectedGraph& graph, NodeId u, NodeId v);

}  // namespace dsnn
