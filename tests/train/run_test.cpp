#include "dsnn/train/run.h"

#include "dsnn/train/train.h"
#include "dsnn/util/error.h"
#include "dsnn/util/random.h"

#include "support/communities.h"
#include "support/expect_error.h"
#include "support/test_files.h"
#include "train/training_data.h"
#include "util/index.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace dsnn {
namespace {

using testing::communities;
using testing::damaged;
using testing::expect_error;
using testing::options_of;
using testing::read_text;
using testing::TempDir;

class RunTest : public ::testing::Test {
 protected:
  /// Trains split 0 into the folder.
  Scores train_one(const Dataset& dataset, const std::vector<std::string>& settings,
                   const std::string& model = "diag-dsnn") {
    TrainOptions options = options_of(settings, model);
    options.splits = {0};
    options.folder = folder_;
    return train(dataset, options).splits[0].test;
  }
  dsnn::Run run() const { return dsnn::Run(folder_); }

  TempDir dir_;
  std::filesystem::path folder_ = dir_ / "run";
};

// Classes are numbered in the order of their names, so other data may have other numbers.
TEST_F(RunTest, KnowsClassesByTheirNames) {
  Dataset dataset = communities();
  dataset.label_names = {"a", "b", "c"};
  const Scores expected = train_one(dataset, {"epochs=5"});
  const dsnn::Run run(folder_);
  EXPECT_EQ(run.test_scores(0, dataset).accuracy, expected.accuracy);

  Dataset turned = dataset;
  turned.label_names = {"b", "c", "a"};
  for (std::int64_t& label : turned.labels) label = (label + 2) % 3;
  EXPECT_EQ(run.test_scores(0, turned).accuracy, expected.accuracy);
  Dataset fewer = dataset;  // no nodes of class b
  fewer.label_names = {"a", "c"};
  fewer.num_classes = 2;
  for (std::int64_t& label : fewer.labels) label = label == 1 ? -1 : label / 2;
  EXPECT_GT(run.test_scores(0, fewer).macro_f1, 0);
  Dataset other = dataset;
  other.label_names = {"a", "b", "z"};
  expect_error([&] { run.test_scores(0, other); },
               "communities: has a class 'z' that is unknown to the model");
  fewer.label_names.clear();
  expect_error([&] { run.test_scores(0, fewer); },
               "communities: has a class '0' that is unknown to the model");
  other.splits.clear();
  expect_error([&] { run.test_scores(0, other); },
               "communities: has 0 splits, but the run has a split 0");
}

// Consecutive numbers are stored without names, but still are names.
TEST_F(RunTest, KnowsClassesByTheirNumbers) {
  const Dataset dataset = communities();
  const Scores expected = train_one(dataset, {"epochs=5"});
  const dsnn::Run run(folder_);
  Dataset named = dataset;  // 2 is class 0 here
  named.label_names = {"2", "0", "1"};
  for (std::int64_t& label : named.labels) label = (label + 1) % 3;
  EXPECT_EQ(run.test_scores(0, named).accuracy, expected.accuracy);
  Dataset fewer = dataset;
  fewer.num_classes = 2;
  for (std::int64_t& label : fewer.labels) label = label == 2 ? -1 : label;
  EXPECT_GT(run.test_scores(0, fewer).accuracy, 0);
}

TEST_F(RunTest, MatchesColumnsOfCategories) {
  Dataset dataset;
  dataset.name = "people";
  dataset.features = Features::dense(2, 3, {1, 0, 5, 0, 1, 6});
  dataset.feature_names = {"city=Bonn", "city=Oslo", "age"};
  const auto match = [&](const std::vector<std::string>& names) {
    return match_features(dataset, names).to_dense().values;
  };
  EXPECT_EQ(match({"age", "city=Oslo", "city=Rome"}), (std::vector<float>{5, 0, 0, 6, 1, 0}));
  using Names = std::vector<std::string>;
  const Names renamed = {"age", "City=Oslo"}, more = {"age", "city=Oslo", "team=red"},
              fewer = {"age"};
  expect_error([&] { match(renamed); },
               "people: has a feature 'city' that is unknown to the model");
  expect_error([&] { match(more); },
               "people: feature 'team', which the model was trained on, is missing");
  expect_error([&] { match(fewer); }, "people: has a feature 'city' that is unknown to the model");
}

TEST_F(RunTest, IsFinishedWhenAllItsSplitsAre) {
  const Dataset dataset = communities();
  train_one(dataset, {"epochs=2"});
  EXPECT_TRUE(run().is_finished());
  std::filesystem::copy(folder_ / "split-0", folder_ / "split-1");
  EXPECT_FALSE(run().is_finished());
  std::filesystem::remove(folder_ / "result.json");
  EXPECT_FALSE(run().is_finished());
}

TEST_F(RunTest, HasNoScoresWhereNoNodeIsThereForThem) {
  Dataset dataset = communities();
  std::ranges::fill(dataset.splits[0].validation, 0);
  std::ranges::fill(dataset.splits[1].test, 0);
  TrainOptions options = options_of({"epochs=2"});
  options.splits = {0, 1};
  options.folder = folder_;
  train(dataset, options);
  const auto json = nlohmann::json::parse(read_text(folder_ / "result.json"));
  EXPECT_FALSE(json["splits"][0].contains("val_accuracy"));
  EXPECT_TRUE(json["splits"][0].contains("test_accuracy"));
  EXPECT_FALSE(json["splits"][1].contains("test_accuracy"));
  EXPECT_FALSE(json.contains("test_accuracy_mean"));
  EXPECT_EQ(run().best_split(), 1);
}

// A folder has one trainer at a time.
TEST_F(RunTest, RefusesTwoTrainingsAtOnce) {
  const Dataset dataset = communities();
  TrainOptions options = options_of({"epochs=1"});
  options.splits = {0};
  options.folder = folder_;
  options.observer = [&](const TrainProgress&) {
    TrainOptions other = options;
    other.observer = {};
    other.resume = true;
    expect_error([&] { train(dataset, other); },
                 folder_.string() + ": another process is training into this folder");
  };
  train(dataset, options);
}

// By their names and sizes, when they are read.
TEST_F(RunTest, NormalisesKnownDatasetsAlone) {
  const Config config = default_config("mlp");
  const TempDir dir;
  const auto normalises = [&](const char* name, const Dataset& dataset) {
    write_dataset(dir / name, dataset);
    return fit_preparation(read_dataset(dir / name), config).smallest.has_value();
  };
  Dataset dataset = communities();
  EXPECT_FALSE(normalises("communities.npz", dataset));
  EXPECT_FALSE(normalises("texas.npz", dataset));
  dataset = {};
  dataset.graph = DirectedGraph::from_arcs(183, std::vector<Arc>{{0, 1}});
  dataset.features = Features::dense(183, 1703, std::vector<float>(183 * 1703, 1));
  EXPECT_TRUE(normalises("texas.npz", dataset));
  EXPECT_FALSE(normalises("others.npz", dataset));
  Config rows = config;
  rows.set_text("normalise_features=rows");
  EXPECT_TRUE(fit_preparation(communities(), rows).smallest.has_value());
}

TEST_F(RunTest, TellsOtherSplitsFromOtherData) {
  const Dataset dataset = communities();
  train_one(dataset, {"epochs=1"}, "mlp");
  const dsnn::Run run(folder_);
  EXPECT_FALSE(run.has_other_splits(dataset));
  Dataset redrawn = dataset;
  redrawn.splits = stratified_splits(dataset.labels, 3, {0.6, 0.2}, 4, 1);
  EXPECT_TRUE(run.has_other_splits(redrawn));
  redrawn.features.values[0] += 1;
  EXPECT_FALSE(run.has_other_splits(redrawn));
}

// Large graphs are trained in another order, and geomgcn's embedding depends on it.
TEST_F(RunTest, SeesManyNodesInTheOrderOfTraining) {
  DsbmOptions sizes;
  sizes.num_nodes = 10'002;
  sizes.num_communities = 3;
  sizes.alpha_in = 0.0005;
  sizes.alpha_out = 0.0001;
  Dataset dataset;
  dataset.name = "many";
  dataset.graph = DirectedGraph::from_arcs(sizes.num_nodes, sample_dsbm(sizes));
  dataset.labels = dsbm_communities(sizes);
  dataset.num_classes = 3;
  dataset.features = Features::dense(sizes.num_nodes, 2, {});
  Random random(3);
  for (const std::int64_t label : dataset.labels) {
    dataset.features.values.push_back(static_cast<float>(label) +
                                      static_cast<float>(random.uniform()));
    dataset.features.values.push_back(static_cast<float>(random.uniform()));
  }
  dataset.splits = stratified_splits(dataset.labels, 3, {0.6, 0.2}, 1, 0);
  for (const char* model : {"gcn", "geomgcn"}) {
    folder_ = dir_ / model;
    const Scores expected = train_one(dataset, {"epochs=3"}, model);
    const Scores scores = run().test_scores(0, dataset);
    EXPECT_NEAR(scores.loss, expected.loss, 1e-6) << model;
    EXPECT_NEAR(scores.accuracy, expected.accuracy, 1e-9) << model;
  }
}

// The features of a node do not depend on other nodes in the file.
TEST_F(RunTest, NormalisesAsTrainingDid) {
  Dataset dataset = communities();
  Random random(2);
  dataset.features = Features::dense(150, 3, {});
  for (int i = 0; i < 450; ++i) {
    dataset.features.values.push_back(static_cast<float>(random.uniform()) - 0.5f);
  }
  dataset.features.values[0] = -3;
  train_one(dataset, {"epochs=4", "normalise_features=rows"}, "mlp");
  const dsnn::Run run(folder_);
  const std::vector<float> before = run.logits(0, dataset);
  dataset.features.values[0] = 0;
  const std::vector<float> after = run.logits(0, dataset);
  for (std::size_t i = 3; i < before.size(); ++i) EXPECT_EQ(before[i], after[i]);
}

TEST_F(RunTest, SaysWhereNumbersAreNotFinite) {
  Dataset dataset = communities();
  train_one(dataset, {"epochs=1"}, "mlp");
  dataset.features.values[7] = std::numeric_limits<float>::infinity();
  expect_error([&] { run().logits(0, dataset); },
               "communities: the model of split 0 has non-finite outputs for node 7");
}

// Initial weights are not a model.
TEST_F(RunTest, HasNoModelOfATrainingThatNeverGotAnywhere) {
  Dataset dataset = communities();
  std::fill(dataset.features.values.begin() + 1, dataset.features.values.end(),
            std::numeric_limits<float>::infinity());
  train_one(dataset, {"epochs=5"}, "mlp");
  EXPECT_TRUE(std::filesystem::exists(folder_ / "split-0" / "metrics.csv"));
  expect_error([&] { run(); }, folder_.string() + ": contains no trained model yet");
}

TEST_F(RunTest, ScoresNodesWithLabelsAlone) {
  Dataset dataset = communities();
  train_one(dataset, {"epochs=1"});
  expect_error([&] { run().test_scores(-1, dataset); },
               folder_.string() + ": has no model of split -1");
  Dataset untested = dataset;
  std::ranges::fill(untested.splits[0].test, 0);
  expect_error([&] { run().test_scores(0, untested); },
               "communities: split 0: no test nodes with a label");
  dataset.labels.clear();
  expect_error([&] { run().test_scores(0, dataset); },
               "communities: split 0: no test nodes with a label");
}

TEST_F(RunTest, RefusesDamagedFiles) {
  const Dataset dataset = communities();
  train_one(dataset, {"epochs=2"});
  const std::vector<float> expected = run().logits(0, dataset);
  Random random(5);
  for (const char* name : {"config.toml", "data.json", "split-0/model.npz"}) {
    const auto path = folder_ / name;
    const std::string sound = read_text(path);
    for (int trial = 0; trial < 60; ++trial) {
      testing::write_text(path, damaged(sound, random));
      try {
        EXPECT_EQ(run().logits(0, dataset).size(), expected.size());
      } catch (const Error& error) {
        EXPECT_FALSE(std::string(error.what()).empty());
      }
    }
    testing::write_text(path, sound);
  }
  expect_error([&] { run().logits(3, dataset); }, folder_.string() + ": has no model of split 3");
  Dataset other = dataset;
  other.features = Features::dense(150, 2, std::vector<float>(300, 1));
  expect_error([&] { run().logits(0, other); },
               "communities: has 2 features, but the model was trained on 1");
}

}  // namespace
}  // namespace dsnn
