#include "reproduce/links.h"

#include "dsnn/util/error.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace dsnn::reproduce {
namespace {

using dsnn::testing::contains;
using dsnn::testing::message_of;
using dsnn::testing::TempDir;
using dsnn::testing::write_text;

Cell scored(const std::string& model, const std::string& column, std::vector<double> scores) {
  Cell cell;
  cell.model = model;
  cell.column = column;
  cell.config.emplace();
  cell.config->model = model;
  cell.config->config = default_config(model, TaskKind::kLinks);
  cell.scores.emplace();
  cell.scores->accuracies = std::move(scores);
  return cell;
}

TEST(ReproduceLinks, Columns) {
  EXPECT_EQ(link_column("texas.three-class").dataset, "texas");
  EXPECT_EQ(link_column("texas.three-class").question, "three-class");
  for (const char* wrong : {"texas", "texas.", "texas.existence-direction"}) {
    EXPECT_TRUE(contains(message_of<Error>([&] { link_column(wrong); }), "with a question"));
  }
}

TEST(ReproduceLinks, SaysWhatDirectionIsWorth) {
  Grid grid;
  grid.models = {"diag-dsnn", "diag-nsd"};
  grid.columns = {"texas.existence", "texas.direction", "cora.direction"};
  grid.cells = {scored("diag-dsnn", "texas.existence", {80, 82}),
                scored("diag-nsd", "texas.existence", {81, 80}),
                scored("diag-dsnn", "texas.direction", {90, 92}),
                scored("diag-nsd", "texas.direction", {50, 52}),
                scored("diag-dsnn", "cora.direction", {80, 80}),
                scored("diag-nsd", "cora.direction", {60, 60})};
  const std::string text = to_markdown(make_links_report(grid));
  EXPECT_TRUE(contains(text, "Test accuracy of pairs in percent"));
  EXPECT_TRUE(contains(text, "+0.50 points for existence (1 comparisons)"));
  EXPECT_TRUE(contains(text, "+30.00 points for direction (2 comparisons)"));
}

TEST(ReproduceLinks, TheMetricsOfARun) {
  const TempDir dir;
  Grid grid;
  grid.models = {"gcn"};
  grid.columns = {"cora_ml"};
  grid.cells = {scored("gcn", "cora_ml", {70, 72})};
  for (const std::uint64_t seed : {1, 2}) {
    SeedRun run = {seed, dir / std::to_string(seed)};
    run.scores = grid.cells[0].scores;
    grid.cells[0].runs.push_back(run);
  }
  std::filesystem::create_directories(dir / "1");
  std::filesystem::create_directories(dir / "2");
  write_text(dir / "1/result.json",
             R"({"splits": [{"test_roc_auc": 92, "test_mrr": 1}, {"test_roc_auc": 94}]})");
  write_text(dir / "2/result.json",
             R"({"splits": [{"test_roc_auc": 90, "test_mrr": 1}, {"test_roc_auc": 95}]})");
  const std::string text = to_markdown(make_dirlink_report(grid));
  EXPECT_TRUE(contains(text, "Test Hits@100 in percent"));
  EXPECT_TRUE(contains(text, "| - | 92.75 +- 2.47 |")) << text;  // of 91 and 94.5; MRR is missing
}

TEST(ReproduceLinks, DataThatAreMissing) {
  const TempDir dir;
  EXPECT_TRUE(contains(message_of<Error>([&] { dirlink_dataset("cora_ml", dir.path().string()); }),
                       "links/cora_ml.npz: no such file"));
}

}  // namespace
}  // namespace dsnn::reproduce
