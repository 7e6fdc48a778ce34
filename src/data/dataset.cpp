#include "dsnn/data/dataset.h"

#include "dsnn/data/edge_list.h"
#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"

#include "data/input_file.h"
#include "data/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <string_view>
#include <utility>

namespace dsnn {
namespace {

constexpr std::int64_t kMaxNodes = std::numeric_limits<NodeId>::max();
// Class numbers index arrays; one beyond this is no class number.
constexpr std::int64_t kMaxLabel = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::array kMaskNames = {"train_masks", "val_masks", "test_masks"};

using Shape = std::vector<std::int64_t>;

bool is_archive(const std::filesystem::path& path) {
  // A pipe can be opened and read but once, and holds no archive.
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_fifo(status) || std::filesystem::is_character_file(status)) return false;
  InputFile file(path);
  if (!file.is_regular()) return false;
  std::array<char, 4> start{};
  const std::string_view magic(start.data(), file.read(start));
  return magic == "PK\x03\x04" || magic == "PK\x05\x06" || path.extension() == ".npz";
}

[[noreturn]] void fail(const std::filesystem::path& path, std::string_view what) {
  throw Error(fmt::format("{}: {}", path.string(), what));
}

// The largest node says how many nodes there are, where nothing else does. One stray number must
// not ask for gigabytes.
NodeId plausible_num_nodes(const std::filesystem::path& path, const ArcList& list) {
  constexpr std::int64_t kAlwaysPlausible = std::int64_t{1} << 24;
  constexpr std::int64_t kNodesPerArc = 1000;
  const auto num_arcs = static_cast<std::int64_t>(list.arcs.size());
  if (list.num_nodes > kAlwaysPlausible && list.num_nodes / kNodesPerArc > num_arcs) {
    fail(path, fmt::format(
                   "has node {} but only {} arc(s); if {} nodes are meant, say so with --num-nodes",
                   list.num_nodes - 1, num_arcs, list.num_nodes));
  }
  return list.num_nodes;
}

// Builds the graph; the arcs are in range.
Dataset make_dataset(const std::filesystem::path& path, const ArcList& list, NodeId num_nodes) {
  Dataset dataset;
  dataset.name = path.stem().string();
  try {
    dataset.graph = DirectedGraph::from_arcs(num_nodes, list.arcs, list.weights);
  } catch (const std::bad_alloc&) {
    fail(path, fmt::format("a graph of {} nodes and {} arcs needs more memory than there is",
                           num_nodes, list.arcs.size()));
  }
  return dataset;
}

[[noreturn]] void fail_without_nodes(const std::filesystem::path& path) {
  fail(path,
       "holds no arcs and does not say how many nodes there are (give the number of nodes: "
       "--num-nodes)");
}

Dataset read_text(const std::filesystem::path& path, std::optional<NodeId> num_nodes) {
  const ArcList list = read_edge_list(path);
  if (!num_nodes && list.arcs.empty()) fail_without_nodes(path);
  if (num_nodes && *num_nodes < list.num_nodes) {
    fail(path, fmt::format("has node {}, but the graph is to have {} nodes", list.num_nodes - 1,
                           *num_nodes));
  }
  return make_dataset(path, list, num_nodes ? *num_nodes : plausible_num_nodes(path, list));
}

// Reads an archive: first all the shapes, so that what does not fit together is found at once, then
// the numbers.
class ArchiveReader {
 public:
  explicit ArchiveReader(const std::filesystem::path& path) : npz_(path) {}

  Dataset read(std::optional<NodeId> asked_nodes) {
    is_asked_ = asked_nodes.has_value();
    if (is_asked_) expect_nodes(*asked_nodes, "the number of nodes asked for");
    check_shapes();
    const ArcList list = read_arcs();
    if (!num_nodes_ && list.arcs.empty()) fail_without_nodes(npz_.path());
    const std::int64_t num_nodes =
        num_nodes_ ? *num_nodes_ : plausible_num_nodes(npz_.path(), list);
    Dataset dataset = make_dataset(npz_.path(), list, static_cast<NodeId>(num_nodes));
    read_labels(dataset);
    read_splits(dataset);
    if (npz_.contains("node_features")) {
      Array<float> features = npz_.read<float>("node_features");
      dataset.num_features = features.shape[1];
      dataset.features = std::move(features.data);
    }
    return dataset;
  }

 private:
  void check_shapes() {
    const Shape edges = npz_.info("edges").shape;
    if (edges.size() != 2 || edges[1] != 2) fail_shape("edges", edges, "[arcs, 2]");
    if (npz_.contains("edge_weights")) {
      const Shape weights = npz_.info("edge_weights").shape;
      if (weights != Shape{edges[0]}) {
        fail_shape("edge_weights", weights, fmt::format("[{}], one for each arc", edges[0]));
      }
    }
    if (npz_.contains("node_features")) {
      const Shape features = npz_.info("node_features").shape;
      if (features.size() != 2) fail_shape("node_features", features, "[nodes, features]");
      expect_nodes(features[0], "the length of array 'node_features'");
    }
    if (npz_.contains("node_labels")) {
      const Shape labels = npz_.info("node_labels").shape;
      if (labels.size() != 1) fail_shape("node_labels", labels, "[nodes]");
      expect_nodes(labels[0], "the length of array 'node_labels'");
    }
    check_mask_shapes();
    if (npz_.contains("num_nodes")) read_num_nodes();
  }

  void check_mask_shapes() {
    const auto present = [&](const char* name) { return npz_.contains(name); };
    if (std::ranges::none_of(kMaskNames, present)) return;
    for (const char* name : kMaskNames) {
      if (!present(name)) {
        fail_array(name, "is missing, expected train_masks, val_masks and test_masks together");
      }
      const Shape shape = npz_.info(name).shape;
      if (shape.size() != 1 && shape.size() != 2) {
        fail_shape(name, shape, "[splits, nodes] or [nodes]");
      }
      expect_nodes(shape.back(), fmt::format("the length of array '{}'", name));
      const Shape first = npz_.info(kMaskNames[0]).shape;
      if (shape != first) fail_shape(name, shape, format_shape(first) + " as of train_masks");
    }
  }

  // The number that write_dataset() puts into every file, for graphs without node arrays. The
  // caller's number goes before it, the node arrays must agree with it.
  void read_num_nodes() {
    const Array<std::int64_t> number = npz_.read<std::int64_t>("num_nodes");
    if (number.data.size() != 1) fail_shape("num_nodes", number.shape, "a single number");
    if (!is_asked_) expect_nodes(number.data[0], "array 'num_nodes'");
  }

  // All that tells the number of nodes must tell the same.
  void expect_nodes(std::int64_t count, std::string source) {
    if (count < 0 || count > kMaxNodes) {
      fail(npz_.path(), fmt::format("{} is {}, expected 0 to {}", source, count, kMaxNodes));
    }
    if (num_nodes_ && *num_nodes_ != count) {
      fail(npz_.path(),
           fmt::format("{} is {}, but {} is {}", source, count, num_nodes_source_, *num_nodes_));
    }
    if (num_nodes_) return;
    num_nodes_ = count;
    num_nodes_source_ = std::move(source);
  }

  ArcList read_arcs() {
    ArcList list;
    // In a scope of its own: the wide numbers are gone before the graph is built.
    {
      const Array<std::int64_t> edges = npz_.read<std::int64_t>("edges");
      list.arcs.reserve(edges.data.size() / 2);
      for (std::size_t i = 0; i < edges.data.size(); i += 2) {
        list.arcs.push_back(
            {check_node(edges.data[i], i / 2), check_node(edges.data[i + 1], i / 2)});
        list.num_nodes =
            std::max({list.num_nodes, list.arcs.back().source + 1, list.arcs.back().target + 1});
      }
    }
    if (npz_.contains("edge_weights")) list.weights = npz_.read<double>("edge_weights").data;
    const auto is_bad = [](double weight) { return !std::isfinite(weight); };
    const auto bad = std::ranges::find_if(list.weights, is_bad);
    if (bad != list.weights.end()) {
      fail_array("edge_weights", fmt::format("row {} is {}, expected a finite number",
                                             bad - list.weights.begin(), *bad));
    }
    return list;
  }

  NodeId check_node(std::int64_t node, std::size_t row) const {
    if (node >= 0 && node < num_nodes_.value_or(kMaxNodes)) return static_cast<NodeId>(node);
    const std::string expected = num_nodes_ ? fmt::format("but the graph has {} nodes", *num_nodes_)
                                            : fmt::format("expected 0 to {}", kMaxNodes - 1);
    fail_array("edges", fmt::format("row {} has node {}, {}", row, node, expected));
  }

  void read_labels(Dataset& dataset) const {
    if (!npz_.contains("node_labels")) return;
    dataset.labels = npz_.read<std::int64_t>("node_labels").data;
    for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
      const std::int64_t label = dataset.labels[i];
      if (label > kMaxLabel) {
        fail_array("node_labels",
                   fmt::format("row {} is class {}, expected at most {}", i, label, kMaxLabel));
      }
      dataset.num_classes = std::max(dataset.num_classes, label + 1);
    }
  }

  void read_splits(Dataset& dataset) const {
    if (!npz_.contains(kMaskNames[0])) return;
    const auto train = npz_.read<std::uint8_t>(kMaskNames[0]);
    const auto validation = npz_.read<std::uint8_t>(kMaskNames[1]);
    const auto test = npz_.read<std::uint8_t>(kMaskNames[2]);
    if (train.data.empty()) return;  // of no nodes a file may claim any number of splits
    const std::int64_t num_splits = train.shape.size() == 1 ? 1 : train.shape[0];
    for (std::int64_t split = 0; split < num_splits; ++split) {
      const auto mask_of = [&](const Array<std::uint8_t>& masks) {
        const auto begin = masks.data.begin() + split * masks.shape.back();
        return std::vector<std::uint8_t>(begin, begin + masks.shape.back());
      };
      dataset.splits.push_back({mask_of(train), mask_of(validation), mask_of(test)});
    }
  }

  [[noreturn]] void fail_array(std::string_view name, std::string_view what) const {
    fail(npz_.path(), fmt::format("array '{}' {}", name, what));
  }

  [[noreturn]] void fail_shape(std::string_view name, const Shape& shape,
                               std::string_view expected) const {
    fail_array(name, fmt::format("has shape {}, expected {}", format_shape(shape), expected));
  }

  NpzReader npz_;
  std::optional<std::int64_t> num_nodes_;
  std::string num_nodes_source_;  // the words for it
  bool is_asked_ = false;         // num_nodes_ is the caller's
};

// The masks of all splits, one after the other: [splits, n].
std::vector<std::uint8_t> join_masks(const std::vector<Split>& splits,
                                     std::vector<std::uint8_t> Split::*mask) {
  std::vector<std::uint8_t> joined;
  for (const Split& split : splits) {
    joined.insert(joined.end(), (split.*mask).begin(), (split.*mask).end());
  }
  return joined;
}

std::vector<std::int64_t> arcs_as_rows(const DirectedGraph& graph) {
  std::vector<std::int64_t> rows;
  rows.reserve(2 * static_cast<std::size_t>(graph.num_arcs()));
  for (const Arc& arc : graph.arcs()) {
    rows.push_back(arc.source);
    rows.push_back(arc.target);
  }
  return rows;
}

}  // namespace

Dataset read_dataset(const std::filesystem::path& path, std::optional<NodeId> num_nodes) {
  if (num_nodes && *num_nodes < 0) {
    fail(path, fmt::format("the number of nodes asked for is {}, expected 0 or more", *num_nodes));
  }
  return is_archive(path) ? ArchiveReader(path).read(num_nodes) : read_text(path, num_nodes);
}

void write_dataset(const std::filesystem::path& path, const Dataset& dataset) {
  NpzWriter npz(path);
  const std::int64_t n = dataset.graph.num_nodes();
  const std::int64_t num_arcs = dataset.graph.num_arcs();
  // Without it, nodes after the last arc's would be lost.
  npz.add<std::int64_t>("num_nodes", {}, std::span(&n, 1));
  const std::vector<std::int64_t> edges = arcs_as_rows(dataset.graph);
  npz.add<std::int64_t>("edges", {num_arcs, 2}, edges);
  const std::vector<double> weights = dataset.graph.arc_weights();
  if (dataset.graph.is_weighted()) npz.add<double>("edge_weights", {num_arcs}, weights);
  if (dataset.num_features > 0 || !dataset.features.empty()) {
    npz.add<float>("node_features", {n, dataset.num_features}, dataset.features);
  }
  if (!dataset.labels.empty()) npz.add<std::int64_t>("node_labels", {n}, dataset.labels);
  const std::array masks = {join_masks(dataset.splits, &Split::train),
                            join_masks(dataset.splits, &Split::validation),
                            join_masks(dataset.splits, &Split::test)};
  const auto num_splits = static_cast<std::int64_t>(dataset.splits.size());
  for (std::size_t i = 0; i < masks.size() && num_splits > 0; ++i) {
    npz.add<std::uint8_t>(kMaskNames[i], {num_splits, n}, masks[i]);
  }
  npz.commit();
}

}  // namespace dsnn
