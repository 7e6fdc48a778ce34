#include "dsnn/data/dataset.h"

#include "cli/cli_test.h"

#include <gtest/gtest.h>

namespace dsnn::testing {
namespace {

class ConvertTest : public CliTest {
 protected:
  // Eight people of two teams; ann's team is unknown.
  void write_people() {
    write("people.csv",
          "name,age,team\nann,30,\nbob,41,red\neve,29,blue\ndan,33,red\n"
          "kim,35,blue\nlea,36,red\nmax,37,blue\nzoe,38,red\n");
    write("calls.csv", "from,to\nann,bob\nbob,eve\neve,dan\ndan,kim\nkim,lea\nlea,max\nmax,zoe\n");
  }
  Words people() const { return {"--edges", path("calls.csv"), "--nodes", path("people.csv")}; }
};

TEST_F(ConvertTest, SaysWhatItUnderstood) {
  write_people();
  const Outcome outcome =
      run_dsnn(Words{"convert"} + people() + Words{"--label-column", "team", "-o", path("g.npz")});
  ASSERT_TRUE(succeeded(outcome));
  for (const char* part :
       {"graph              calls\n", "nodes              8 (0 isolated)\n",
        "arcs               7\n", "classes            2 of sizes blue 3, red 4, 1 unlabelled\n",
        "splits             10: train 3, validation 2, test 2\n",
        "node ids           ann, bob, eve, ...\n",
        "note               people.csv: with a heading; ids in column 'name', labels in 'team', no "
        "splits; features: 1 numeric ('age'), 0 categorical\n",
        "note               calls.csv: with a heading; edges from column 'from' to 'to', no "
        "weights\n",
        "note               10 splits were drawn, 48/32/20 % of each class, seed 0\n"}) {
    EXPECT_TRUE(contains(outcome.out, part));
  }
  EXPECT_TRUE(ends_with(outcome.out, "written to         " + path("g.npz") + "\n"));
  const Dataset dataset = read_dataset(path("g.npz"));
  EXPECT_EQ(dataset.node_name(2), "eve");
  EXPECT_EQ(dataset.label_name(dataset.labels[2]), "blue");
  EXPECT_EQ(dataset.splits.size(), 10u);
  EXPECT_EQ(dataset.features.values[1], 41);

  // The written file is read back identically, also by name and as JSON.
  Json converted = json_of(Words{"convert"} + people() +
                           Words{"--label-column", "team", "-o", path("again.npz")});
  EXPECT_EQ(converted["output"], path("again.npz"));
  EXPECT_EQ(read("g.npz"), read("again.npz"));
  converted.erase("output");
  converted.erase("notes");
  Json info = json_of({"info", "g", "--data-dir", dir_.path().string()});
  EXPECT_EQ(info["name"], "g");
  info["name"] = converted["name"];
  EXPECT_EQ(info, converted);
}

TEST_F(ConvertTest, DrawsSplitsAsAsked) {
  write_people();
  const Words convert = Words{"convert"} + people() + Words{"--label-column", "team"};
  Json info = json_of(convert + Words{"-o", path("a.npz"), "--split", "0.5/0.25/0.25",
                                      "--num-splits", "3", "--split-seed", "4"});
  EXPECT_EQ(info["splits"]["count"], 3);
  EXPECT_EQ(info["splits"]["train"], Json({4, 4}));  // round(1.5) + 2
  info = json_of(convert + Words{"-o", path("b.npz"), "--per-class", "2/1"});
  EXPECT_EQ(info["splits"]["train"], Json({4, 4}));
  EXPECT_EQ(info["splits"]["validation"], Json({2, 2}));
  EXPECT_EQ(info["splits"]["test"], Json({1, 1}));
  // Again, from the file with splits.
  info = json_of({"convert", path("b.npz"), "-o", path("c.npz"), "--split", "48/32/20"});
  EXPECT_EQ(info["notes"][0], "the 10 splits of the input were replaced");
  info = json_of({"convert", path("b.npz"), "-o", path("c.npz"), "--num-splits", "3"});
  EXPECT_EQ(info["splits"]["count"], 3);
  info = json_of({"convert", path("b.npz"), "-o", path("d.npz"), "--split-seed", "9"});
  EXPECT_EQ(info["notes"][1], "10 splits were drawn, 48/32/20 % of each class, seed 9");
  EXPECT_TRUE(contains(
      run_dsnn({"convert", write("e.txt", "0 1\n"), "-o", path("d.npz"), "--split", "48/32/20"})
          .err,
      "splits cannot be drawn without labels"));
}

TEST_F(ConvertTest, RefusesSplitsThatOverlapAndWarnsOfOthers) {
  const auto with_masks = [&](const std::vector<std::uint8_t>& train,
                              const std::vector<std::uint8_t>& test) {
    return write_graph("m.npz", {0, 1, 1, 2}, [&](NpzWriter& writer) {
      static const std::vector<std::uint8_t> none = {0, 0, 0};
      static const std::vector<std::int64_t> labels = {0, 1, 1};
      writer.add<std::int64_t>("node_labels", {3}, labels);
      writer.add<std::uint8_t>("train_masks", {1, 3}, train);
      writer.add<std::uint8_t>("val_masks", {1, 3}, none);
      writer.add<std::uint8_t>("test_masks", {1, 3}, test);
    });
  };
  Words convert = {"convert", with_masks({1, 1, 0}, {0, 1, 1}), "-o", path("out.npz")};
  EXPECT_TRUE(failed_with(
      run_dsnn(convert),
      {"splits: split 0: 1 nodes are in more than one of training, validation and test"}));
  EXPECT_FALSE(exists("out.npz"));
  EXPECT_EQ(json_of({"info", path("m.npz")})["warnings"][0],
            "split 0: 1 nodes are in more than one of training, validation and test");
  convert[1] = with_masks({1, 0, 0}, {0, 1, 1});
  EXPECT_EQ(json_of(convert)["warnings"],
            Json({"split 0: no validation nodes",
                  "split 0: 2 nodes belong to classes without a training node"}));
}

TEST_F(ConvertTest, TurnsAndJoinsArcs) {
  const std::string graph = write("g.txt", "0 1\n1 2\n2 1\n");
  json_of({"convert", graph, "--reversed", "-o", path("r.npz")});
  EXPECT_EQ(NpzReader(path("r.npz")).read<std::int64_t>("edges").data,
            (std::vector<std::int64_t>{1, 0, 1, 2, 2, 1}));
  const Json info = json_of({"convert", graph, "--undirected", "-o", path("u.npz")});
  EXPECT_EQ(info["arcs"], 4);
  EXPECT_EQ(info["notes"][0], "every edge was made two-way");
}

TEST_F(ConvertTest, WritesNothingOverWhatItReads) {
  const std::string graph = write_graph("g.npz", {0, 1});
  EXPECT_TRUE(
      failed_with(run_dsnn({"convert", graph, "-o", graph}), {"is an input of this command"}));
  write_people();
  EXPECT_TRUE(failed_with(run_dsnn(Words{"convert"} + people() + Words{"-o", path("people.csv")}),
                          {"is an input of this command"}));
}

TEST_F(ConvertTest, WritesNothingOverTheFilesOfAFolder) {
  write("geo/out1_node_feature_label.txt", "h\n0\t1,0\t0\n1\t0,1\t1\n");
  write("geo/out1_graph_edges.txt", "h\n0\t1\n");
  const std::vector<std::uint8_t> first = {1, 0}, second = {0, 1}, none = {0, 0};
  std::filesystem::create_directories(dir_ / "splits");
  NpzWriter split(dir_ / "splits/geo_split_0.6_0.2_0.npz");
  split.add<std::uint8_t>("train_mask", {2}, first);
  split.add<std::uint8_t>("val_mask", {2}, none);
  split.add<std::uint8_t>("test_mask", {2}, second);
  split.commit();
  write("ogb/raw/edge.csv", "0,1\n");
  write("ogb/raw/num-node-list.csv", "2\n");
  write("ogb/raw/node-feat.csv", "1\n2\n");
  write("ogb/raw/node-label.csv", "0\n1\n");
  write("ogb/split/time/train.csv", "0\n");
  write("ogb/split/time/valid.csv", "");
  write("ogb/split/time/test.csv", "1\n");
  write("ogb/mapping/nodeidx2id.csv", "n,id\n0,a\n1,b\n");
  write("ogb/mapping/labelidx2name.csv", "n,id\n0,x\n1,y\n");
  const auto expect_refusal = [&](const std::string& folder, const std::string& output) {
    const std::string before = read(output);
    EXPECT_TRUE(failed_with(run_dsnn({"convert", path(folder), "-o", path(output)}),
                            {path(output) + ": is an input of this command"}));
    EXPECT_EQ(read(output), before);
  };
  for (const char* name : {"geo/out1_node_feature_label.txt", "geo/out1_graph_edges.txt",
                           "splits/geo_split_0.6_0.2_0.npz"}) {
    expect_refusal("geo", name);
  }
  for (const char* name :
       {"raw/edge.csv", "raw/num-node-list.csv", "raw/node-feat.csv", "raw/node-label.csv",
        "split/time/train.csv", "split/time/valid.csv", "split/time/test.csv",
        "mapping/nodeidx2id.csv", "mapping/labelidx2name.csv"}) {
    expect_refusal("ogb", std::string("ogb/") + name);
  }
  // Other files may exist there and may be overwritten.
  for (const char* folder : {"geo", "ogb", "geo", "ogb"}) {
    const Words command = {"convert", path(folder), "-o", path(std::string(folder) + "/all.npz")};
    EXPECT_TRUE(succeeded(run_dsnn(command)));
  }
}

TEST_F(ConvertTest, OtherCommandsReadCsvTooAndKeepTheNames) {
  write_people();
  const Outcome outcome =
      run_dsnn(Words{"spectrum"} + people() + Words{"-k", "2", "-o", path("eigen.npz"), "--json"});
  ASSERT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err, "dsnn: note: people.csv: with a heading"));
  EXPECT_EQ(NpzReader(path("eigen.npz")).read_strings("node_ids")[1], "bob");
}

}  // namespace
}  // namespace dsnn::testing
