#include "dsnn/train/train.h"

#include "dsnn/nn/model.h"
#include "dsnn/util/error.h"

#include "support/communities.h"
#include "support/expect_error.h"
#include "support/test_files.h"
#include "train/split_trainer.h"
#include "train/training_data.h"

#include <ATen/core/Tensor.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace dsnn {
namespace {

using testing::communities;
using testing::contains;
using testing::digest;
using testing::options_of;
using testing::read_text;
using testing::TempDir;

/// The columns of a split's metrics.csv, by their names.
std::map<std::string, std::vector<double>> metrics_of(const std::filesystem::path& folder,
                                                      int split) {
  std::istringstream text(read_text(folder / fmt::format("split-{}", split) / "metrics.csv"));
  const auto fields_of = [](const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
    return fields;
  };
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> names = fields_of(line);
  std::map<std::string, std::vector<double>> columns;
  while (std::getline(text, line)) {
    const std::vector<std::string> fields = fields_of(line);
    for (std::size_t i = 0; i < names.size(); ++i)
      columns[names[i]].push_back(std::stod(fields[i]));
  }
  return columns;
}

TEST(Train, LearnsFromDirectionsWhatNobodyLearnsWithout) {
  const Dataset dataset = communities();
  const auto accuracy = [&](const std::string& model) {
    TrainOptions options = options_of({"epochs=150", "dropout=0"}, model);
    options.splits = {0, 1};
    const auto results = train(dataset, options).splits;
    return (results[0].test.accuracy + results[1].test.accuracy) / 2;
  };
  for (const char* maps : {"diag", "orth", "gen"}) {
    EXPECT_GT(accuracy(fmt::format("{}-dsnn", maps)), 0.8) << maps;
    EXPECT_LT(accuracy(fmt::format("{}-nsd", maps)), 0.6) << maps;
  }
}

TEST(Train, HasTheSameNumbersForAnyThreadsAndJobs) {
  const Dataset dataset = communities();
  for (const char* model : {"diag-dsnn", "orth-dsnn", "gen-dsnn"}) {
    std::string first;
    for (const auto& [threads, jobs] :
         std::vector<std::pair<int, int>>{{1, 1}, {2, 1}, {3, 2}, {1, 4}}) {
      TrainOptions options = options_of({"epochs=12", "layers=2", "input_dropout=0.2"}, model);
      options.threads = threads;
      options.jobs = jobs;
      const std::string now = digest(train(dataset, options).splits);
      if (first.empty()) first = now;
      EXPECT_EQ(now, first) << model << ", " << threads << " threads, " << jobs << " jobs";
    }
  }
}

TEST(Train, AnotherSeedHasOtherNumbers) {
  const Dataset dataset = communities();
  TrainOptions options = options_of({"epochs=5"});
  const std::string first = digest(train(dataset, options).splits);
  options.seed = 1;
  EXPECT_NE(digest(train(dataset, options).splits), first);
}

TEST(Train, StopsWhenNothingGetsBetter) {
  const Dataset dataset = communities();
  const auto results = train(dataset, options_of({"epochs=500", "patience=7"})).splits;
  for (const SplitResult& result : results) {
    const bool is_perfect = result.validation.accuracy == 1;
    EXPECT_EQ(result.epochs, result.best_epoch + (is_perfect ? 0 : 7));
    EXPECT_LT(result.epochs, 500);
  }
}

// No later epoch could be chosen: the choice is the same as without the early stop.
TEST(Train, StopsWhenNothingCanGetBetter) {
  const Dataset dataset = communities();
  int num_perfect = 0;
  for (const SplitResult& result :
       train(dataset, options_of({"epochs=100", "patience=100"})).splits) {
    if (result.validation.accuracy < 1) {
      EXPECT_EQ(result.epochs, 100);
      continue;
    }
    ++num_perfect;
    EXPECT_EQ(result.epochs, result.best_epoch);
  }
  EXPECT_GT(num_perfect, 0);
  const auto by_loss =
      train(dataset, options_of({"epochs=60", "patience=60", "select_by=loss"})).splits;
  for (const SplitResult& result : by_loss) EXPECT_EQ(result.epochs, 60);
}

// The chosen epoch is the first best on the validation nodes, and its test scores are reported,
// even if those of another epoch are better.
TEST(Train, ChoosesAnEpochByValidationAlone) {
  const Dataset dataset = communities();
  const TempDir dir;
  int num_better_tests = 0;
  for (const std::string by : {"accuracy", "loss"}) {
    TrainOptions options = options_of({"epochs=40", "patience=40", "lr=0.1", "select_by=" + by});
    options.folder = dir / by;
    for (const SplitResult& result : train(dataset, options).splits) {
      auto metrics = metrics_of(options.folder, result.split);
      const auto& validation = metrics["val_" + by];
      const auto best = by == "loss" ? std::ranges::min_element(validation)
                                     : std::ranges::max_element(validation);
      const auto row = static_cast<std::size_t>(best - validation.begin());
      EXPECT_EQ(result.best_epoch, metrics["epoch"][row]) << by;
      EXPECT_NEAR(100 * result.validation.accuracy, metrics["val_accuracy"][row], 1e-9) << by;
      EXPECT_NEAR(100 * result.test.accuracy, metrics["test_accuracy"][row], 1e-9) << by;
      EXPECT_NEAR(result.test.loss, metrics["test_loss"][row], 1e-9) << by;
      const double best_test = std::ranges::max(metrics["test_accuracy"]);
      num_better_tests += best_test > 100 * result.test.accuracy + 1e-9 ? 1 : 0;
    }
  }
  EXPECT_GT(num_better_tests, 0);
}

// Each decay applies only to its own weights.
TEST(Train, DecaysTheSheafAndTheRestEachForItself) {
  const Dataset dataset = communities();
  const auto weights = [&](const std::vector<std::string>& settings) {
    const TrainOptions options = options_of(settings);
    const TrainingData data = make_training_data(dataset, fit_preparation(dataset, options.config));
    SplitTrainer trainer(data, 0, options.model, options.config, 0, engine::Device::cpu());
    trainer.run_epoch();
    return std::pair(trainer.weights(), trainer.model().weights().pieces());
  };
  const auto [plain, pieces] = weights({"weight_decay=0", "sheaf_decay=0"});
  for (const bool of_sheaf : {false, true}) {
    const auto decayed = of_sheaf ? weights({"weight_decay=0", "sheaf_decay=1000"}).first
                                  : weights({"weight_decay=1000", "sheaf_decay=0"}).first;
    int num_others = 0, num_changed = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const bool is_sheaf = std::ranges::any_of(pieces, [&](const auto& piece) {
        return piece.group == nn::WeightGroup::kSheaf && std::cmp_greater_equal(i, piece.begin) &&
               std::cmp_less(i, piece.end);
      });
      if (plain[i] == decayed[i]) continue;
      (is_sheaf == of_sheaf ? num_changed : num_others) += 1;
    }
    EXPECT_EQ(num_others, 0) << of_sheaf;
    EXPECT_GT(num_changed, 0) << of_sheaf;
  }
}

// Neither a gradient nor decay reaches a learner that is not to learn; all other weights change.
TEST(Train, RandomMapsStayAsDrawn) {
  const Dataset dataset = communities();
  for (const char* model : {"diag-dsnn", "orth-nsd", "gen-nsd-compl"}) {
    const TrainOptions options =
        options_of({"maps=random", "sheaf_decay=0.5", "weight_decay=0.1", "epochs=5"}, model);
    const TrainingData data = make_training_data(dataset, fit_preparation(dataset, options.config));
    SplitTrainer trainer(data, 0, options.model, options.config, 0, engine::Device::cpu());
    const auto drawn = trainer.weights();
    for (int epoch = 0; epoch < 3; ++epoch) trainer.run_epoch();
    const auto trained = trainer.weights();
    for (const engine::Weight& weight : trainer.model().weights().all()) {
      const auto begin = static_cast<std::size_t>(weight.offset);
      const auto end = begin + static_cast<std::size_t>(engine::num_numbers(weight.shape));
      const bool is_same = std::equal(drawn.begin() + static_cast<std::ptrdiff_t>(begin),
                                      drawn.begin() + static_cast<std::ptrdiff_t>(end),
                                      trained.begin() + static_cast<std::ptrdiff_t>(begin));
      EXPECT_EQ(is_same, weight.name.ends_with(".learner")) << model << " " << weight.name;
    }
  }
}

// With two classes ranks are scored, which non-finite values do not have.
TEST(Train, NamesTheLayerWhereNumbersAreNotFinite) {
  for (const std::int64_t num_classes : {2, 3}) {
    Dataset dataset = communities();
    dataset.num_classes = num_classes;
    for (std::int64_t& label : dataset.labels) label %= num_classes;
    TrainOptions options = options_of({"epochs=50", "lr=1000", "layers=3", "sheaf_act=identity",
                                       "activation=none", "normalise=degree"},
                                      "gen-dsnn");
    options.splits = {0};
    const SplitResult result = train(dataset, options).splits[0];
    EXPECT_TRUE(contains(result.failure, "split 0: scores are not finite after epoch "));
    EXPECT_TRUE(contains(result.failure, "the first non-finite values come from layer"));
    EXPECT_LT(result.epochs, 50);
    // Such an epoch is not the best one.
    EXPECT_LE(result.best_epoch, result.epochs);
    EXPECT_TRUE(std::isfinite(result.validation.loss));
  }
}

TEST(Train, NamesALossThatIsNotFinite) {
  Dataset dataset = communities();
  dataset.features.values[0] = std::numeric_limits<float>::infinity();
  TrainOptions options = options_of({"epochs=5", "dropout=0"}, "mlp");
  options.splits = {0};
  for (Split& split : dataset.splits) {  // it trains, and nothing else
    split.train[0] = 1;
    split.validation[0] = split.test[0] = 0;
  }
  EXPECT_TRUE(
      contains(train(dataset, options).splits[0].failure, "split 0: the loss of epoch 1 is "));
}

TEST(Train, TakesTheLastEpochWhereNoNodeValidates) {
  Dataset dataset = communities();
  for (Split& split : dataset.splits) std::ranges::fill(split.validation, 0);
  for (const char* by : {"select_by=accuracy", "select_by=loss"}) {
    TrainOptions options = options_of({"epochs=12", "patience=3", by});
    options.splits = {0};
    const SplitResult result = train(dataset, options).splits[0];
    EXPECT_EQ(result.best_epoch, 12);
    EXPECT_EQ(result.epochs, 12);
  }
}

// By default the degrees replace missing features.
TEST(Train, NeedsFeaturesOrDegrees) {
  Dataset dataset = communities();
  dataset.usual_scale = FeatureScale::kAuto;
  dataset.features = {};
  EXPECT_GT(train(dataset, options_of({"epochs=1"})).splits[0].best_epoch, 0);
  testing::expect_error(
      [&] {
        train(dataset, options_of({"epochs=1", "degree_features=no"}));
      },
      "communities: has no features (--degree-features yes adds node degrees)");
}

TEST(Train, RefusesDataThatItCannotUse) {
  const auto expect = [](const std::function<void(Dataset&)>& spoil, const std::string& sentence) {
    Dataset dataset = communities();
    spoil(dataset);
    testing::expect_error([&] { train(dataset, options_of({"epochs=1"})); }, sentence);
  };
  expect([](Dataset& d) { d.labels.clear(); },
         "communities: has no labels, expected labels for training");
  expect([](Dataset& d) { d.splits.clear(); },
         "communities: has no splits (draw them with --split 48/32/20)");
  expect([](Dataset& d) { std::ranges::fill(d.splits[3].train, 0); },
         "communities: split 3: no training nodes with a label");
  expect([](Dataset& d) { d.splits[1].test = d.splits[1].train; },
         "communities: split 1: 90 nodes are in more than one of training, validation and test");
  expect([](Dataset& d) { d.splits[2].test.pop_back(); },
         "communities: split 2: masks of 150, 150 and 149 nodes, expected 150");
  expect([](Dataset& d) { d.num_classes = 2; },
         "labels: node 100 has label 2, expected less than 2");
  expect([](Dataset& d) { d.labels.pop_back(); },
         "labels: 149 labels for 150 nodes, expected one per node");
  expect([](Dataset& d) { d.features.values.pop_back(); },
         "features: 149 values, 0 row offsets and 0 column indices do not form a [150, 1] matrix");
  expect(
      [](Dataset& d) {
        d.features = Features::dense(2, 1, {1, 2});
      },
      "communities: has features for 2 nodes, expected 150");
  expect(
      [](Dataset& d) {
        d.features = d.features.to_sparse();
        d.features.columns[3] = 1;
      },
      "features: 150 values, 151 row offsets and 150 column indices do not form a [150, 1] matrix");
  TrainOptions options = options_of({});
  options.splits = {1, 0, 1};
  testing::expect_error([&] { train(communities(), options); },
                        "splits: a split is requested twice");
  options.splits = {4};
  testing::expect_error([&] { train(communities(), options); },
                        "communities: has splits 0 to 3, but split 4 was requested");
  options = options_of({});
  options.model = "mlp";
  testing::expect_error(
      [&] { train(communities(), options); },
      fmt::format("the configuration does not fit the model mlp, expected its {} parameters",
                  default_config("mlp").parameters().size()));
}

// A class without a training node, a single class, unlabelled nodes in masks: these are allowed.
TEST(Train, DoesWithOddClasses) {
  Dataset dataset = communities();
  for (std::size_t u = 0; u < dataset.labels.size(); ++u) {
    if (dataset.labels[u] == 2) dataset.splits[0].train[u] = 0;
    if (u % 7 == 0) dataset.labels[u] = -1;
  }
  TrainOptions options = options_of({"epochs=3"});
  options.splits = {0};
  EXPECT_EQ(train(dataset, options).splits[0].epochs, 3);
  for (std::int64_t& label : dataset.labels) label = label < 0 ? label : 0;
  dataset.num_classes = 1;
  EXPECT_EQ(train(dataset, options).splits[0].test.accuracy, 1);
}

}  // namespace
}  // namespace dsnn
