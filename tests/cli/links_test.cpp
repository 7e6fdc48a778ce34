#include "cli/cli_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace dsnn::testing {
namespace {

/// Links of a block model without labels, as CSV.
class LinksTest : public CliTest {
 protected:
  void SetUp() override {
    std::string calls = "from,to\n";
    for (int i = 0; i < 60; ++i) {
      for (int k = 1; k < 7; ++k) calls += fmt::format("p{},p{}\n", i, (i + k * k) % 60);
    }
    write("calls.csv", calls);
    run_dsnn({"convert", "--edges", path("calls.csv"), "-o", path("calls.npz")});
  }
  Words train(const Words& more) {
    return Words{"train",  path("calls.npz"), "--degree-features", "yes",
                 "--task", "links",           "--model",           "diag-dsnn",
                 "--set",  "epochs=6",        "--splits",          "0-1"} +
           more;
  }
};

TEST_F(LinksTest, TrainEvaluateAndPredict) {
  const Outcome outcome =
      run_dsnn(train({"--decoder", "dual", "--metric", "hits@20", "--out", path("run")}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "test hits@20 "));
  const Json result = Json::parse(read("run/result.json"));
  EXPECT_EQ(result["task"], "links");
  EXPECT_EQ(result["metric"], "hits@20");
  const Json evaluated = json_of({"evaluate", path("run"), path("calls.npz")});
  for (int split = 0; split < 2; ++split) {
    for (const char* metric : {"hits@20", "mrr", "ap", "accuracy"}) {
      const std::string key = std::string("test_") + metric;
      EXPECT_NEAR(evaluated["splits"][split][key].get<double>(),
                  result["splits"][split][key].get<double>(), 1e-9);
    }
  }
  write("pairs.csv", "source,target\np3,p4\np4,p3\n");
  ASSERT_TRUE(succeeded(run_dsnn({"predict", path("run"), path("calls.npz"), "--pairs",
                                  path("pairs.csv"), "-o", path("p.csv")})));
  const Words rows = lines_of(read("p.csv"));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0], "source,target,p_0,p_1");
  EXPECT_TRUE(rows[2].starts_with("p4,p3,"));
  ASSERT_TRUE(succeeded(
      run_dsnn({"predict", path("run"), path("calls.npz"), "--top", "2", "-o", path("top.csv")})));
  EXPECT_EQ(lines_of(read("top.csv")).size(), 1u + 2 * 60);
}

TEST_F(LinksTest, ContinuesAfterItWasKilled) {
  const Words more = {"--negatives", "epoch", "--set", "epochs=400", "--set", "patience=400"};
  ASSERT_EQ(run_dsnn(train(more + Words{"--out", path("whole")})).code, 0);
  // Killed at some time within the training; what it has written so far is in the folder.
  const std::string command =
      fmt::format("timeout -s KILL 0.3 '{}' {} > /dev/null 2>&1", DSNN_PROGRAM,
                  joined(train(more + Words{"--out", path("killed")})));
  EXPECT_NE(std::system(command.c_str()), 0);
  const Outcome resumed = run_dsnn(train(more + Words{"--out", path("killed"), "--resume"}));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  for (const char* file : {"split-0/model.npz", "split-1/model.npz", "split-0/metrics.csv",
                           "split-1/metrics.csv", "split-1/preparation.json"}) {
    EXPECT_EQ(read(std::string("whole/") + file), read(std::string("killed/") + file)) << file;
  }
}

TEST_F(LinksTest, Heuristics) {
  const Json scores =
      json_of({"heuristics", path("calls.npz"), "--protocol", "random", "--num-splits", "2"});
  for (const char* name : {"common neighbours", "Adamic-Adar", "preferential attachment"}) {
    ASSERT_EQ(scores[name].size(), 2u);
    EXPECT_GE(scores[name][0]["test_auc"].get<double>(), 0);
  }
}

TEST_F(LinksTest, Sweeps) {
  write("space.toml",
        "method = \"grid\"\n[parameters]\ndecoder = [\"inner\", \"dual\"]\nepochs = [3]\n");
  const Json sweep = json_of({"sweep", path("space.toml"), "--dataset", path("calls.npz"), "--set",
                              "degree_features=yes", "--task", "links", "--protocol", "random",
                              "--set", "validation_share=0.15", "--num-splits", "2", "--model",
                              "gcn", "--out", path("sweep")});
  EXPECT_EQ(sweep["trials"].size(), 2u);
  const std::string best = read("sweep/best.toml");
  EXPECT_TRUE(contains(best, "validation auc "));
  EXPECT_TRUE(contains(best, "task = \"links\""));
}

TEST_F(LinksTest, Fits) {
  const Outcome outcome = run_dsnn({"fit", path("calls.npz"), "--task", "links", "--metric",
                                    "hits@20", "--trials", "3", "--out", path("fitted")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "3 trials in "));
  EXPECT_TRUE(contains(outcome.out, "validation hits@20 "));
  // The folder has its data.
  ASSERT_TRUE(
      succeeded(run_dsnn({"predict", path("fitted"), "--top", "1", "-o", path("top.csv")})));
  EXPECT_TRUE(failed_with(run_dsnn({"fit", path("calls.npz"), "--task", "links", "--trials", "1",
                                    "--out", path("fitted")}),
                          {"contains a run already"}));
}

TEST_F(LinksTest, Mistakes) {
  EXPECT_TRUE(
      failed_with(run_dsnn({"train", path("calls.npz"), "--model", "gcn", "--decoder", "inner"}),
                  {"--decoder needs --task links"}));
  EXPECT_TRUE(failed_with(run_dsnn(train({"--decoder", "outer"})), {"outer", "inner"}));
  EXPECT_TRUE(failed_with(run_dsnn(train({"--split", "60/20/20"})), {"--split", "--protocol"}));
  EXPECT_TRUE(failed_with(run_dsnn(train({"--protocol", "dirlink"})), {"has no link splits"}));
  EXPECT_TRUE(failed_with(run_dsnn(train({"--members", "2", "--out", path("m")})), {"--members"}));
  ASSERT_EQ(run_dsnn(train({"--out", path("run")})).code, 0);
  EXPECT_TRUE(failed_with(
      run_dsnn({"predict", path("run"), "--edges", path("calls.csv"), "-o", path("p.csv")}),
      {"--pairs FILE or --top N"}));
  write("pairs.csv", "p1,p2\np1,no_such\n");
  EXPECT_TRUE(failed_with(run_dsnn({"predict", path("run"), path("calls.npz"), "--pairs",
                                    path("pairs.csv"), "-o", path("p.csv")}),
                          {"pairs.csv:2: 'no_such' is not a node"}));
}

}  // namespace
}  // namespace dsnn::testing
