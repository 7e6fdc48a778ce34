#include "dsnn/data/dataset.h"
#include "dsnn/data/folders.h"
#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"

#include "data/child_process.h"
#include "data/npy_bytes.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <functional>

// Small files that once allocated gigabytes or were misread: what the fuzz targets found.

namespace dsnn {
namespace {

using testing::contains;
using testing::message_of;
using testing::npy_bytes;
using testing::npy_dictionary;
using testing::raw_bytes;
using testing::TempDir;
using testing::write_text;
using testing::write_zip;

class HostileFilesTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((dir_ / name).parent_path());
    write_text(dir_ / name, text);
  }

  // The error of a process that has less than a gigabyte of memory.
  static ::testing::AssertionResult refuses(const std::function<Dataset()>& read,
                                            const std::string& part) {
    return testing::passes_in_child([&] {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
      const rlimit limit{rlim_t{1} << 30, rlim_t{1} << 30};
      ::setrlimit(RLIMIT_AS, &limit);
#endif
      return contains(message_of<Error>([&] { read(); }), part);
    });
  }

  // An archive of two arcs and arrays that have only a header.
  ::testing::AssertionResult refuses_promises(
      const std::vector<std::pair<std::string, std::string>>& dictionaries,
      const std::string& part) {
    std::vector<std::pair<std::string, std::string>> members = {
        {"edges.npy",
         npy_bytes(npy_dictionary("<i8", "(2, 2)"), raw_bytes<std::int64_t>({0, 1, 1, 2}))}};
    for (const auto& [name, dictionary] : dictionaries) {
      members.emplace_back(name + ".npy", npy_bytes(dictionary, ""));
    }
    const auto path = write_zip(dir_ / "graph.npz", members);
    return refuses([&] { return read_dataset(path); }, part);
  }

  TempDir dir_;
};

TEST_F(HostileFilesTest, NpzArraysDoNotPromiseNodesThatTheyDoNotHave) {
  const std::string truncated = "is truncated (the header declares";
  const std::string implausible = "has node 2147483646 but only 2 arc(s)";
  EXPECT_TRUE(refuses_promises({{"node_labels", npy_dictionary("<i8", "(2147483647,)")}},
                               "'node_labels' " + truncated));
  EXPECT_TRUE(refuses_promises({{"node_features", npy_dictionary("<f4", "(2147483647, 8)")}},
                               "'node_features' " + truncated));
  // Without features or splits, no values can be missing.
  EXPECT_TRUE(
      refuses_promises({{"node_features", npy_dictionary("<f4", "(2147483647, 0)")}}, implausible));
  const std::string masks = npy_dictionary("|b1", "(0, 2147483647)");
  EXPECT_TRUE(refuses_promises(
      {{"train_masks", masks}, {"val_masks", masks}, {"test_masks", masks}}, implausible));
  // The length of an array of unknown type cannot be checked either.
  EXPECT_TRUE(
      refuses_promises({{"node_features", npy_dictionary("<f3", "(2147483647, 8)")}}, implausible));
  EXPECT_TRUE(refuses_promises({{"edge_weights", npy_dictionary("<f8", "(2,)")}},
                               "'edge_weights' " + truncated));
}

// Tables have entries for all classes up to the largest number, and names take memory.
TEST_F(HostileFilesTest, NpzClassesAreInProportionToTheNodes) {
  const auto write_labels = [&](std::int64_t last, std::int64_t num_names) {
    const std::string names(static_cast<std::size_t>(num_names), '\0');
    return write_zip(dir_ / "graph.npz",
                     {{"edges.npy", npy_bytes(npy_dictionary("<i8", "(2, 2)"),
                                              raw_bytes<std::int64_t>({0, 1, 1, 2}))},
                      {"node_labels.npy", npy_bytes(npy_dictionary("<i8", "(3,)"),
                                                    raw_bytes<std::int64_t>({0, 1, last}))},
                      {"label_names.npy",
                       npy_bytes(npy_dictionary("|S1", fmt::format("({},)", num_names)), names)}},
                     ZIP_CM_DEFLATE);
  };
  const auto read = [&] { return read_dataset(dir_ / "graph.npz"); };
  write_labels(400'000'000, 2);
  EXPECT_TRUE(refuses(read,
                      "graph.npz: array 'node_labels' row 2 is class 400000000, expected at most "
                      "999999 for 3 nodes"));
  write_labels(1, 30'000'000);
  EXPECT_TRUE(refuses(read,
                      "graph.npz: array 'label_names' has 30000000 names, expected at most 1000000 "
                      "for 3 nodes"));
  write_labels(999'999, 1'000'000);
  EXPECT_EQ(read().label_names.size(), 1'000'000U);
}

TEST_F(HostileFilesTest, FoldersHaveClassesInProportionToTheNodes) {
  write("raw/edge.csv", "0,1\n1,2\n");
  write("raw/node-label.csv", "0\n1\n1000000\n");
  EXPECT_TRUE(refuses([&] { return read_ogb(dir_.path()); },
                      "node-label.csv:3: '1000000', expected an integer from 0 to 999999"));
  write("out1_graph_edges.txt", "a\tb\n0\t1\n");
  write("out1_node_feature_label.txt", "h\n1\t1\t1000000\n0\t1\t0\n");
  EXPECT_TRUE(refuses([&] { return read_geom_gcn(dir_.path()); },
                      "out1_node_feature_label.txt: node 1 has label 1000000, expected at most "
                      "999999 for 2 nodes"));
}

TEST_F(HostileFilesTest, OgbFeaturesHaveTheirColumns) {
  write("raw/edge.csv", "0,1\n1,2\n");
  write("raw/num-node-list.csv", "3\n");
  write("raw/node-feat.csv", "0.5,1\n-2,3\n0,0\n");
  const Dataset dataset = read_ogb(dir_.path());
  EXPECT_EQ(dataset.features, Features::dense(3, 2, {0.5, 1, -2, 3, 0, 0}));
}

TEST_F(HostileFilesTest, OgbWithoutArcsAndCountIsNoGraph) {
  write("raw/edge.csv", "\n");
  EXPECT_TRUE(contains(
      message_of<Error>([&] { read_ogb(dir_.path()); }),
      "edge.csv: contains no arcs, and num-node-list.csv.gz with the number of nodes is missing"));
  write("raw/num-node-list.csv", "3\n");
  EXPECT_EQ(read_ogb(dir_.path()).graph.num_nodes(), 3);
}

TEST_F(HostileFilesTest, OgbCountTakesNoMemoryForFeaturesThatAreNotThere) {
  write("raw/edge.csv", "0,1\n1,2\n");
  write("raw/num-node-list.csv", "16777216\n");
  std::string row = "1";
  for (int i = 0; i < 200; ++i) row += ",1";
  write("raw/node-feat.csv", row + "\n");
  EXPECT_TRUE(refuses([&] { return read_ogb(dir_.path()); },
                      "node-feat.csv: has 1 rows, but the graph has 16777216 nodes"));
}

TEST_F(HostileFilesTest, OgbNamesAreLeftOutIfTheyDoNotNameAll) {
  write("raw/edge.csv", "0,1\n1,2\n");
  write("raw/node-label.csv", "0\n999999\n1\n");
  write("mapping/labelidx2name.csv", "label,name\n0,a\n1,b\n");
  write("mapping/nodeidx2id.csv", "node,id\n0,x\n1,y\n");
  const Dataset dataset = read_ogb(dir_.path());
  EXPECT_EQ(dataset.num_classes, 1'000'000);
  EXPECT_TRUE(dataset.label_names.empty());
  EXPECT_TRUE(dataset.node_ids.empty());
  EXPECT_EQ(dataset.notes,
            (std::vector<std::string>{
                "nodeidx2id.csv does not name all 3 nodes; their numbers are used",
                "labelidx2name.csv does not name all 1000000 classes; their numbers are used"}));
  write("mapping/nodeidx2id.csv", "node,id\n2,z\n0,x\n1,y\n");
  EXPECT_EQ(read_ogb(dir_.path()).node_ids, (std::vector<std::string>{"x", "y", "z"}));
}

TEST_F(HostileFilesTest, GeomGcnColumnsAreWholeNumbersThatAFloatHolds) {
  write("out1_graph_edges.txt", "a\tb\n0\t1\n");
  for (const std::string column : {"1e30", "16777216", "9223372036854775808"}) {
    write("out1_node_feature_label.txt", "h\n0\t" + column + ",2\t0\n1\t3,4\t1\n");
    EXPECT_TRUE(contains(message_of<Error>([&] { read_geom_gcn(dir_.path()); }),
                         "out1_node_feature_label.txt: has feature "));
  }
  write("out1_node_feature_label.txt", "h\n0\t16777215,2\t0\n1\t3,4\t1\n");
  EXPECT_EQ(read_geom_gcn(dir_.path()).features.num_columns, 16777216);
}

TEST_F(HostileFilesTest, OneLongIdAmongManyIsRefusedBeforeAllAreAsLong) {
  std::vector<std::string> ids(1'000'000);
  ids[7] = std::string(10'000'000, 'x');
  NpzWriter writer(dir_ / "graph.npz");
  EXPECT_TRUE(contains(message_of<Error>([&] { writer.add_strings("node_ids", ids); }),
                       "array 'node_ids' needs more memory than this machine has: 1000000 "
                       "strings, all padded to the longest, 10000000 characters"));
}

}  // namespace
}  // namespace dsnn
