#include "reproduce/report.h"

#include "dsnn/nn/model.h"

#include "reproduce/made_up_grid.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dsnn::reproduce {
namespace {

using testing::contains;
using testing::made_up_cell;
using testing::made_up_grid;

TEST(ReportTest, AsMarkdown) {
  EXPECT_EQ(
      to_markdown(make_report(made_up_grid(), "Title", "dataset")),
      "Test accuracy in percent: mean and standard deviation over the splits, the paper's result "
      "below, and the difference. Agrees: within one of the paper's standard deviations of its "
      "mean; close: within two; differs: more. Bold: the best mean of a column; underlined: the "
      "second best.\n"
      "\n"
      "Trained with seeds that the search has not seen: seed 1 on texas, cora. Of several seeds, a "
      "split counts with their mean; the deviation of the means of the seeds is in parentheses.\n"
      "\n"
      "| model | texas | cora |\n"
      "|---|---|---|\n"
      "| diag-dsnn | 84.00 +- 3.00<br>paper 85.00 +- 1.00<br>-1.00 agrees | 86.00 +- 0.00<br>paper "
      "87.50 +- 1.00<br>-1.50 close |\n"
      "| diag-nsd | 83.33 +- 4.16<br>paper 80.00 +- 2.00<br>+3.33 close | - |\n"
      "| gcn | pending<br>paper 55.14 +- 5.16 | 81.00 +- 1.73 |\n"
      "| mlp | failed<br>1 of 3 splits | -<br>paper 75.69 +- 2.00 |\n"
      "\n"
      "3 cells compared with the paper: 1 agree, 2 close, 0 differ; 1 not in the paper; 1 "
      "failed; 1 not trained yet.\n"
      "\n"
      "### DSNN against NSD\n"
      "\n"
      "Paired over the splits. p: two-sided paired t-test; it is too small because the splits "
      "share nodes. Corrected: with the variance correction of Nadeau and Bengio for this. Holm: "
      "also corrected for the number of comparisons in this table. Beyond noise: the number of "
      "comparisons in which DSNN is significantly ahead / behind at 0.05.\n"
      "\n"
      "| maps | DSNN ahead | beyond noise by p | corrected | Holm | mean difference | the paper's "
      "|\n"
      "|---|---|---|---|---|---|---|\n"
      "| diag | 1 of 1 | 0 / 0 | 0 / 0 | 0 / 0 | +0.67 | +5.00 |\n"
      "| all | 1 of 1 | 0 / 0 | 0 / 0 | 0 / 0 | +0.67 | +5.00 |\n"
      "\n"
      "| dataset | maps | DSNN | NSD | DSNN - NSD | the paper's | p | corrected | Holm | better / "
      "equal / worse |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n"
      "| texas | diag | 84.00 +- 3.00 | 83.33 +- 4.16 | +0.67 | +5.00 | 0.529 | 0.661 | 0.661 | 2 "
      "/ 0 "
      "/ 1 |\n"
      "\n"
      "Failed: mlp on texas: the loss is not finite\n"
      "\n"
      "Trained by dsnn of commits 1a2b3c4, 5d6e7f8 on Some CPU; cores: 4, parallel splits: 2, 1. "
      "The 5 cells took 30 s, or 1:01 min summed over the splits. By model family: DSNN 2 in 12 "
      "s, NSD 1 in 6 s, no graph 1 in 6 s, GNN 1 in 6 s.\n");
}

TEST(ReportTest, AsCsv) {
  EXPECT_EQ(report_csv(made_up_grid(), "dataset"),
            "dataset,model,ours_mean,ours_std,seeds,std_seeds,paper_mean,paper_std,difference,mark,"
            "validation_mean,accuracies,commit,seconds,wall_seconds\n"
            "texas,diag-dsnn,84.0000,3.0000,1,,85,1,-1.0000,agrees,90.0000,81.0000 84.0000 87.0000,"
            "1a2b3c4,12.3,6.0\n"
            "texas,diag-nsd,83.3333,4.1633,1,,80,2,3.3333,close,90.0000,80.0000 82.0000 88.0000,"
            "1a2b3c4,12.3,6.0\n"
            "texas,gcn,,,,,55.14,5.16,,pending,,,,,\n"
            "texas,mlp,,,,,80.81,4.75,,failed,,,1a2b3c4 5d6e7f8,12.3,6.0\n"
            "cora,diag-dsnn,86.0000,0.0000,1,,87.5,1,-1.5000,close,90.0000,86.0000 86.0000 86.0000,"
            "1a2b3c4,12.3,6.0\n"
            "cora,diag-nsd,,,,,,,,,,,,,\n"
            "cora,gcn,81.0000,1.7321,1,,,,,,90.0000,80.0000 80.0000 83.0000,1a2b3c4,12.3,6.0\n"
            "cora,mlp,,,,,75.69,2,,,,,,,\n");
}

// A table exists before the first cell is trained.
TEST(ReportTest, OfNothingYet) {
  Grid grid = made_up_grid();
  for (Cell& cell : grid.cells) cell.scores.reset();
  const std::string text = to_markdown(make_report(grid, "Title", "dataset"));
  EXPECT_TRUE(contains(text, "| diag-nsd | pending<br>paper 80.00 +- 2.00 | - |\n"));
  EXPECT_TRUE(contains(text,
                       "0 cells compared with the paper: 0 agree, 0 close, 0 differ; 6 not "
                       "trained yet."));
  EXPECT_EQ(text.find("###"), std::string::npos);
}

// Cells of one seed, of several, and of the one that the search chose.
TEST(ReportTest, TellsWhichSeeds) {
  Grid grid = made_up_grid();
  Cell& several = grid.at("diag-dsnn", "texas");
  several.scores->seeds = {1, 2, 3};
  several.scores->seed_means = {82, 84, 86};
  grid.at("gcn", "cora").scores->is_of_search = true;
  grid.at("gcn", "cora").runs.resize(1);  // pending
  const std::string text = to_markdown(make_report(grid, "Title", "dataset"));
  EXPECT_TRUE(contains(text, "| diag-dsnn | 84.00 +- 3.00 (seeds 2.00)<br>paper")) << text;
  EXPECT_TRUE(contains(text, "| 81.00 +- 1.73 (search) |")) << text;
  EXPECT_TRUE(contains(text,
                       "seed 1 on texas (diag-nsd, mlp), cora (diag-dsnn); seeds 1, 2, 3 on texas "
                       "(diag-dsnn). Of"))
      << text;
  EXPECT_TRUE(contains(text, "seed which the search chose: cora (gcn).\n")) << text;
  EXPECT_TRUE(contains(text, "; 1 without some of their seeds.\n")) << text;
  EXPECT_TRUE(
      contains(report_csv(grid, "dataset"), "\ntexas,diag-dsnn,84.0000,3.0000,1 2 3,2.0000,85,1,"));
}

// Chosen parameters are shown only for networks with stalks.
TEST(ReportTest, TellsWhatWasChosen) {
  Grid grid = made_up_grid();
  Cell& cell = grid.at("diag-dsnn", "texas");
  cell.config->config = default_config("diag-dsnn");
  cell.config->config.set_text("layers=4");
  for (const char* setting : {"q=0.15", "stalk_dim=3", "activation=relu", "diagonal=keep",
                              "low_pass=false", "high_pass=false"}) {
    cell.config->config.set_text(setting);
  }
  const std::string text = to_markdown(make_report(grid, "Title", "dataset"));
  EXPECT_TRUE(contains(text,
                       "| texas | diag-dsnn | 90.00 | 84.00 | 4 | 3 | 32 | 0.15 | relu | keep | "
                       "false | false |\n"))
      << text;
}

TEST(ReportTest, TellsWhichArithmetic) {
  Grid grid = made_up_grid();
  for (const char* model : {"diag-dsnn", "gcn"}) grid.at(model, "cora").scores->arithmetic = {};
  const std::string head =
      fmt::format("\nVersions of the arithmetic (this program has {0}): {0} on texas; 1 on cora",
                  kArithmeticVersion);
  EXPECT_TRUE(contains(to_markdown(make_report(grid, "Title", "dataset")), head + ".\n"));
  grid.at("gcn", "cora").scores->arithmetic.version = 0;
  EXPECT_TRUE(contains(to_markdown(make_report(grid, "Title", "dataset")),
                       head + " (diag-dsnn); several on cora (gcn).\n"));
}

// The mean of the paper's differences is shown beside ours over the same comparisons.
TEST(ReportTest, ComparesMeansOfTheSame) {
  Grid grid = made_up_grid();
  grid.at("diag-nsd", "cora") = made_up_cell("diag-nsd", "cora", {80, 82, 84});
  const std::string text = to_markdown(make_report(grid, "Title", "dataset"));
  EXPECT_TRUE(contains(
      text, "| diag | 2 of 2 | 0 / 0 | 0 / 0 | 0 / 0 | +2.33 | +5.00 in 1, ours there +0.67 |\n"))
      << text;
}

// Differences of 10, 10 and 10.5 are significant by every test; -2, -3 and -4 by the plain test (p
// = 0.035) but not by the corrected one (0.073).
TEST(ReportTest, CountsWhatIsBeyondNoise) {
  Grid grid = made_up_grid();
  grid.at("diag-dsnn", "texas").scores->accuracies = {90, 91, 92.5};
  grid.at("diag-nsd", "texas").scores->accuracies = {80, 81, 82};
  grid.at("diag-nsd", "cora") = made_up_cell("diag-nsd", "cora", {88, 89, 90});
  const std::string text = to_markdown(make_report(grid, "Title", "dataset"));
  EXPECT_TRUE(contains(
      text, "| diag | 1 of 2 | 1 / 1 | 1 / 0 | 1 / 0 | +3.58 | +5.00 in 1, ours there +10.17 |\n"))
      << text;
}

}  // namespace
}  // namespace dsnn::reproduce
