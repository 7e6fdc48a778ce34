#include "dsnn/report/report.h"

#include "dsnn/train/train.h"

#include "support/communities.h"
#include "support/expect_error.h"
#include "support/test_files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace dsnn {
namespace {

using nlohmann::json;
using testing::communities;
using testing::contains;
using testing::expect_error;
using testing::options_of;
using testing::TempDir;

/// The data for the scripts of a page.
json data_of(const std::string& page) {
  const std::string mark = "id=\"data\">";
  const std::size_t begin = page.find(mark) + mark.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

class ReportTest : public ::testing::Test {
 protected:
  dsnn::Run trained(const std::vector<int>& splits) {
    TrainOptions options = options_of({"epochs=5"});
    options.splits = splits;
    options.folder = dir_ / "run";
    train(dataset_, options);
    return dsnn::Run(options.folder);
  }
  std::string page(const dsnn::Run& run) {
    ReportOptions options;
    options.compares = false;
    return run_report(run, dataset_, options);
  }

  TempDir dir_;
  Dataset dataset_ = communities();
};

TEST_F(ReportTest, HasTheScoresOfTheRun) {
  const dsnn::Run run = trained({0, 2});
  const json data = data_of(page(run));
  const std::vector<Scores> scores = run.test_scores({0, 2}, dataset_);
  ASSERT_EQ(data["splits"].size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(data["splits"][i]["accuracy"], scores[i].accuracy);
    EXPECT_EQ(data["splits"][i]["macro_f1"], scores[i].macro_f1);
    EXPECT_EQ(data["splits"][i]["best_epoch"], *run.best_epoch(run.splits()[i]));
    EXPECT_EQ(data["curves"][i]["train_loss"].size(), 5U);
  }
  EXPECT_NEAR(data["accuracy"]["mean"].get<double>(), (scores[0].accuracy + scores[1].accuracy) / 2,
              1e-12);
  EXPECT_TRUE(data["comparisons"].is_null());
}

// One split: no deviation, but an interval for the number of its test nodes.
TEST_F(ReportTest, OneSplitHasAnInterval) {
  const json data = data_of(page(trained({1})));
  EXPECT_EQ(data["accuracy"]["interval"], data["splits"][0]["interval"]);
  EXPECT_TRUE(data["macro_f1"]["interval"].is_null());
}

TEST_F(ReportTest, NamesAreTheUsers) {
  dataset_.label_names = {"</script>", "b", "c & d"};
  for (NodeId u = 0; u < dataset_.graph.num_nodes(); ++u) {
    dataset_.node_ids.push_back(fmt::format("node <{}>", u));
  }
  const std::string text = page(trained({0}));
  const json data = data_of(text);
  EXPECT_EQ(data["classes"][0]["name"], "</script>");
  EXPECT_TRUE(contains(data["mistakes"]["worst"][0]["node"], "node <"));
  EXPECT_TRUE(contains(data["sheaf"]["edges"][0]["source"], "node <"));
}

TEST_F(ReportTest, OtherDataIsRefused) {
  const dsnn::Run run = trained({0});
  const std::string folder = (dir_ / "run").string();
  dataset_.splits = stratified_splits(dataset_.labels, 3, {0.6, 0.2}, 4, 9);
  expect_error([&] { page(run); },
               "communities: its splits differ from those that " + folder +
                   " was trained on; give the data and options of that training");
  dataset_.labels[0] = (dataset_.labels[0] + 1) % 3;
  expect_error([&] { page(run); },
               "communities: differs from the dataset that " + folder +
                   " was trained on; give the data and options of that training");
}

TEST_F(ReportTest, ASplitWithoutTestNodesIsRefused) {
  std::ranges::fill(dataset_.splits[1].test, 0);
  const dsnn::Run run = trained({1});
  expect_error([&] { page(run); }, "communities: split 1 has no test node with a label");
}

}  // namespace
}  // namespace dsnn
