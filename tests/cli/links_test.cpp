#include "cli/cli_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

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
  const Words words = {"fit",     path("calls.npz"), "--task", "links", "--metric",
                       "hits@20", "--trials",        "3",      "--out", path("fitted")};
  const Outcome outcome = run_dsnn(words + Words{"--members", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "3 trials in "));
  EXPECT_TRUE(contains(outcome.out, "ensemble of 2 members: validation hits@20 ")) << outcome.out;
  // The folder has its data, and is evaluated as the fit says.
  ASSERT_TRUE(
      succeeded(run_dsnn({"predict", path("fitted"), "--top", "1", "-o", path("top.csv")})));
  const Json fit = Json::parse(read("fitted/fit.json"));
  const Json scores = json_of({"evaluate", path("fitted")});
  EXPECT_NEAR(scores["splits"][0]["test_hits@20"].get<double>(), fit["test_score"].get<double>(),
              1e-9);
  EXPECT_TRUE(failed_with(run_dsnn(words), {"contains a fit already"}));
  // More trials continue the same fit, and find what a single call finds.
  const auto with_trials = [&](const std::string& folder) {
    return Words{"fit", path("calls.npz"), "--task", "links", "--metric",  "hits@20", "--trials",
                 "4",   "--members",       "2",      "--out", path(folder)};
  };
  ASSERT_EQ(run_dsnn(with_trials("fitted") + Words{"--resume"}).code, 0);
  ASSERT_EQ(run_dsnn(with_trials("whole")).code, 0);
  EXPECT_EQ(read("fitted/ensemble.json"), read("whole/ensemble.json"));
  EXPECT_EQ(Json::parse(read("fitted/fit.json"))["test_score"],
            Json::parse(read("whole/fit.json"))["test_score"]);
}

TEST_F(LinksTest, AveragesMembers) {
  const Outcome outcome =
      run_dsnn(train({"--metric", "mrr", "--members", "2", "--out", path("members")}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "test mrr ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "(ensemble of 2 members)")) << outcome.out;
  // The mean of the members' probabilities.
  write("pairs.csv", "source,target\np3,p4\np4,p3\np0,p59\n");
  const auto probabilities = [&](const std::string& folder) {
    EXPECT_TRUE(succeeded(run_dsnn({"predict", path(folder), path("calls.npz"), "--of-split", "0",
                                    "--pairs", path("pairs.csv"), "-o", path("p.csv")})));
    std::vector<double> p;
    for (const std::string& line : lines_of(read("p.csv"))) {
      if (line.starts_with("p")) p.push_back(std::stod(line.substr(line.rfind(',') + 1)));
    }
    return p;
  };
  const auto all = probabilities("members"), first = probabilities("members/member-1"),
             second = probabilities("members/member-2");
  ASSERT_EQ(all.size(), 3u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_NEAR(all[i], (first[i] + second[i]) / 2, 1.1e-6);
  }
}

TEST_F(LinksTest, Mistakes) {
  EXPECT_TRUE(
      failed_with(run_dsnn({"train", path("calls.npz"), "--model", "gcn", "--decoder", "inner"}),
                  {"--decoder needs --task links"}));
  EXPECT_TRUE(failed_with(run_dsnn(train({"--decoder", "outer"})), {"outer", "inner"}));
  EXPECT_TRUE(failed_with(run_dsnn(train({"--split", "60/20/20"})), {"--split", "--protocol"}));
  EXPECT_TRUE(failed_with(run_dsnn(train({"--protocol", "dirlink"})), {"has no link splits"}));
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
