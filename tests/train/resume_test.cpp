#include "dsnn/data/npz.h"
#include "dsnn/train/run.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"
#include "dsnn/util/random.h"

#include "support/communities.h"
#include "support/expect_error.h"
#include "support/test_files.h"
#include "train/run_folder.h"
#include "util/index.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <list>
#include <span>
#include <string>
#include <vector>

// The files that a training leaves in its folder, and how it continues from them.

namespace dsnn {
namespace {

using testing::communities;
using testing::contains;
using testing::damaged;
using testing::digest;
using testing::message_of;
using testing::options_of;
using testing::read_text;
using testing::TempDir;

/// metrics and models, byte for byte, of some splits.
std::string files_of(const std::filesystem::path& folder, int num_splits) {
  std::string bytes;
  for (int split = 0; split < num_splits; ++split) {
    const auto path = folder / fmt::format("split-{}", split);
    bytes += read_text(path / "metrics.csv") + read_text(path / "model.npz");
  }
  return bytes;
}

TEST(Train, KeepsARun) {
  const Dataset dataset = communities();
  const TempDir dir;
  TrainOptions options = options_of({"epochs=6"});
  options.folder = dir / "run";
  const auto results = train(dataset, options).splits;
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
  EXPECT_EQ(json["arithmetic"], kArithmeticVersion);
  EXPECT_EQ(json["rounding"], Arithmetic::current().rounding);
  const RunConfig config = read_toml(options.folder / "config.toml");
  EXPECT_EQ(config.model, "diag-dsnn");
  EXPECT_EQ(config.config.integer("channels"), 8);
  const std::string metrics = read_text(options.folder / "split-3" / "metrics.csv");
  EXPECT_EQ(std::count(metrics.begin(), metrics.end(), '\n'), 7);

  EXPECT_TRUE(
      contains(message_of<Error>([&] { train(dataset, options); }), "contains a run already"));
  options.resume = true;
  EXPECT_EQ(digest(train(dataset, options).splits), digest(results));
  options.seed = 5;
  EXPECT_TRUE(
      contains(message_of<Error>([&] { train(dataset, options); }), "contains another run"));
}

/// With dropout, and without it, where a step reuses the previous evaluation.
class Interruptions : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Dropout, Interruptions, ::testing::Values("dropout=0.3", "dropout=0"));

TEST_P(Interruptions, ChangeNothing) {
  const Dataset dataset = communities();
  const TempDir dir;
  TrainOptions options = options_of({"epochs=20", "layers=2", GetParam()});
  options.splits = {0, 1};
  options.folder = dir / "whole";
  const std::string expected = digest(train(dataset, options).splits);
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
      const std::string now = digest(train(dataset, options).splits);
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

// Nothing is saved at the end, as after SIGKILL; the periodic checkpoints are sufficient.
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

// 'auto' depends on the name of the data; a run must not mix feature preparations.
TEST(Train, RefusesToGoOnWithFeaturesPreparedOtherwise) {
  const TempDir dir;
  TrainOptions options = options_of({"epochs=2"});
  options.folder = dir / "run";
  train(communities(), options);
  const auto path = options.folder / "data.json";
  auto data = nlohmann::json::parse(read_text(path));
  data["preparation"] = {{"smallest", 0}};
  testing::write_text(path, data.dump());
  options.resume = true;
  try {
    train(communities(), options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("was started with other feature preparation (each row "
                        "divided by its sum); now: "),
              std::string::npos);
  }
}

// Runs from before other preparations existed keep theirs.
TEST(Train, GoesOnWithOlderRuns) {
  const TempDir dir;
  TrainOptions options = options_of({"epochs=2", "normalise_features=rows", "degree_features=no"});
  options.folder = dir / "run";
  const std::string expected = digest(train(communities(), options).splits);
  const auto path = options.folder / "data.json";
  auto data = nlohmann::json::parse(read_text(path));
  data["smallest"] = data["preparation"]["smallest"];
  data["normalised"] = true;
  data.erase("preparation");
  testing::write_text(path, data.dump());
  EXPECT_EQ(dsnn::Run(options.folder).preparation().smallest, data["smallest"].get<float>());
  options.resume = true;
  EXPECT_EQ(digest(train(communities(), options).splits), expected);
}

// Bytes changed and truncated anywhere: the same results or an Error, nothing else.
TEST(Train, RefusesDamagedFilesOfARun) {
  const Dataset dataset = communities();
  const TempDir dir;
  TrainOptions options = options_of({"epochs=2"});
  options.splits = {0};
  options.folder = dir / "run";
  const std::string expected = digest(train(dataset, options).splits);
  options.resume = true;
  Random random(4);
  for (const char* name : {"config.toml", "data.json", "split-0/checkpoint.npz"}) {
    const auto path = options.folder / name;
    const std::string sound = read_text(path);
    for (int trial = 0; trial < 60; ++trial) {
      testing::write_text(path, damaged(sound, random));
      try {
        EXPECT_EQ(digest(train(dataset, options).splits), expected);
      } catch (const Error& error) {
        EXPECT_FALSE(std::string(error.what()).empty());
      }
      testing::write_text(path, sound);
    }
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
    for (const SplitResult& result : train(dataset, options).splits) {
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
  EXPECT_EQ(json["arithmetic"], kArithmeticVersion);
}

// Results record what their digits depend on, also if mixed.
TEST(Train, KeepsTheArithmetic) {
  const Arithmetic now = Arithmetic::current();
  const Arithmetic other = {now.version + 1, "none"};
  EXPECT_EQ(now.joined_with(now), now);
  EXPECT_EQ(now.joined_with(other), (Arithmetic{0, "several"}));
  EXPECT_EQ(read_arithmetic("damaged"), (Arithmetic{1, ""}));
  EXPECT_EQ(read_arithmetic("{\"splits\": []}"), (Arithmetic{1, ""}));
  TrainResult result;
  result.splits.resize(2);
  for (SplitResult& split : result.splits) split.arithmetic = now;
  result.splits[1].split = 1;
  const std::string whole = result_json(result);
  EXPECT_EQ(read_arithmetic(whole), now);
  result.splits[1].arithmetic = other;
  EXPECT_EQ(read_arithmetic(result_json(result)), (Arithmetic{0, "several"}));
  result.splits.pop_back();
  EXPECT_EQ(read_arithmetic(result_json(result, whole)), now);
  const std::string old = "{\"splits\": [{\"split\": 1}]}";  // from before it was recorded
  EXPECT_EQ(read_arithmetic(result_json(result, old)), (Arithmetic{0, "several"}));
}

// A checkpoint keeps it: a finished split keeps its version, a continued one is of both.
TEST(Train, CheckpointsKeepTheArithmetic) {
  const Dataset dataset = communities();
  const TempDir dir;
  TrainOptions options = options_of({"epochs=3"});
  options.folder = dir / "run";
  options.splits = {0};
  train(dataset, options);
  const auto checkpoint = options.folder / "split-0" / "checkpoint.npz";
  const auto with_version = [&](std::int64_t num_epochs) {  // the same file, of version 1
    const NpzReader old(checkpoint);
    NpzWriter npz(dir / "old.npz");
    std::list<Array<float>> arrays;
    for (const char* name : {"weights", "first_moments", "second_moments", "best_weights"}) {
      const Array<float>& array = arrays.emplace_back(old.read<float>(name));
      npz.add<float>(name, array.shape, array.data);
    }
    Array<double> epochs = old.read<double>("epochs");
    epochs.data.resize(at(num_epochs * epochs.shape[1]));
    npz.add<double>("epochs", {num_epochs, epochs.shape[1]}, epochs.data);
    const std::int64_t best = 1;
    npz.add<std::int64_t>("best_epoch", {}, std::span(&best, 1));
    const Array<double> seconds = old.read<double>("seconds");
    npz.add<double>("seconds", {}, seconds.data);
    npz.add_strings("texts", old.read_strings("texts"));
    npz.commit();
    std::filesystem::rename(dir / "old.npz", checkpoint);
  };
  options.resume = true;
  EXPECT_EQ(train(dataset, options).splits[0].arithmetic, Arithmetic::current());
  with_version(3);
  EXPECT_EQ(train(dataset, options).splits[0].arithmetic.version, 1);
  with_version(2);
  EXPECT_EQ(train(dataset, options).splits[0].arithmetic.version, 0);
}

}  // namespace
}  // namespace dsnn
