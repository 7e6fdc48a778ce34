#include "cli/cli_test.h"

#include <filesystem>

namespace dsnn::testing {
namespace {

class ReportTest : public CliTest {
 protected:
  void train() {
    ASSERT_TRUE(succeeded(run_dsnn({"generate", "dsbm", "-n", "60", "-C", "3", "--alpha-in", "0.2",
                                    "--alpha-out", "0.2", "--beta", "0.05", "-o", graph_})));
    ASSERT_TRUE(
        succeeded(run_dsnn({"train", graph_, "--model", "diag-dsnn", "--set", "channels=4", "--set",
                            "epochs=3", "--splits", "0-1", "--out", path("run")})));
  }

  const std::string graph_ = path("blocks.npz");
};

TEST_F(ReportTest, WritesAPageIntoTheFolderOfTheRun) {
  train();
  const Outcome outcome = run_dsnn({"report", path("run"), graph_});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, path("run") + "/report.html: diag-dsnn on blocks, 2 splits\n");
  EXPECT_TRUE(read("run/report.html").starts_with("<!DOCTYPE html>"));
  EXPECT_TRUE(exists("run/report/mlp/result.json"));
  EXPECT_TRUE(exists("run/report/charge-0/result.json"));
  // The same bits again, from stored networks, and in another file.
  EXPECT_EQ(run_dsnn({"report", path("run"), graph_, "-o", path("page.html")}).code, 0);
  EXPECT_EQ(read("page.html"), read("run/report.html"));
  EXPECT_EQ(run_dsnn({"report", path("run"), graph_, "-o", "-"}).out, read("page.html"));
}

TEST_F(ReportTest, ComparesOnlyIfItMay) {
  train();
  EXPECT_TRUE(succeeded(run_dsnn({"report", path("run"), graph_, "--no-comparison"})));
  EXPECT_FALSE(exists("run/report"));
}

TEST_F(ReportTest, OfASweepItIsThePageOfSweeps) {
  train();
  write("space.toml", "method = \"grid\"\n[parameters]\nlayers = [1, 2]\n");
  ASSERT_EQ(run_dsnn({"sweep", path("space.toml"), "--dataset", graph_, "--model", "gcn", "--set",
                      "epochs=2", "--out", path("sweep")})
                .code,
            0);
  EXPECT_EQ(run_dsnn({"report", path("sweep")}).out, path("sweep") + "/report.html: 2 trials\n");
  ASSERT_TRUE(succeeded(run_dsnn({"sweep-report", path("sweep"), "-o", path("other.html")})));
  EXPECT_EQ(read("sweep/report.html"), read("other.html"));
}

TEST_F(ReportTest, BadInputGetsASentence) {
  train();
  EXPECT_TRUE(
      failed_with(run_dsnn({"report", path("none")}), {"none: not a run (no config.toml)"}));
  EXPECT_TRUE(
      failed_with(run_dsnn({"report", graph_}), {"blocks.npz: not a run (no config.toml)"}));
  EXPECT_TRUE(failed_with(run_dsnn({"report", path("run")}),
                          {"run: was trained on 'blocks', which cannot be found by name"}));
  EXPECT_TRUE(failed_with(run_dsnn({"report", path("run"), graph_, "--split", "50/30/20"}),
                          {"its splits differ from those that", "run was trained on"}));
  EXPECT_TRUE(failed_with(run_dsnn({"report", path("run"), path("missing.npz")}), {"missing.npz"}));
  EXPECT_TRUE(failed_with(run_dsnn({"report", path("run"), graph_, "-o", graph_}), {"blocks.npz"}));
  EXPECT_TRUE(failed_with(run_dsnn({"report", path("run"), graph_, "--jobs", "0"}), {"--jobs"}));
  EXPECT_FALSE(exists("run/report.html"));
  write("run/split-0/metrics.csv", "epoch\n");
  EXPECT_TRUE(failed_with(run_dsnn({"report", path("run"), graph_}),
                          {"split-0/metrics.csv: line 1: is damaged"}));
  std::filesystem::remove_all(path("run/split-0"));
  std::filesystem::remove_all(path("run/split-1"));
  EXPECT_TRUE(failed_with(run_dsnn({"report", path("run"), graph_}),
                          {"run: contains no trained model yet"}));
}

// An interrupted training has no result yet: its models are the best so far.
TEST_F(ReportTest, SaysThatARunIsNotFinished) {
  train();
  std::filesystem::remove(path("run/result.json"));
  const Outcome outcome = run_dsnn({"report", path("run"), graph_, "--no-comparison"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err, "run is incomplete"));
  EXPECT_TRUE(contains(read("run/report.html"), "\"is_finished\":false"));
}

}  // namespace
}  // namespace dsnn::testing
