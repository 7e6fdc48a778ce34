#include "reproduce/report.h"

#include "reproduce/made_up_grid.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

namespace dsnn::reproduce {
namespace {

using testing::contains;
using testing::made_up_grid;

const Circumstances kCircumstances = {"1.2.3", "Some CPU", 4, 2, 61};

TEST(ReportTest, AsMarkdown) {
  EXPECT_EQ(
      to_markdown(make_report(made_up_grid(), "Title", "dataset", kCircumstances)),
      "Test accuracy in percent: mean and standard deviation over the splits, the paper's below, "
      "and "
      "the difference. Agrees: at most one of the paper's standard deviations from its mean; "
      "close: "
      "at most two; differs: more.\n"
      "\n"
      "| model | texas | cora |\n"
      "|---|---|---|\n"
      "| diag-dsnn | 84.00 +- 3.00<br>paper 85.00 +- 1.00<br>-1.00 agrees | 86.00 +- 0.00<br>paper "
      "87.50 +- 1.00<br>-1.50 close |\n"
      "| diag-nsd | 83.33 +- 4.16<br>paper 80.00 +- 2.00<br>+3.33 close | - |\n"
      "| gcn | pending | 81.00 +- 1.73 |\n"
      "| mlp | failed<br>1 of 3 splits | - |\n"
      "\n"
      "3 cells compared with the paper: 1 agree, 2 close, 0 differ; 1 without a number there; 1 "
      "failed; 1 not trained yet.\n"
      "\n"
      "### DSNN against NSD\n"
      "\n"
      "Paired over the splits: mean of the differences, p-value of a two-sided paired t-test (not "
      "corrected for the number of tests), and on how many splits DSNN is better, equal and worse. "
      "The splits share nodes, which makes such p-values too small.\n"
      "\n"
      "| dataset | maps | DSNN | NSD | DSNN - NSD | p | better / equal / worse |\n"
      "|---|---|---|---|---|---|---|\n"
      "| texas | diag | 84.00 +- 3.00 | 83.33 +- 4.16 | +0.67 | 0.529 | 2 / 0 / 1 |\n"
      "\n"
      "Failed: mlp on texas: the loss is not finite\n"
      "\n"
      "dsnn 1.2.3, Some CPU, 4 cores. Training took 1:01 min, added over the splits; the last run "
      "of "
      "the command took 1:01 min with 2 jobs.\n");
}

TEST(ReportTest, AsCsv) {
  EXPECT_EQ(report_csv(made_up_grid(), "dataset"),
            "dataset,model,ours_mean,ours_std,paper_mean,paper_std,difference,mark,seconds\n"
            "texas,diag-dsnn,84.0000,3.0000,85,1,-1.0000,agrees,12.3\n"
            "texas,diag-nsd,83.3333,4.1633,80,2,3.3333,close,12.3\n"
            "texas,gcn,,,55.14,5.16,,pending,\n"
            "texas,mlp,,,80.81,4.75,,failed,12.3\n"
            "cora,diag-dsnn,86.0000,0.0000,87.5,1,-1.5000,close,12.3\n"
            "cora,diag-nsd,,,,,,,\n"
            "cora,gcn,81.0000,1.7321,,,,,12.3\n"
            "cora,mlp,,,75.69,2,,,\n");
}

// Before the first cell is trained there is a table already.
TEST(ReportTest, OfNothingYet) {
  Grid grid = made_up_grid();
  for (Cell& cell : grid.cells) cell.scores.reset();
  const std::string text = to_markdown(make_report(grid, "Title", "dataset", kCircumstances));
  EXPECT_TRUE(contains(text, "| diag-dsnn | pending | pending |\n"));
  EXPECT_TRUE(contains(text,
                       "0 cells compared with the paper: 0 agree, 0 close, 0 differ; 6 not "
                       "trained yet."));
  EXPECT_EQ(text.find("###"), std::string::npos);
}

TEST(ReportTest, NamesThisMachine) {
  const Circumstances here = current_circumstances(3);
  EXPECT_FALSE(here.version.empty());
  EXPECT_FALSE(here.processor.empty());
  EXPECT_GT(here.cores, 0);
  EXPECT_EQ(here.jobs, 3);
}

}  // namespace
}  // namespace dsnn::reproduce
