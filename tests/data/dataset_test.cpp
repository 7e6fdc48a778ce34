#include "dsnn/data/dataset.h"

#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

#include <iterator>
#include <limits>
#include <map>

namespace dsnn {
namespace {

using testing::contains;
using testing::ends_with;
using testing::message_of;
using testing::read_text;
using testing::TempDir;
using testing::write_text;
using Integers = std::vector<std::int64_t>;
using Masks = std::vector<std::uint8_t>;

// An array to be written, with its values.
template <class T>
struct Stored {
  Integers shape;
  std::vector<T> data;
};

// An archive of which a test removes or damages an array. By default: 4 nodes, 5 arcs of which one
// is a self-loop and one a duplicate.
struct Archive {
  std::map<std::string, Stored<std::int64_t>> integers = {
      {"edges", {{5, 2}, {0, 1, 1, 2, 0, 1, 2, 2, 3, 0}}}, {"node_labels", {{4}, {0, 2, -1, 1}}}};
  std::map<std::string, Stored<double>> reals = {
      {"edge_weights", {{5}, {1, 2, 3, 4, 5}}},
      {"node_features", {{4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}}}};
  std::map<std::string, Stored<std::uint8_t>> booleans = {
      {"train_masks", {{2, 4}, {1, 0, 0, 0, 0, 1, 0, 0}}},
      {"val_masks", {{2, 4}, {0, 1, 0, 0, 1, 0, 0, 0}}},
      {"test_masks", {{2, 4}, {0, 0, 1, 1, 0, 0, 1, 1}}}};

  void without_node_arrays() {
    integers.erase("node_labels");
    reals.erase("node_features");
    booleans.clear();
  }
};

class DatasetTest : public ::testing::Test {
 protected:
  std::filesystem::path write(const Archive& archive) {
    NpzWriter writer(dir_ / "tiny.npz");
    for (const auto& [name, array] : archive.integers) {
      writer.add<std::int64_t>(name, array.shape, array.data);
    }
    for (const auto& [name, array] : archive.reals) {
      writer.add<double>(name, array.shape, array.data);
    }
    for (const auto& [name, array] : archive.booleans) {
      writer.add<std::uint8_t>(name, array.shape, array.data);
    }
    writer.commit();
    return dir_ / "tiny.npz";
  }
  Dataset read(const Archive& archive, std::optional<NodeId> num_nodes = std::nullopt) {
    return read_dataset(write(archive), num_nodes);
  }
  std::string error_of(const Archive& archive, std::optional<NodeId> num_nodes = std::nullopt) {
    const std::string message = message_of<Error>([&] { read(archive, num_nodes); });
    EXPECT_TRUE(contains(message, "tiny.npz: "));
    return message;
  }

  TempDir dir_;
};

TEST_F(DatasetTest, ReadsAnArchive) {
  const Dataset dataset = read(Archive());
  EXPECT_EQ(dataset.name, "tiny");
  EXPECT_EQ(dataset.graph.num_nodes(), 4);
  EXPECT_EQ(dataset.graph.num_arcs(), 3);
  EXPECT_EQ(dataset.graph.arc_weights(), (std::vector<double>{4, 2, 5}));  // 0->1, 1->2, 3->0
  EXPECT_EQ(dataset.graph.dropped().self_loops, 1);
  EXPECT_EQ(dataset.graph.dropped().duplicates, 1);
  EXPECT_EQ(dataset.features, Features::dense(4, 2, {1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(dataset.labels, (Integers{0, 2, -1, 1}));
  EXPECT_EQ(dataset.num_classes, 3);
  ASSERT_EQ(dataset.splits.size(), 2u);
  EXPECT_EQ(dataset.splits[0].train, (Masks{1, 0, 0, 0}));
  EXPECT_EQ(dataset.splits[1].train, (Masks{0, 1, 0, 0}));
  EXPECT_EQ(dataset.splits[1].validation, (Masks{1, 0, 0, 0}));
  EXPECT_EQ(dataset.splits[1].test, (Masks{0, 0, 1, 1}));
}

TEST_F(DatasetTest, ReadsAnArchiveWithNothingButEdges) {
  Archive archive;
  archive.without_node_arrays();
  archive.reals.clear();
  const Dataset dataset = read(archive);
  EXPECT_EQ(dataset.graph.num_nodes(), 4);
  EXPECT_FALSE(dataset.graph.is_weighted());
  EXPECT_TRUE(dataset.features.empty());
  EXPECT_TRUE(dataset.labels.empty());
  EXPECT_EQ(dataset.num_classes, 0);
  EXPECT_TRUE(dataset.splits.empty());
}

TEST_F(DatasetTest, ReadsMasksOfASingleSplit) {
  Archive archive;
  for (auto& [name, array] : archive.booleans) {
    array.shape = {4};
    array.data.resize(4);
  }
  const Dataset dataset = read(archive);
  ASSERT_EQ(dataset.splits.size(), 1u);
  EXPECT_EQ(dataset.splits[0].test, (Masks{0, 0, 1, 1}));
}

TEST_F(DatasetTest, TakesTheNumberOfNodesFromWhoeverKnowsIt) {
  Archive archive;
  archive.without_node_arrays();
  EXPECT_EQ(read(archive, 9).graph.num_nodes(), 9);
  archive.integers["num_nodes"] = {{}, {6}};
  EXPECT_EQ(read(archive).graph.num_nodes(), 6);
  EXPECT_EQ(read(archive, 9).graph.num_nodes(), 9);
  archive.integers["node_labels"] = {{6}, Integers(6)};
  EXPECT_EQ(read(archive).graph.num_nodes(), 6);
}

TEST_F(DatasetTest, ReadsAGraphWithoutArcs) {
  Archive archive;
  archive.integers["edges"] = {{0, 2}, {}};
  archive.reals["edge_weights"] = {{0}, {}};
  EXPECT_EQ(read(archive).graph.num_nodes(), 4);
  archive.without_node_arrays();
  EXPECT_EQ(read(archive, 3).graph.num_nodes(), 3);
  EXPECT_TRUE(ends_with(error_of(archive),
                        "tiny.npz: contains no arcs and does not give the number of nodes (use "
                        "--num-nodes)"));
}

TEST_F(DatasetTest, ChecksTheEdges) {
  Archive archive;
  archive.integers["edges"] = {{2, 3}, Integers(6)};
  EXPECT_TRUE(ends_with(error_of(archive), "array 'edges' has shape [2, 3], expected [arcs, 2]"));
  archive.integers["edges"] = {{4}, Integers(4)};
  EXPECT_TRUE(ends_with(error_of(archive), "array 'edges' has shape [4], expected [arcs, 2]"));
  archive.integers.erase("edges");
  EXPECT_TRUE(contains(error_of(archive), "no array named 'edges' (has: edge_weights, "));
  archive.reals["edges"] = {{1, 2}, {0, 1}};
  archive.reals["edge_weights"] = {{1}, {1}};
  EXPECT_TRUE(ends_with(error_of(archive), "array 'edges' has dtype <f8, expected integers"));
}

TEST_F(DatasetTest, ChecksTheRangeOfNodes) {
  Archive archive;
  archive.integers["edges"].data[5] = 4;
  EXPECT_TRUE(
      ends_with(error_of(archive), "array 'edges' row 2 has node 4, but the graph has 4 nodes"));
  archive.integers["edges"].data[5] = -1;
  EXPECT_TRUE(ends_with(error_of(archive), "row 2 has node -1, but the graph has 4 nodes"));
  archive.without_node_arrays();
  EXPECT_TRUE(ends_with(error_of(archive), "row 2 has node -1, expected 0 to 2147483646"));
  archive.integers["edges"].data[5] = 2147483647;
  EXPECT_TRUE(ends_with(error_of(archive), "row 2 has node 2147483647, expected 0 to 2147483646"));
  archive.integers["edges"].data[5] = 4294967296;  // 0 in 32 bits
  EXPECT_TRUE(contains(error_of(archive), "row 2 has node 4294967296"));
  archive.integers["edges"].data[5] = 1;
  EXPECT_TRUE(ends_with(error_of(archive, 3), "row 4 has node 3, but the graph has 3 nodes"));
}

TEST_F(DatasetTest, ChecksTheWeights) {
  Archive archive;
  archive.reals["edge_weights"] = {{4}, {1, 2, 3, 4}};
  EXPECT_TRUE(ends_with(error_of(archive),
                        "array 'edge_weights' has shape [4], expected [5], one weight per arc"));
  archive.reals["edge_weights"] = {{5}, {1, 2, std::numeric_limits<double>::infinity(), 4, 5}};
  EXPECT_TRUE(
      ends_with(error_of(archive), "array 'edge_weights' row 2 is inf, expected a finite number"));
}

TEST_F(DatasetTest, ChecksThatAllAgreeOnTheNumberOfNodes) {
  Archive archive;
  EXPECT_TRUE(ends_with(error_of(archive, 5),
                        "the length of array 'node_features' is 4, but the requested number of "
                        "nodes is 5"));
  archive.integers["node_labels"] = {{5}, Integers(5)};
  EXPECT_TRUE(ends_with(error_of(archive),
                        "the length of array 'node_labels' is 5, but the length of array "
                        "'node_features' is 4"));
  archive = Archive();
  archive.booleans["val_masks"] = {{2, 3}, Masks(6)};
  EXPECT_TRUE(contains(error_of(archive), "the length of array 'val_masks' is 3, but"));
  archive = Archive();
  archive.integers["num_nodes"] = {{}, {7}};
  EXPECT_TRUE(contains(error_of(archive), "array 'num_nodes' is 7, but the length of array"));
  archive.integers["num_nodes"] = {{2}, {4, 4}};
  EXPECT_TRUE(
      ends_with(error_of(archive), "array 'num_nodes' has shape [2], expected a single value"));
  archive.without_node_arrays();
  archive.integers["num_nodes"] = {{}, {-1}};
  EXPECT_TRUE(ends_with(error_of(archive), "array 'num_nodes' is -1, expected 0 to 2147483647"));
}

TEST_F(DatasetTest, ChecksTheNodeArrays) {
  Archive archive;
  archive.integers["node_labels"] = {{4, 1}, Integers(4)};
  EXPECT_TRUE(
      ends_with(error_of(archive), "array 'node_labels' has shape [4, 1], expected [nodes]"));
  archive.integers["node_labels"] = {{4}, {0, 1, std::numeric_limits<std::int64_t>::max(), 0}};
  EXPECT_TRUE(contains(error_of(archive),
                       "array 'node_labels' row 2 is class 9223372036854775807, expected at most"));
  archive = Archive();
  archive.reals["node_features"] = {{4}, {1, 2, 3, 4}};
  EXPECT_TRUE(ends_with(error_of(archive),
                        "array 'node_features' has shape [4], expected [nodes, features]"));
}

TEST_F(DatasetTest, ChecksTheMasks) {
  Archive archive;
  archive.booleans.erase("val_masks");
  EXPECT_TRUE(ends_with(error_of(archive),
                        "array 'val_masks' is missing, expected train_masks, val_masks and "
                        "test_masks together"));
  archive = Archive();
  archive.booleans["test_masks"] = {{1, 4}, Masks(4)};
  EXPECT_TRUE(ends_with(error_of(archive),
                        "array 'test_masks' has shape [1, 4], expected [2, 4] as for train_masks"));
  archive.booleans["test_masks"] = {{2, 2, 4}, Masks(16)};
  EXPECT_TRUE(ends_with(error_of(archive),
                        "array 'test_masks' has shape [2, 2, 4], expected [splits, nodes] or "
                        "[nodes]"));
}

// No values, but a shape that would create splits until the memory is full.
TEST_F(DatasetTest, IgnoresSplitsOfNoNodes) {
  Archive archive;
  archive.without_node_arrays();
  archive.integers["edges"] = {{0, 2}, {}};
  archive.reals.clear();
  for (const char* name : {"train_masks", "val_masks", "test_masks"}) {
    archive.booleans[name] = {{std::int64_t{1} << 50, 0}, {}};
  }
  EXPECT_TRUE(read(archive).splits.empty());
}

TEST_F(DatasetTest, ReadsAnEdgeList) {
  const Dataset dataset = read_dataset(write_text(dir_ / "some.graph.txt", "0 1\n1 2\n0 1\n2 2\n"));
  EXPECT_EQ(dataset.name, "some.graph");
  EXPECT_EQ(dataset.graph.num_nodes(), 3);
  EXPECT_EQ(dataset.graph.num_arcs(), 2);
  EXPECT_EQ(dataset.graph.dropped().self_loops, 1);
  EXPECT_EQ(dataset.graph.dropped().duplicates, 1);
  EXPECT_EQ(read_dataset(dir_ / "some.graph.txt", 7).graph.num_nodes(), 7);
  EXPECT_TRUE(ends_with(message_of<Error>([&] { read_dataset(dir_ / "some.graph.txt", 2); }),
                        "some.graph.txt: has node 2, but 2 nodes were requested"));
  EXPECT_TRUE(ends_with(message_of<Error>([&] { read_dataset(dir_ / "some.graph.txt", -1); }),
                        "the requested number of nodes is -1, expected 0 or more"));
}

TEST_F(DatasetTest, AsksForTheNumberOfNodesOfAnEmptyEdgeList) {
  const std::filesystem::path path = write_text(dir_ / "none.txt", "# nothing\n");
  EXPECT_TRUE(contains(message_of<Error>([&] { read_dataset(path); }),
                       "none.txt: contains no arcs and does not give the number of nodes"));
  EXPECT_EQ(read_dataset(path, 2).graph.num_nodes(), 2);
  EXPECT_EQ(read_dataset(path, 0).graph.num_nodes(), 0);
}

TEST_F(DatasetTest, TellsFilesByTheirContent) {
  const std::filesystem::path archive = write(Archive());
  std::filesystem::rename(archive, dir_ / "tiny.txt");
  EXPECT_EQ(read_dataset(dir_ / "tiny.txt").num_classes, 3);

  const auto error_for = [&](const std::string& name, const std::string& bytes) {
    return message_of<Error>([&] { read_dataset(write_text(dir_ / name, bytes)); });
  };
  EXPECT_TRUE(contains(error_for("text.npz", "0 1\n"), "text.npz: not an .npz archive"));
  EXPECT_TRUE(contains(error_for("empty.npz", ""), "empty.npz: is empty"));
  EXPECT_TRUE(contains(error_for("cut.npz", read_text(dir_ / "tiny.txt").substr(0, 300)),
                       "cut.npz: not an .npz archive (damaged or truncated"));
  EXPECT_TRUE(contains(error_for("none.npz", "PK\x05\x06" + std::string(18, '\0')),
                       "none.npz: no array named 'edges' (has: no arrays)"));
  EXPECT_TRUE(contains(error_for("binary", std::string(100, '\0')), "binary: binary data"));
  EXPECT_TRUE(ends_with(message_of<Error>([&] { read_dataset(dir_ / "missing"); }),
                        "missing: cannot open: No such file or directory"));
  EXPECT_TRUE(contains(message_of<Error>([&] { read_dataset(dir_.path()); }), "is a directory"));
}

TEST_F(DatasetTest, RoundTrips) {
  const Dataset dataset = read(Archive());
  write_dataset(dir_ / "again.npz", dataset);
  const Dataset back = read_dataset(dir_ / "again.npz");
  EXPECT_EQ(back.graph.num_nodes(), 4);
  EXPECT_EQ(back.graph.num_arcs(), 3);
  EXPECT_EQ(back.graph.arc_weights(), dataset.graph.arc_weights());
  EXPECT_EQ(back.graph.dropped().self_loops, 0);
  EXPECT_EQ(back.graph.dropped().duplicates, 0);
  EXPECT_EQ(back.features, dataset.features);
  EXPECT_EQ(back.labels, dataset.labels);
  EXPECT_EQ(back.num_classes, 3);
  ASSERT_EQ(back.splits.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(back.splits[i].train, dataset.splits[i].train);
    EXPECT_EQ(back.splits[i].validation, dataset.splits[i].validation);
    EXPECT_EQ(back.splits[i].test, dataset.splits[i].test);
  }
  const NpzReader npz(dir_ / "again.npz");
  EXPECT_EQ(npz.info("node_features").dtype, "<f4");
  EXPECT_EQ(npz.info("edges").dtype, "<i8");
  EXPECT_EQ(npz.info("train_masks").dtype, "|b1");
}

TEST_F(DatasetTest, KeepsIsolatedNodesOfABareGraph) {
  Dataset dataset;
  const std::vector<Arc> arcs = {{2, 0}, {0, 1}};
  dataset.graph = DirectedGraph::from_arcs(6, arcs);
  write_dataset(dir_ / "bare.npz", dataset);
  EXPECT_EQ(NpzReader(dir_ / "bare.npz").names(), (std::vector<std::string>{"edges", "num_nodes"}));
  const Dataset back = read_dataset(dir_ / "bare.npz");
  EXPECT_EQ(back.graph.num_nodes(), 6);
  EXPECT_EQ(NpzReader(dir_ / "bare.npz").read<std::int64_t>("edges").data, (Integers{0, 1, 2, 0}));
}

TEST_F(DatasetTest, RefusesToWriteWhatDoesNotFit) {
  Dataset dataset = read(Archive());
  dataset.labels.pop_back();
  EXPECT_TRUE(ends_with(message_of<Error>([&] { write_dataset(dir_ / "bad.npz", dataset); }),
                        "bad.npz: array 'node_labels' has shape [4], but 3 elements"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "bad.npz"));
}

TEST_F(DatasetTest, RefusesAStrayNodeUnlessToldThatItIsMeant) {
  const auto path = write_text(dir_ / "stray.txt", "0 1\n1 40000000\n");
  EXPECT_TRUE(contains(message_of<Error>([&] { read_dataset(path); }),
                       "has node 40000000 but only 2 arc(s)"));
  EXPECT_EQ(read_dataset(path, 40000001).graph.num_nodes(), 40000001);
}

// --- names and sparse features ---

// A graph of two nodes with features [[0, 3], [1, 0]].
class SparseDatasetTest : public ::testing::Test {
 protected:
  Dataset read() {
    NpzWriter writer(dir_ / "sparse.npz");
    writer.add<std::int64_t>("edges", {1, 2}, edges_);
    writer.add<float>("x_data", {std::ssize(data_)}, data_);
    writer.add<std::int64_t>("x_indices", {std::ssize(indices_)}, indices_);
    writer.add<std::int64_t>("x_indptr", {std::ssize(indptr_)}, indptr_);
    writer.add<std::int64_t>("x_shape", {std::ssize(shape_)}, shape_);
    for (const auto& [name, text] : texts_) writer.add_strings(name, text);
    writer.commit();
    return read_dataset(dir_ / "sparse.npz");
  }
  std::string error() {
    return message_of<Error>([&] { read(); });
  }

  TempDir dir_;
  Integers edges_ = {0, 1}, indices_ = {1, 0}, indptr_ = {0, 1, 2}, shape_ = {2, 2};
  std::vector<float> data_ = {3, 1};
  std::map<std::string, std::vector<std::string>> texts_;
};

TEST_F(SparseDatasetTest, StaysSparseAndKeepsNames) {
  texts_ = {{"node_ids", {"\xce\xb1", "b"}}, {"feature_names", {"age", ""}}};
  Dataset dataset = read();
  EXPECT_TRUE(dataset.features.is_sparse());
  EXPECT_EQ(dataset.features.to_dense(), Features::dense(2, 2, {0, 3, 1, 0}));
  EXPECT_EQ(dataset.node_ids, texts_["node_ids"]);
  dataset.labels = {0, 1};
  dataset.num_classes = 3;
  dataset.label_names = {"x", "y", "a class without a node"};
  write_dataset(dir_ / "again.npz", dataset);
  const Dataset back = read_dataset(dir_ / "again.npz");
  EXPECT_EQ(back.features, dataset.features);
  EXPECT_EQ(back.node_ids, dataset.node_ids);
  EXPECT_EQ(back.feature_names, dataset.feature_names);
  EXPECT_EQ(back.label_names, dataset.label_names);
  EXPECT_EQ(back.num_classes, 3);
  EXPECT_EQ(NpzReader(dir_ / "again.npz").info("node_features_indices").dtype, "<i4");
}

TEST(DatasetNames, OfLabelsWithoutANameAreTheirNumbers) {
  Dataset dataset;
  EXPECT_EQ(dataset.label_name(1), "1");
  dataset.label_names = {"cat", "dog"};
  EXPECT_EQ(dataset.label_name(1), "dog");
  EXPECT_EQ(dataset.label_name(-1), "-1");
  EXPECT_EQ(dataset.label_name(2), "2");
}

TEST_F(SparseDatasetTest, RefusesArraysThatDoNotFit) {
  const auto expect = [&](const std::string& sentence) {
    EXPECT_TRUE(ends_with(error(), sentence));
    indices_ = {1, 0}, indptr_ = {0, 1, 2}, shape_ = {2, 2}, data_ = {3, 1};
    texts_.clear();
  };
  shape_ = {3, 2};
  indptr_ = {0, 1, 2, 2};
  texts_["node_ids"] = {"a", "b"};
  expect("array 'node_ids' has shape [2], expected [3]");
  shape_ = {2};
  expect("array 'x_shape' is [2], expected [nodes, features]");
  shape_ = {2, -1};
  expect("array 'x_shape' is [2, -1], expected [nodes, features]");
  shape_ = {2, 1};
  expect("array 'x_indices' has column 1, expected 0 to 0");
  indices_ = {-1, 0};
  expect("array 'x_indices' has column -1, expected 0 to 1");
  indices_ = {std::int64_t{1} << 40, 0};
  expect("array 'x_indices' contains 1099511627776, expected at most 2^31 - 1");
  for (const Integers& indptr : {Integers{0, 1}, Integers{1, 1, 2}, Integers{0, 1, 3},
                                 Integers{0, 3, 2}, Integers{0, -1, 2}}) {
    indptr_ = indptr;
    expect("array 'x_indptr' is not a valid row pointer for 2 entries and 2 rows");
  }
  data_ = {1};
  expect("array 'x_data' has 1 elements, but x_indices has 2");
}

TEST_F(SparseDatasetTest, SaysThatFeaturesAreNotFinite) {
  data_ = {std::numeric_limits<float>::infinity(), 1};
  EXPECT_EQ(read().notes, (std::vector<std::string>{"1 feature value is not finite"}));
}

}  // namespace
}  // namespace dsnn
