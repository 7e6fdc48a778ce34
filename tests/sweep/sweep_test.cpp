#include "dsnn/sweep/sweep.h"

#include "dsnn/data/dsbm_dataset.h"
#include "dsnn/data/splits.h"
#include "dsnn/nn/model.h"
#include "dsnn/sweep/importance.h"

#include "support/expect_error.h"
#include "support/test_files.h"
#include "sweep/store.h"
#include "train/run_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>

namespace dsnn {
namespace {

using testing::TempDir;

/// Three communities. Nodes have one feature, their community: normalised, which makes all that is
/// not 0 the same, it tells but one from the others.
Dataset communities() {
  Dataset dataset = dsbm_dataset({.num_nodes = 60,
                                  .num_communities = 3,
                                  .alpha_in = 0.2,
                                  .alpha_out = 0.2,
                                  .beta = 0.05,
                                  .seed = 1});
  dataset.name = "communities";
  dataset.features.values.assign(dataset.labels.begin(), dataset.labels.end());
  dataset.splits = stratified_splits(dataset.labels, 3, {0.6, 0.2}, 2, 0);
  return dataset;
}

class SweepTest : public ::testing::Test {
 protected:
  /// A grid over one parameter.
  SweepOptions options(const std::string& model, const std::string& name,
                       std::vector<ParameterValue> values) const {
    SweepOptions options;
    options.model = model;
    options.base = default_config(model);
    options.base.set_text("channels=4");
    options.base.set_text("epochs=20");
    options.space.method = SweepMethod::kGrid;
    options.space.dimensions = {{name, std::move(values)}};
    options.jobs = 2;
    options.folder = dir_ / "sweep";
    return options;
  }

  /// A trial of diag-dsnn has the scores determined by its configuration.
  void expect_same_alone(const Trial& trial) const {
    TrainOptions alone;
    alone.config = trial.config;
    alone.seed = trial.seed;
    double validation = 0, test = 0;
    for (const SplitResult& result : train(dataset_, alone).splits) {
      validation += result.validation.accuracy / 2;
      test += result.test.accuracy / 2;
    }
    EXPECT_DOUBLE_EQ(trial.validation, validation) << trial.number;
    EXPECT_DOUBLE_EQ(trial.test, test) << trial.number;
  }

  TempDir dir_;
  const Dataset dataset_ = communities();
};

TEST_F(SweepTest, TrainsEachTrialWithTheFeaturesItAsksFor) {
  const Sweep sweep = run_sweep(dataset_, options("diag-dsnn", "normalise_features",
                                                  {std::string("none"), std::string("rows")}));
  ASSERT_EQ(sweep.trials.size(), 2u);
  for (const Trial& trial : sweep.trials) expect_same_alone(trial);
}

// As if a build of another commit, or another machine, had drawn and stored the trial.
TEST_F(SweepTest, TrainsWhatIsWrittenDown) {
  SweepOptions one = options("diag-dsnn", "lr", {0.02});
  one.budget_seconds = 0;  // starts and trains nothing
  EXPECT_TRUE(run_sweep(dataset_, one).trials.empty());
  RunConfig drawn = {"diag-dsnn", dataset_.name, checksum(dataset_), 7, one.base};
  drawn.config.set("lr", 1e-5);
  SweepStore(one.folder, false).add_trial(0, write_toml(drawn));
  one.budget_seconds = std::numeric_limits<double>::infinity();
  one.resume = true;
  const Sweep sweep = run_sweep(dataset_, one);
  ASSERT_EQ(sweep.trials.size(), 1u);
  EXPECT_EQ(sweep.trials[0].seed, 7u);
  EXPECT_EQ(sweep.trials[0].config.number("lr"), 1e-5);
  expect_same_alone(sweep.trials[0]);
}

TEST_F(SweepTest, GoesOnAfterACombinationThatAModelRefuses) {
  SweepOptions all = options("orth-dsnn", "stalk_dim", {std::int64_t{2}, std::int64_t{4}});
  all.base.set_text("orth_map=euler");
  const Sweep sweep = run_sweep(dataset_, all);
  ASSERT_EQ(sweep.trials.size(), 2u);
  ASSERT_NE(sweep.best(), nullptr);
  EXPECT_EQ(sweep.best()->number, 0);
  EXPECT_EQ(sweep.trials[1].failure, "stalk_dim is 4, expected 1 to 3 with orth_map euler");
  EXPECT_EQ(sweep.trials[1].rung, -1);
  ASSERT_EQ(sweep.trials[1].rungs.size(), 1u);
  EXPECT_TRUE(sweep.trials[1].rungs[0].is_failed);
  EXPECT_EQ(parameter_importance(sweep).num_failed, 1);
  all.resume = true;
  EXPECT_EQ(run_sweep(dataset_, all).trials.size(), 2u);
}

TEST_F(SweepTest, RefusesTheSplitsThatTrainingRefuses) {
  Dataset dataset = dataset_;
  dataset.splits[1].validation = dataset.splits[1].train;
  std::ranges::fill(dataset.splits[1].test, 0);
  testing::expect_error(
      [&] { run_sweep(dataset, options("mlp", "lr", {0.1})); },
      "communities: split 1: 36 nodes are in more than one of training, validation and test");
}

TEST_F(SweepTest, NamesTheProgramsThatWorkedOnIt) {
  const Sweep sweep = run_sweep(dataset_, options("mlp", "lr", {0.1}));
  ASSERT_EQ(sweep.commits.size(), 1u);
  EXPECT_TRUE(testing::contains(testing::read_text(dir_ / "sweep/best.toml"),
                                "; commit " + sweep.commits[0] + ".\n"));
}

TEST_F(SweepTest, NoMoreTimeIsLeftThanTheBudgetHas) {
  SweepOptions all = options("diag-dsnn", "layers", {std::int64_t{1}, std::int64_t{2}});
  all.budget_seconds = 1000;
  int num_calls = 0;
  all.observer = [&](const SweepProgress& progress) {
    ++num_calls;
    ASSERT_TRUE(progress.seconds_left);
    EXPECT_LE(*progress.seconds_left, 1000);
    EXPECT_TRUE(progress.num_done < progress.num_total || *progress.seconds_left == 0);
  };
  run_sweep(dataset_, all);
  EXPECT_GT(num_calls, 0);
}

TEST_F(SweepTest, AnObserverMayThrow) {
  SweepOptions all = options("diag-dsnn", "layers", {std::int64_t{1}, std::int64_t{2}});
  all.observer = [](const SweepProgress&) { throw Error("enough"); };
  testing::expect_error([&] { run_sweep(dataset_, all); }, "enough");
  all.observer = {};
  all.resume = true;
  EXPECT_EQ(run_sweep(dataset_, all).trials.size(), 2u);
}

TEST_F(SweepTest, WhereAllFailThereIsNoBest) {
  SweepOptions all = options("orth-dsnn", "stalk_dim", {std::int64_t{4}, std::int64_t{5}});
  all.base.set_text("orth_map=euler");
  std::filesystem::create_directories(all.folder);
  testing::write_text(all.folder / "best.toml", "of a sweep that was here before");
  const Sweep sweep = run_sweep(dataset_, all);
  EXPECT_EQ(sweep.trials.size(), 2u);
  EXPECT_EQ(sweep.best(), nullptr);
  EXPECT_FALSE(std::filesystem::exists(all.folder / "best.toml"));
}

}  // namespace
}  // namespace dsnn
