#include "dsnn/data/folders.h"

#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"

#include "support/gzip.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dsnn {
namespace {

using testing::contains;
using testing::message_of;

class FoldersTest : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& bytes) {
    std::filesystem::create_directories((dir_ / name).parent_path());
    testing::write_text(dir_ / name, bytes);
  }
  void write_mask(const std::string& name, const std::vector<std::uint8_t>& train,
                  const std::vector<std::uint8_t>& validation,
                  const std::vector<std::uint8_t>& test) {
    std::filesystem::create_directories((dir_ / name).parent_path());
    NpzWriter npz(dir_ / name);
    npz.add<std::uint8_t>("train_mask", {std::ssize(train)}, train);
    npz.add<std::uint8_t>("val_mask", {std::ssize(validation)}, validation);
    npz.add<std::uint8_t>("test_mask", {std::ssize(test)}, test);
    npz.commit();
  }
  std::string error_of(const std::string& folder) {
    return message_of<Error>([&] { read_dataset(dir_ / folder); });
  }

  testing::TempDir dir_;
};

class GeomGcnTest : public FoldersTest {
 protected:
  void write_graph(const std::string& nodes, const std::string& edges,
                   const std::string& folder = "new_data/tiny") {
    write(folder + "/out1_node_feature_label.txt", "node_id\tfeature\tlabel\n" + nodes);
    write(folder + "/out1_graph_edges.txt", "node_id\tnode_id\n" + edges);
  }
};

TEST_F(GeomGcnTest, ReadsAllNumbersOfARow) {
  write_graph("1\t0,1,0\t2\n0\t1,1,0\t0\n2\t0,0,0\t1\n", "0\t1\n2\t1\n1\t1\n");
  const Dataset dataset = read_dataset(dir_ / "new_data/tiny");
  EXPECT_EQ(dataset.name, "tiny");
  EXPECT_EQ(dataset.graph.num_nodes(), 3);
  EXPECT_EQ(dataset.graph.num_arcs(), 2);
  EXPECT_EQ(dataset.graph.dropped().self_loops, 1);
  EXPECT_EQ(dataset.labels, (std::vector<std::int64_t>{0, 2, 1}));
  EXPECT_EQ(dataset.num_classes, 3);
  EXPECT_TRUE(dataset.features.is_sparse());
  EXPECT_EQ(dataset.features.to_dense(), Features::dense(3, 3, {1, 1, 0, 0, 1, 0, 0, 0, 0}));
  EXPECT_TRUE(dataset.splits.empty());
}

// As in the folder of film: rows out of order, columns in any order, one named twice.
TEST_F(GeomGcnTest, ReadsTheColumnsThatAreOne) {
  write_graph("1\t4,1,4\t0\n0\t2\t1\n2\t0,1\t1\n", "0\t1\n0\t1\n");
  const Dataset dataset = read_dataset(dir_ / "new_data/tiny");
  EXPECT_EQ(dataset.features.to_dense(),
            Features::dense(3, 5, {0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(dataset.graph.dropped().duplicates, 1);
}

TEST_F(GeomGcnTest, FindsItsSplitsInTheOrderOfTheirNumbers) {
  for (const std::string place : {"new_data/tiny/tiny_", "new_data/tiny/splits/tiny_",
                                  "new_data/splits/tiny_", "splits/tiny_"}) {
    write_graph("0\t1,0\t0\n1\t0,1\t1\n", "0\t1\n");
    for (int i = 0; i < 11; ++i) {
      const auto is_second = static_cast<std::uint8_t>(i == 2);
      write_mask(fmt::format("{}split_0.6_0.2_{}.npz", place, i), {1, is_second}, {0, 0}, {0, 1});
    }
    write_mask("splits/other_split_0.6_0.2_0.npz", {1}, {0}, {0});
    const Dataset dataset = read_dataset(dir_ / "new_data/tiny");
    ASSERT_EQ(dataset.splits.size(), 11u) << place;
    EXPECT_EQ(dataset.splits[2].train, (std::vector<std::uint8_t>{1, 1})) << place;
    EXPECT_EQ(dataset.splits[10].train, (std::vector<std::uint8_t>{1, 0})) << place;
    EXPECT_EQ(dataset.splits[0].test, (std::vector<std::uint8_t>{0, 1})) << place;
    std::filesystem::remove_all(dir_ / "new_data");
    std::filesystem::remove_all(dir_ / "splits");
  }
}

TEST_F(GeomGcnTest, TakesItsNameFromTheFolderAroundRaw) {
  write_graph("0\t1\t0\n", "", "tiny/raw");
  EXPECT_EQ(read_dataset(dir_ / "tiny/raw").name, "tiny");
  EXPECT_EQ(read_dataset(dir_ / "tiny/raw/").name, "tiny");
}

TEST_F(GeomGcnTest, SaysWhatIsWrongAndWhere) {
  struct Case {
    std::string nodes, edges, expected;
  };
  const Case cases[] = {
      {"0\t1,0\n", "", "label.txt:2: expected node, features and label, separated by tabs"},
      {"a\t1\t0\n", "", "label.txt:2: 'a' is not a node, expected an integer from 0"},
      {"0\t1\t0\n0\t1\t0\n", "", "has node 0 twice"},
      {"0\t1\t0\n5\t1\t0\n", "", "has node 5, but only 2 nodes in total"},
      {"0\t1,x\t0\n", "", "label.txt:2: 'x' is not a feature value, expected a number"},
      {"0\t1,nan\t0\n", "", "label.txt:2: 'nan' is not a feature value, expected a number"},
      {"0\t1\t-1\n", "", "label.txt:2: '-1' is not a label"},
      {"0\t0.5,1\t0\n1\t1\t0\n", "", "has rows of different lengths"},
      {"0\t99999999999\t0\n", "", "has feature 100000000000, expected at most 16777215"},
      {"0\t1\t0\n", "0\t1\n", "edges.txt:2: '1' is not a node, expected an integer from 0 to 0"},
      {"0\t1\t0\n", "0 0\n", "edges.txt:2: expected two nodes separated by a tab"},
  };
  for (const Case& c : cases) {
    write_graph(c.nodes, c.edges);
    EXPECT_TRUE(contains(error_of("new_data/tiny"), c.expected));
  }
}

TEST_F(GeomGcnTest, RefusesSplitsOfAnotherGraph) {
  write_graph("0\t1\t0\n", "");
  write_mask("splits/tiny_split_0.6_0.2_0.npz", {1, 0}, {0, 0}, {0, 1});
  EXPECT_TRUE(contains(error_of("new_data/tiny"),
                       "array 'train_mask' has 2 elements, but the graph has 1 nodes"));
}

class OgbTest : public FoldersTest {
 protected:
  void write_gz(const std::string& name, const std::string& text) {
    write("ogbn_tiny/" + name + ".gz", testing::gzip(text));
  }
  void write_graph() {
    write_gz("raw/num-node-list.csv", "4\n");
    write_gz("raw/edge.csv", "0,1\n3,1\n");
    write_gz("raw/node-feat.csv", "1.5,0\n-2,1e-3\n0,0\n3,4\n");
    write_gz("raw/node-label.csv", "1\nnan\n0\n1.0\n");
    write_gz("split/time/train.csv", "0\n2\n");
    write_gz("split/time/valid.csv", "1\n");
    write_gz("split/time/test.csv", "3\n");
  }
};

TEST_F(OgbTest, ReadsWhatIsThere) {
  write_graph();
  write_gz("mapping/nodeidx2paperid.csv", "node idx,paper id\n0,9657784\n1,39886\n2,7\n3,8\n");
  write_gz("mapping/labelidx2arxivcategeory.csv",
           "label idx,arxiv category\n0,arxiv cs na\n1,arxiv cs mm\n");
  const Dataset dataset = read_dataset(dir_ / "ogbn_tiny");
  EXPECT_EQ(dataset.name, "ogbn_tiny");
  EXPECT_EQ(dataset.graph.num_nodes(), 4);
  EXPECT_EQ(dataset.graph.num_arcs(), 2);
  EXPECT_EQ(dataset.features, Features::dense(4, 2, {1.5, 0, -2, 1e-3f, 0, 0, 3, 4}));
  EXPECT_EQ(dataset.labels, (std::vector<std::int64_t>{1, -1, 0, 1}));
  ASSERT_EQ(dataset.splits.size(), 1u);
  EXPECT_EQ(dataset.splits[0].train, (std::vector<std::uint8_t>{1, 0, 1, 0}));
  EXPECT_EQ(dataset.splits[0].validation, (std::vector<std::uint8_t>{0, 1, 0, 0}));
  EXPECT_EQ(dataset.splits[0].test, (std::vector<std::uint8_t>{0, 0, 0, 1}));
  EXPECT_EQ(dataset.node_ids, (std::vector<std::string>{"9657784", "39886", "7", "8"}));
  EXPECT_EQ(dataset.label_names, (std::vector<std::string>{"arxiv cs na", "arxiv cs mm"}));
  EXPECT_EQ(dataset.node_name(1), "39886");
  EXPECT_EQ(dataset.label_name(1), "arxiv cs mm");
}

TEST_F(OgbTest, ReadsUnpackedFilesAndDoesWithEdgesAlone) {
  write("ogbn_tiny/raw/edge.csv", "0,1\n3,1\n");
  const Dataset dataset = read_dataset(dir_ / "ogbn_tiny");
  EXPECT_EQ(dataset.graph.num_nodes(), 4);
  EXPECT_TRUE(dataset.features.empty());
  EXPECT_TRUE(dataset.labels.empty());
}

TEST_F(OgbTest, SaysWhatIsWrongAndWhere) {
  struct Case {
    std::string file, text, expected;
  };
  const Case cases[] = {
      {"raw/num-node-list.csv", "4\n5\n", "num-node-list.csv.gz:2: has a second graph"},
      {"raw/num-node-list.csv", "", "num-node-list.csv.gz: is empty"},
      {"raw/num-node-list.csv", "3\n", "edge.csv.gz:2: '3', expected an integer from 0 to 2"},
      {"raw/num-node-list.csv", "2000000000\n", "if 2000000000 nodes are intended"},
      {"raw/edge.csv", "0,1\n0\n", "edge.csv.gz:2: found 1 fields, expected 2"},
      {"raw/edge.csv", "0,x\n", "edge.csv.gz:1: 'x', expected an integer from 0 to 3"},
      {"raw/node-feat.csv", "1\n2\n", "node-feat.csv.gz: has 2 rows, but the graph has 4 nodes"},
      {"raw/node-feat.csv", "1,2\n2\n", "node-feat.csv.gz:2: found 1 fields, expected 2"},
      {"raw/node-feat.csv", "1,2\n2,?\n", "node-feat.csv.gz:2: '?' is not a number"},
      {"raw/node-label.csv", "0,1\n", "node-label.csv.gz:1: has 2 labels per node"},
      {"raw/node-label.csv", "0\n1\n", "node-label.csv.gz: has 2 rows, but the graph has 4 nodes"},
      {"split/time/test.csv", "4\n", "test.csv.gz:1: '4', expected an integer from 0 to 3"},
      {"mapping/nodeidx2id.csv", "a,b\n0\n", "nodeidx2id.csv.gz:2: expected a number and a name"},
  };
  for (const Case& c : cases) {
    write_graph();
    write_gz(c.file, c.text);
    EXPECT_TRUE(contains(error_of("ogbn_tiny"), c.expected));
    std::filesystem::remove_all(dir_ / "ogbn_tiny");
  }
  write_graph();
  std::filesystem::remove(dir_ / "ogbn_tiny/split/time/valid.csv.gz");
  EXPECT_TRUE(contains(error_of("ogbn_tiny"), "split/time: has no valid.csv.gz"));
}

TEST_F(FoldersTest, RefusesAFolderOfAnotherKindAndAnotherNumberOfNodes) {
  EXPECT_TRUE(contains(error_of("."), "is a directory that contains neither"));
  write("raw/edge.csv", "0,1\n");
  EXPECT_TRUE(contains(message_of<Error>([&] { read_dataset(dir_.path(), 3); }),
                       "has 2 nodes, but 3 were requested"));
}

}  // namespace
}  // namespace dsnn
