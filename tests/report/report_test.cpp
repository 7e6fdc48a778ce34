#include "dsnn/report/report.h"

#include "dsnn/data/link_examples.h"
#include "dsnn/train/ensemble.h"
#include "dsnn/train/link_run.h"
#include "dsnn/train/train.h"

#include "support/communities.h"
#include "support/expect_error.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

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
    return run_report(Ensemble(run.folder()), dataset_, options);
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
    EXPECT_EQ(data["curves"][i]["best_epoch"], *run.best_epoch(run.splits()[i]));
    EXPECT_EQ(data["curves"][i]["train_loss"].size(), 5U);
  }
  EXPECT_NEAR(data["accuracy"]["mean"].get<double>(), (scores[0].accuracy + scores[1].accuracy) / 2,
              1e-12);
  EXPECT_TRUE(data["comparisons"].is_null());
}

// The scores are those of the averaged probabilities; each network has its own beside them.
TEST_F(ReportTest, OfAnEnsembleItHasTheScoresOfAll) {
  TrainOptions options = options_of({"epochs=5"});
  options.splits = {0, 1};
  options.folder = dir_ / "members";
  const MembersResult result = train_members(dataset_, options, 3);
  ReportOptions report;
  report.compares = false;
  const json data = data_of(run_report(Ensemble(options.folder), dataset_, report));
  ASSERT_EQ(data["splits"].size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(data["splits"][i]["accuracy"], result.splits[i].test.accuracy);
  }
  ASSERT_EQ(data["members"].size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    const std::vector<SplitResult>& splits = result.members[k].splits;
    EXPECT_EQ(data["members"][k]["seed"], k);
    EXPECT_NEAR(data["members"][k]["accuracy"].get<double>(),
                (splits[0].test.accuracy + splits[1].test.accuracy) / 2, 1e-12);
  }
  EXPECT_EQ(data["curves"].size(), 6U);
  EXPECT_EQ(data["sheaf"]["member"], 0);
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

class LinkReportTest : public ReportTest {
 protected:
  TrainOptions options(const std::vector<std::string>& settings) {
    TrainOptions options;
    options.model = "gcn";
    options.config = default_config("gcn", TaskKind::kLinks);
    for (const char* setting : {"epochs=5", "channels=4", "embedding=4", "num_splits=3"}) {
      options.config.set_text(setting);
    }
    for (const std::string& setting : settings) options.config.set_text(setting);
    options.splits = {0, 2};
    options.folder = dir_ / "links";
    return options;
  }
  json data(const TrainOptions& options) {
    return data_of(run_report(Ensemble(options.folder), dataset_, {}));
  }
};

TEST_F(LinkReportTest, HasTheScoresAndRanksOfTheRun) {
  const TrainOptions o = options({"metric=mrr", "link_task=existence"});
  const TrainResult result = train(dataset_, o);
  const json page = data(o);
  EXPECT_EQ(page["metric"], "mrr");
  double total = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const Scores& scores = result.splits[i].test;
    EXPECT_NEAR(page["splits"][i]["mrr"].get<double>(), scores.ranks->mrr, 1e-12);
    EXPECT_NEAR(page["splits"][i]["hits@20"].get<double>(), scores.ranks->hits[0], 1e-12);
    EXPECT_EQ(page["splits"][i]["num_test"], result.splits[i].num_test);
    EXPECT_EQ(page["curves"][i]["validation_accuracy"].size(), 5u);
    EXPECT_TRUE(page["curves"][i]["train_accuracy"].empty());  // not the MRR
    total += scores.ranks->mrr / 2;
  }
  EXPECT_NEAR(page["score"]["mean"].get<double>(), total, 1e-12);
  // Ranks up to 1, 5, 10, ...: by counting, for all arcs and pairs.
  std::vector<double> ranks;
  const LinkOptions asked = {.question = LinkQuestion::kExistence};
  for (const int split : {0, 2}) {
    const LinkExamples examples = link_examples(dataset_, asked, split);
    Dataset messages = dataset_;
    messages.graph = subgraph(dataset_.graph, examples.messages);
    const std::vector<float> z =
        LinkPredictor(dsnn::Run(o.folder), split, messages).logits(examples.test.pairs);
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (examples.test.labels[i] == 0) continue;
      double rank = 1;
      for (std::size_t k = 0; k < z.size(); ++k) {
        if (examples.test.labels[k] == 0) rank += z[k] > z[i] ? 1 : z[k] == z[i] ? 0.5 : 0;
      }
      ranks.push_back(rank);
    }
  }
  EXPECT_EQ(page["ranks"]["num_arcs"], ranks.size());
  double sum = 0;
  for (const json& bin : page["ranks"]["bins"]) {
    const double from = bin["from"], before = from == 1 ? 0 : from - 1;
    const double to = bin["to"].is_null() ? 1e9 : bin["to"].get<double>();
    const auto inside =
        std::ranges::count_if(ranks, [&](double rank) { return rank > before && rank <= to; });
    EXPECT_NEAR(bin["share"].get<double>(),
                static_cast<double>(inside) / static_cast<double>(ranks.size()), 1e-12);
    sum += bin["share"].get<double>();
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST_F(LinkReportTest, NamesTheMostProbableMissingArcs) {
  for (NodeId u = 0; u < dataset_.graph.num_nodes(); ++u) {
    dataset_.node_ids.push_back(fmt::format("node <{}>", u));
  }
  const TrainOptions o = options({});
  train(dataset_, o);
  const json page = data(o);
  const dsnn::Run run(o.folder);
  double best = 0;
  for (const LinkPrediction& each : LinkPredictor(run, run.best_split(), dataset_).top(1)) {
    best = std::max(best, each.probability);
  }
  const json& arcs = page["missing"]["arcs"];
  ASSERT_FALSE(arcs.empty());
  EXPECT_NEAR(arcs[0]["probability"].get<double>(), best, 1e-12);
  EXPECT_TRUE(contains(arcs[0]["source"], "node <"));
  for (std::size_t i = 1; i < arcs.size(); ++i) {
    EXPECT_LE(arcs[i]["probability"], arcs[i - 1]["probability"]);
  }
}

TEST_F(LinkReportTest, OfAnEnsembleAndOfDirections) {
  const TrainOptions o = options({"link_task=direction"});
  const MembersResult result = train_members(dataset_, o, 2);
  const json page = data(o);
  EXPECT_EQ(page["members"].size(), 2u);
  EXPECT_EQ(page["curves"].size(), 4u);
  EXPECT_NEAR(page["splits"][0]["accuracy"].get<double>(), result.splits[0].test.accuracy, 1e-12);
  EXPECT_TRUE(page["missing"].is_null());  // the model assumes that there is an arc
}

}  // namespace
}  // namespace dsnn
