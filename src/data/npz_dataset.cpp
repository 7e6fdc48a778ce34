#include "data/npz_dataset.h"

#include "dsnn/data/npz.h"

#include "data/build_dataset.h"
#include "data/link_splits_npz.h"
#include "data/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

namespace dsnn {
namespace {

constexpr std::array kMaskNames = {"train_masks", "val_masks", "test_masks"};
constexpr std::int64_t kMaxColumns = std::numeric_limits<std::int32_t>::max();

using Shape = std::vector<std::int64_t>;

// Reads an archive: first all the shapes, so that what does not fit together is found at once, then
// the numbers.
class ArchiveReader {
 public:
  explicit ArchiveReader(const std::filesystem::path& path) : npz_(path) {}

  Dataset read(std::optional<NodeId> asked_nodes) {
    is_asked_ = asked_nodes.has_value();
    if (is_asked_) expect_nodes(*asked_nodes, "the requested number of nodes");
    check_shapes();
    check_num_nodes();
    const ArcList list = read_arcs();
    if (!num_nodes_ && list.arcs.empty()) fail_without_nodes(npz_.path());
    const std::int64_t num_nodes =
        num_nodes_ ? *num_nodes_
                   : plausible_num_nodes(npz_.path(), list.num_nodes, list.arcs.size());
    Dataset dataset = make_dataset(npz_.path(), list, static_cast<NodeId>(num_nodes));
    read_labels(dataset);
    read_splits(dataset);
    dataset.link_splits = read_link_splits(npz_, dataset.graph.num_nodes());
    read_features(dataset);
    dataset.node_ids = read_names("node_ids", num_nodes);
    dataset.feature_names = read_names("feature_names", dataset.features.num_columns);
    return dataset;
  }

 private:
  void check_shapes() {
    const Shape edges = npz_.info("edges").shape;
    if (edges.size() != 2 || edges[1] != 2) fail_shape("edges", edges, "[arcs, 2]");
    if (npz_.contains("edge_weights")) {
      const Shape weights = npz_.info("edge_weights").shape;
      if (weights != Shape{edges[0]}) {
        fail_shape("edge_weights", weights, fmt::format("[{}], one weight per arc", edges[0]));
      }
    }
    if (npz_.contains("node_features")) {
      const Shape features = npz_.info("node_features").shape;
      if (features.size() != 2) fail_shape("node_features", features, "[nodes, features]");
      expect_nodes(features[0], "the length of array 'node_features'");
      has_node_entries_ |= has_numbers("node_features") && features[1] > 0;
    }
    find_sparse_features();
    if (npz_.contains("node_labels")) {
      const Shape labels = npz_.info("node_labels").shape;
      if (labels.size() != 1) fail_shape("node_labels", labels, "[nodes]");
      expect_nodes(labels[0], "the length of array 'node_labels'");
      has_node_entries_ |= has_numbers("node_labels");
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
      has_node_entries_ |= has_numbers(name) && (shape.size() == 1 || shape[0] > 0);
      const Shape first = npz_.info(kMaskNames[0]).shape;
      if (shape != first) fail_shape(name, shape, format_shape(first) + " as for train_masks");
    }
  }

  // The number that write_dataset() puts into every file, for graphs without node arrays. The
  // caller's number goes before it, the node arrays must agree with it.
  void read_num_nodes() {
    const Array<std::int64_t> number = npz_.read<std::int64_t>("num_nodes");
    if (number.data.size() != 1) fail_shape("num_nodes", number.shape, "a single value");
    if (!is_asked_) expect_nodes(number.data[0], "array 'num_nodes'");
  }

  // Whether the array is of a type that can be read, so that it is known to be as long as its
  // header says.
  bool has_numbers(const std::string& name) const {
    return parse_element_type(npz_.info(name).dtype).has_value();
  }

  // Where nothing in the file is as long as there are nodes (an array [n, 0] is not), its arcs must
  // make their number plausible.
  void check_num_nodes() const {
    if (is_asked_ || !num_nodes_ || has_node_entries_) return;
    plausible_num_nodes(npz_.path(), *num_nodes_,
                        static_cast<std::size_t>(npz_.info("edges").shape[0]));
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
    const std::int64_t most = max_classes(dataset.graph.num_nodes());
    const auto expected = [&](std::int64_t number) {
      return fmt::format("expected at most {} for {} nodes", number, dataset.graph.num_nodes());
    };
    for (std::size_t i = 0; i < dataset.labels.size(); ++i) {
      const std::int64_t label = dataset.labels[i];
      if (label >= most) {
        fail_array("node_labels",
                   fmt::format("row {} is class {}, {}", i, label, expected(most - 1)));
      }
      dataset.num_classes = std::max(dataset.num_classes, label + 1);
    }
    if (!npz_.contains("label_names")) return;
    const std::int64_t num_names =
        npz_.info("label_names").shape.empty() ? 0 : npz_.info("label_names").shape[0];
    if (num_names > most) {
      fail_array("label_names", fmt::format("has {} names, {}", num_names, expected(most)));
    }
    // Classes without a node may have a name.
    dataset.num_classes = std::max(dataset.num_classes, num_names);
    dataset.label_names = read_names("label_names", dataset.num_classes);
  }

  // Four arrays P + "data", "indices", "indptr", "shape", as SciPy has a matrix in compressed rows.
  // P is node_features_ or the only one there is; adj_ is known elsewhere as the graph's.
  void find_sparse_features() {
    if (npz_.contains("node_features")) return;
    constexpr std::string_view kLast = "indptr";
    std::vector<std::string> prefixes;
    for (const std::string& name : npz_.names()) {
      if (!name.ends_with(kLast)) continue;
      const std::string prefix = name.substr(0, name.size() - kLast.size());
      const auto present = [&](const char* part) { return npz_.contains(prefix + part); };
      if (prefix != "adj_" && present("data") && present("indices") && present("shape")) {
        prefixes.push_back(prefix);
      }
    }
    const auto named = std::ranges::find_if(
        prefixes, [](const std::string& prefix) { return prefix.starts_with("node_features"); });
    if (named != prefixes.end()) prefixes = {*named};
    if (prefixes.empty()) return;
    if (prefixes.size() > 1) {
      fail(npz_.path(), fmt::format("has several sparse matrices ({}...), expected one, or "
                                    "node_features_data, _indices, _indptr and _shape",
                                    fmt::join(prefixes, "..., ")));
    }
    sparse_prefix_ = prefixes[0];
    const std::string shape_name = *sparse_prefix_ + "shape";
    const Array<std::int64_t> shape = npz_.read<std::int64_t>(shape_name);
    if (shape.data.size() != 2 || shape.data[1] < 0 || shape.data[1] > kMaxColumns) {
      fail_array(shape_name,
                 fmt::format("is {}, expected [nodes, features]", format_shape(shape.data)));
    }
    expect_nodes(shape.data[0], fmt::format("the first element of array '{}'", shape_name));
    const std::string offsets_name = *sparse_prefix_ + "indptr";
    has_node_entries_ |=
        has_numbers(offsets_name) && npz_.info(offsets_name).shape == Shape{shape.data[0] + 1};
    num_sparse_columns_ = shape.data[1];
  }

  void read_features(Dataset& dataset) const {
    if (npz_.contains("node_features")) {
      Array<float> features = npz_.read<float>("node_features");
      dataset.features =
          Features::dense(features.shape[0], features.shape[1], std::move(features.data));
    } else if (sparse_prefix_) {
      dataset.features = read_sparse_features(dataset.graph.num_nodes());
    }
    note_features(dataset);
  }

  Features read_sparse_features(std::int64_t num_rows) const {
    Features features;
    features.num_rows = num_rows;
    features.num_columns = num_sparse_columns_;
    features.offsets = npz_.read<std::int64_t>(*sparse_prefix_ + "indptr").data;
    features.columns = npz_.read<std::int32_t>(*sparse_prefix_ + "indices").data;
    features.values = npz_.read<float>(*sparse_prefix_ + "data").data;
    const auto count = static_cast<std::int64_t>(features.columns.size());
    if (features.values.size() != features.columns.size()) {
      fail_array(*sparse_prefix_ + "data",
                 fmt::format("has {} elements, but {}indices has {}", features.values.size(),
                             *sparse_prefix_, count));
    }
    const std::vector<std::int64_t>& offsets = features.offsets;
    if (std::ssize(offsets) != num_rows + 1 || offsets.front() != 0 || offsets.back() != count ||
        !std::ranges::is_sorted(offsets)) {
      fail_array(
          *sparse_prefix_ + "indptr",
          fmt::format("is not a valid row pointer for {} entries and {} rows", count, num_rows));
    }
    for (const std::int32_t column : features.columns) {
      if (column >= 0 && column < num_sparse_columns_) continue;
      fail_array(*sparse_prefix_ + "indices",
                 fmt::format("has column {}, expected 0 to {}", column, num_sparse_columns_ - 1));
    }
    sort_rows(features);
    return features;
  }

  // Nothing if there is no such array.
  std::vector<std::string> read_names(const char* name, std::int64_t count) const {
    if (!npz_.contains(name)) return {};
    const Shape shape = npz_.info(name).shape;
    if (shape != Shape{count}) fail_shape(name, shape, format_shape({count}));
    return npz_.read_strings(name);
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
  std::string num_nodes_source_;   // the words for it
  bool has_node_entries_ = false;  // an array has an entry for each node
  std::optional<std::string> sparse_prefix_;
  std::int64_t num_sparse_columns_ = 0;
  bool is_asked_ = false;  // num_nodes_ is the caller's
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

Dataset read_npz_dataset(const std::filesystem::path& path, std::optional<NodeId> num_nodes) {
  return ArchiveReader(path).read(num_nodes);
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
  const Features& features = dataset.features;
  const std::array<std::int64_t, 2> shape = {n, features.num_columns};
  const auto num_entries = static_cast<std::int64_t>(features.values.size());
  if (features.is_sparse()) {
    npz.add<float>("node_features_data", {num_entries}, features.values);
    npz.add<std::int32_t>("node_features_indices", {num_entries}, features.columns);
    npz.add<std::int64_t>("node_features_indptr", {n + 1}, features.offsets);
    npz.add<std::int64_t>("node_features_shape", {2}, shape);
  } else if (!features.empty()) {
    npz.add<float>("node_features", {n, features.num_columns}, features.values);
  }
  if (!dataset.feature_names.empty()) npz.add_strings("feature_names", dataset.feature_names);
  if (!dataset.labels.empty()) npz.add<std::int64_t>("node_labels", {n}, dataset.labels);
  if (!dataset.label_names.empty()) npz.add_strings("label_names", dataset.label_names);
  if (!dataset.node_ids.empty()) npz.add_strings("node_ids", dataset.node_ids);
  const std::array masks = {join_masks(dataset.splits, &Split::train),
                            join_masks(dataset.splits, &Split::validation),
                            join_masks(dataset.splits, &Split::test)};
  const auto num_splits = static_cast<std::int64_t>(dataset.splits.size());
  for (std::size_t i = 0; i < masks.size() && num_splits > 0; ++i) {
    npz.add<std::uint8_t>(kMaskNames[i], {num_splits, n}, masks[i]);
  }
  const LinkSplitArrays link_splits(dataset.link_splits);
  link_splits.add_to(npz);
  npz.commit();
}

}  // namespace dsnn
