#include "dsnn/train/train.h"

#include "dsnn/nn/model.h"
#include "dsnn/train/run.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "communities.h"
#include "nn/input.h"
#include "support/expect_error.h"
#include "support/test_files.h"
#include "train/run_folder.h"
#include "train/split_trainer.h"
#include "train/training_data.h"
#include "util/index.h"
#include "util/random.h"

#include <ATen/core/Tensor.h>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <sstream>
#include <utility>

namespace dsnn {
namespace {

using testing::communities;
using testing::contains;
using testing::damaged;
using testing::message_of;
using testing::options_of;
using testing::read_text;
using testing::TempDir;

/// All that must be the same between two runs, with every digit.
std::string digest(const std::vector<SplitResult>& results) {
  std::string text;
  for (const SplitResult& r : results) {
    text += fmt::format("{} {} {} {:a} {:a} {:a} {:a} {:a}\n", r.split, r.best_epoch, r.epochs,
                        r.validation.accuracy, r.validation.loss, r.test.accuracy, r.test.loss,
                        r.test.macro_f1);
  }
  return text;
}

/// metrics and models, byte for byte, of some splits.
std::string files_of(const std::filesystem::path& folder, int num_splits) {
  std::string bytes;
  for (int split = 0; split < num_splits; ++split) {
    const auto path = folder / fmt::format("split-{}", split);
    bytes += read_text(path / "metrics.csv") + read_text(path / "model.npz");
  }
  return bytes;
}

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
    const auto results = train(dataset, options);
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
      const std::string now = digest(train(dataset, options));
      if (first.empty()) first = now;
      EXPECT_EQ(now, first) << model << ", " << threads << " threads, " << jobs << " jobs";
    }
  }
}

TEST(Train, AnotherSeedHasOtherNumbers) {
  const Dataset dataset = communities();
  TrainOptions options = options_of({"epochs=5"});
  const std::string first = digest(train(dataset, options));
  options.seed = 1;
  EXPECT_NE(digest(train(dataset, options)), first);
}

TEST(Train, StopsWhenNothingGetsBetter) {
  const Dataset dataset = communities();
  const auto results = train(dataset, options_of({"epochs=500", "patience=7"}));
  for (const SplitResult& result : results) {
    const bool is_perfect = result.validation.accuracy == 1;
    EXPECT_EQ(result.epochs, result.best_epoch + (is_perfect ? 0 : 7));
    EXPECT_LT(result.epochs, 500);
  }
}

// No later epoch could be chosen: what is chosen is what a run without that stop would choose.
TEST(Train, StopsWhenNothingCanGetBetter) {
  const Dataset dataset = communities();
  int num_perfect = 0;
  for (const SplitResult& result : train(dataset, options_of({"epochs=100", "patience=100"}))) {
    if (result.validation.accuracy < 1) {
      EXPECT_EQ(result.epochs, 100);
      continue;
    }
    ++num_perfect;
    EXPECT_EQ(result.epochs, result.best_epoch);
  }
  EXPECT_GT(num_perfect, 0);
  const auto by_loss = train(dataset, options_of({"epochs=60", "patience=60", "select_by=loss"}));
  for (const SplitResult& result : by_loss) EXPECT_EQ(result.epochs, 60);
}

// The epoch is the first that is best on the validation nodes, and its test scores are those
// reported, however much better those of another are.
TEST(Train, ChoosesAnEpochByValidationAlone) {
  const Dataset dataset = communities();
  const TempDir dir;
  int num_better_tests = 0;
  for (const std::string by : {"accuracy", "loss"}) {
    TrainOptions options = options_of({"epochs=40", "patience=40", "lr=0.1", "select_by=" + by});
    options.folder = dir / by;
    for (const SplitResult& result : train(dataset, options)) {
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

// Each decay is that of its weights and of no others.
TEST(Train, DecaysTheSheafAndTheRestEachForItself) {
  const Dataset dataset = communities();
  const auto weights = [&](const std::vector<std::string>& settings) {
    const TrainOptions options = options_of(settings);
    const TrainingData data = make_training_data(dataset, options.config);
    SplitTrainer trainer(data, data.splits[0], 0, options.model, options.config, 0);
    trainer.run_epoch();
    std::vector<float> numbers(
        trainer.best_weights().data_ptr<float>(),
        trainer.best_weights().data_ptr<float>() + trainer.best_weights().numel());
    return std::pair(numbers, trainer.model().weights().pieces());
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

// They are in another order then, with all that is known of them.
TEST(TrainingData, OfManyNodesKeepsTogetherWhatBelongsTogether) {
  const NodeId n = 12'000;
  const auto other = [](NodeId u) { return static_cast<NodeId>((7919LL * u) % n); };
  std::vector<Arc> arcs;
  std::vector<float> numbers;
  Dataset dataset;
  dataset.num_classes = 3;
  dataset.splits.resize(1);
  for (NodeId u = 0; u < n; ++u) {
    arcs.push_back({other(u), other((u + 1) % n)});
    numbers.push_back(static_cast<float>(u));
    dataset.labels.push_back(u % 3);
    dataset.splits[0].train.push_back(u % 5 == 0);
    dataset.splits[0].validation.push_back(u % 5 == 1);
    dataset.splits[0].test.push_back(u % 5 > 1);
  }
  dataset.graph = DirectedGraph::from_arcs(n, arcs);
  dataset.features = Features::dense(n, 1, numbers);
  const TrainingData data =
      make_training_data(dataset, Config(nn::find_model("diag-dsnn").parameters));
  const float* features = data.input.data().dense.data_ptr<float>();
  const DirectedGraph& graph = data.input.graph().directed();
  int num_moved = 0;
  for (NodeId i = 0; i < n; ++i) {
    const auto node = [&](NodeId place) { return static_cast<NodeId>(features[place]); };
    const NodeId u = node(i);
    num_moved += u == i ? 0 : 1;
    EXPECT_EQ(data.labels[at(i)], u % 3);
    EXPECT_EQ(data.splits[0].train[at(i)], u % 5 == 0);
    EXPECT_EQ(data.splits[0].validation[at(i)], u % 5 == 1);
    EXPECT_EQ(data.splits[0].test[at(i)], u % 5 > 1);
    for (HalfEdgeId h = graph.row_begin(i); h < graph.row_end(i); ++h) {
      const NodeId v = node(graph.neighbour(h));
      const NodeId step = graph.has_arc(h) ? (v - u + n) % n : (u - v + n) % n;
      EXPECT_EQ(step, 7919);
    }
  }
  EXPECT_GT(num_moved, n / 2);
}

TEST(Train, KeepsARun) {
  const Dataset dataset = communities();
  const TempDir dir;
  TrainOptions options = options_of({"epochs=6"});
  options.folder = dir / "run";
  const auto results = train(dataset, options);
  const auto json = nlohmann::json::parse(read_text(options.folder / "result.json"));
  EXPECT_EQ(json["splits"].size(), 4u);
  double mean = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(json["splits"][i]["split"], i);
    EXPECT_EQ(json["splits"][i]["test_accuracy"], 100 * results[i].test.accuracy);
    EXPECT_EQ(json["splits"][i]["epochs"], 6);
    mean += 25 * results[i].test.accuracy;
  }
  EXPECT_NEAR(json["test_accuracy_mean"].get<double>(), mean, 1e-9);
  for (const char* key : {"test_accuracy_std", "val_accuracy_mean", "test_macro_f1_mean", "version",
                          "seed", "dataset", "checksum", "model", "parameters"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  EXPECT_FALSE(json.contains("test_roc_auc_mean"));  // three classes
  const RunConfig config = read_toml(options.folder / "config.toml");
  EXPECT_EQ(config.model, "diag-dsnn");
  EXPECT_EQ(config.config.integer("channels"), 8);
  const std::string metrics = read_text(options.folder / "split-3" / "metrics.csv");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 7);

  EXPECT_TRUE(contains(message_of<Error>([&] { train(dataset, options); }), "holds a run already"));
  options.resume = true;
  EXPECT_EQ(digest(train(dataset, options)), digest(results));
  options.seed = 5;
  EXPECT_TRUE(contains(message_of<Error>([&] { train(dataset, options); }), "holds another run"));
}

/// With dropout, and without it, where a step goes on from the evaluation before it.
class Interruptions : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Dropout, Interruptions, ::testing::Values("dropout=0.3", "dropout=0"));

TEST_P(Interruptions, ChangeNothing) {
  const Dataset dataset = communities();
  const TempDir dir;
  TrainOptions options = options_of({"epochs=20", "layers=2", GetParam()});
  options.splits = {0, 1};
  options.folder = dir / "whole";
  const std::string expected = digest(train(dataset, options));
  options.folder = dir / "cut";
  options.resume = true;
  int runs = 0;
  for (bool is_done = false; !is_done; ++runs) {
    std::atomic<int> epochs = 0;
    options.checkpoint_seconds = 1000;  // so that only cancelling saves
    options.observer = [&](const TrainProgress&) {
      if (++epochs == 7) request_cancel();
    };
    try {
      const std::string now = digest(train(dataset, options));
      EXPECT_EQ(now, expected);
      is_done = true;
    } catch (const Cancelled&) {
    }
    clear_cancel_request();
    ASSERT_LT(runs, 20);
  }
  EXPECT_GT(runs, 4);
  EXPECT_EQ(files_of(dir / "cut", 2), files_of(dir / "whole", 2));
}

// Nothing is saved at the end, as by a kill; what is saved as time goes by is enough.
TEST_P(Interruptions, LoseWhatIsNotSavedYetAndNothingElse) {
  const Dataset dataset = communities();
  const TempDir dir;
  TrainOptions options = options_of({"epochs=20", "layers=2", GetParam()});
  options.splits = {0};
  options.folder = dir / "whole";
  train(dataset, options);
  options.folder = dir / "cut";
  options.resume = true;
  options.checkpoint_seconds = 0;
  struct Killed {};
  std::vector<std::int64_t> seen;
  options.observer = [&](const TrainProgress& progress) {
    seen.push_back(progress.epoch);
    if (seen.size() == 7) throw Killed();
  };
  EXPECT_THROW(train(dataset, options), Killed);
  EXPECT_NO_THROW(train(dataset, options));
  EXPECT_EQ(seen[7], 8);  // not from the beginning
  EXPECT_EQ(files_of(dir / "cut", 1), files_of(dir / "whole", 1));
}

TEST(Train, RefusesACheckpointThatIsDamaged) {
  const Dataset dataset = communities();
  const TempDir dir;
  TrainOptions options = options_of({"epochs=3"});
  options.splits = {0};
  options.folder = dir / "run";
  train(dataset, options);
  const auto checkpoint = options.folder / "split-0" / "checkpoint.npz";
  const std::string sound = read_text(checkpoint);
  options.resume = true;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{10}, sound.size() / 2, sound.size() - 1}) {
    testing::write_text(checkpoint, sound.substr(0, size));
    EXPECT_TRUE(contains(message_of<Error>([&] { train(dataset, options); }), "checkpoint.npz"));
  }
}

// Bytes turned and cut anywhere: the same results or an Error, nothing else.
TEST(Train, RefusesDamagedFilesOfARun) {
  const Dataset dataset = communities();
  const TempDir dir;
  TrainOptions options = options_of({"epochs=2"});
  options.splits = {0};
  options.folder = dir / "run";
  const std::string expected = digest(train(dataset, options));
  options.resume = true;
  Random random(4);
  for (const char* name : {"config.toml", "split-0/checkpoint.npz"}) {
    const auto path = options.folder / name;
    const std::string sound = read_text(path);
    for (int trial = 0; trial < 60; ++trial) {
      testing::write_text(path, damaged(sound, random));
      try {
        EXPECT_EQ(digest(train(dataset, options)), expected);
      } catch (const Error& error) {
        EXPECT_FALSE(std::string(error.what()).empty());
      }
      testing::write_text(path, sound);
    }
  }
}

// With two classes ranks are scored, which numbers that are not finite do not have.
TEST(Train, NamesTheLayerWhereNumbersAreNotFinite) {
  for (const std::int64_t num_classes : {2, 3}) {
    Dataset dataset = communities();
    dataset.num_classes = num_classes;
    for (std::int64_t& label : dataset.labels) label %= num_classes;
    TrainOptions options = options_of({"epochs=50", "lr=1000", "layers=3", "sheaf_act=identity",
                                       "activation=none", "normalise=degree"},
                                      "gen-dsnn");
    options.splits = {0};
    const SplitResult result = train(dataset, options)[0];
    EXPECT_TRUE(contains(result.failure, "split 0: scores are not finite after epoch "));
    EXPECT_TRUE(
        contains(result.failure, "the first numbers that are not finite come out of layer"));
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
  EXPECT_TRUE(contains(train(dataset, options)[0].failure, "split 0: the loss of epoch 1 is "));
}

TEST(Train, TakesTheLastEpochWhereNoNodeValidates) {
  Dataset dataset = communities();
  for (Split& split : dataset.splits) std::ranges::fill(split.validation, 0);
  for (const char* by : {"select_by=accuracy", "select_by=loss"}) {
    TrainOptions options = options_of({"epochs=12", "patience=3", by});
    options.splits = {0};
    const SplitResult result = train(dataset, options)[0];
    EXPECT_EQ(result.best_epoch, 12);
    EXPECT_EQ(result.epochs, 12);
  }
}

TEST(Train, KeepsTheSplitsOfEarlierCalls) {
  const Dataset dataset = communities();
  const TempDir dir;
  TrainOptions options = options_of({"epochs=3"});
  options.folder = dir / "run";
  options.resume = true;
  std::vector<double> accuracies(3);
  for (const std::vector<int>& splits : {std::vector{2, 0}, {1}, {0}}) {
    options.splits = splits;
    for (const SplitResult& result : train(dataset, options)) {
      accuracies[at(result.split)] = 100 * result.test.accuracy;
    }
  }
  const auto json = nlohmann::json::parse(read_text(options.folder / "result.json"));
  ASSERT_EQ(json["splits"].size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(json["splits"][i]["split"], i);
    EXPECT_EQ(json["splits"][i]["test_accuracy"], accuracies[i]);
  }
  EXPECT_NEAR(json["test_accuracy_mean"].get<double>(), mean_and_deviation(accuracies).mean, 1e-9);
}

TEST(Train, RefusesDataThatItCannotUse) {
  const auto expect = [](const std::function<void(Dataset&)>& spoil, const std::string& sentence) {
    Dataset dataset = communities();
    spoil(dataset);
    testing::expect_error([&] { train(dataset, options_of({"epochs=1"})); }, sentence);
  };
  expect([](Dataset& d) { d.labels.clear(); },
         "communities: has no labels, expected some to learn from");
  expect([](Dataset& d) { d.features = {}; },
         "communities: has no features (--features degrees makes some from the graph)");
  expect([](Dataset& d) { d.splits.clear(); },
         "communities: has no splits (--split 48/32/20 draws some)");
  expect([](Dataset& d) { std::ranges::fill(d.splits[3].train, 0); },
         "communities: split 3: no node with a label trains");
  expect([](Dataset& d) { d.splits[1].test = d.splits[1].train; },
         "communities: split 1: 90 nodes are in two of train, validation and test");
  expect([](Dataset& d) { d.splits[2].test.pop_back(); },
         "communities: split 2: masks of 150, 150 and 149 nodes, expected 150");
  TrainOptions options = options_of({});
  options.splits = {1, 0, 1};
  testing::expect_error([&] { train(communities(), options); }, "splits: some are asked for twice");
  options.splits = {4};
  testing::expect_error([&] { train(communities(), options); },
                        "communities: has splits 0 to 3, but split 4 is asked for");
}

// A class without a training node, one class only, unlabelled nodes in masks: no reason to stop.
TEST(Train, DoesWithOddClasses) {
  Dataset dataset = communities();
  for (std::size_t u = 0; u < dataset.labels.size(); ++u) {
    if (dataset.labels[u] == 2) dataset.splits[0].train[u] = 0;
    if (u % 7 == 0) dataset.labels[u] = -1;
  }
  TrainOptions options = options_of({"epochs=3"});
  options.splits = {0};
  EXPECT_EQ(train(dataset, options)[0].epochs, 3);
  for (std::int64_t& label : dataset.labels) label = label < 0 ? label : 0;
  dataset.num_classes = 1;
  EXPECT_EQ(train(dataset, options)[0].test.accuracy, 1);
}

TEST(NormaliseRows, SubtractsTheSmallestAndDividesBySums) {
  const Features dense = Features::dense(3, 2, {-1, 1, -1, -1, -0.9f, -1});
  const Features result = normalise_rows(dense);
  EXPECT_EQ(result.num_rows, 3);
  const std::vector<float> expected = {0, 1, 0, 0, 0.1f, 0};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(result.values[i], expected[i], 1e-6);
  const Features sparse = Features::dense(2, 3, {0, 2, 2, 0, 0, 0.5f}).to_sparse();
  const Features normalised = normalise_rows(sparse);
  EXPECT_TRUE(normalised.is_sparse());
  EXPECT_EQ(normalised.values, (std::vector<float>{0.5f, 0.5f, 0.5f}));
  EXPECT_EQ(smallest_number(dense), -1);
  EXPECT_EQ(smallest_number(Features::dense(1, 2, {3, 2})), 2);
  EXPECT_EQ(smallest_number(Features::dense(1, 2, {3, 2}).to_sparse()), 0);
  EXPECT_EQ(normalise_rows(Features::dense(1, 2, {0, 1}), -1).values,
            (std::vector<float>{1.0f / 3, 2.0f / 3}));
}

}  // namespace
}  // namespace dsnn
