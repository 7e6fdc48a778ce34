// Whole trainings on a GPU: epochs are recorded and replayed, the host looks rarely.
#include "dsnn/train/run.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"

#include "cuda/gpu_runner.h"
#include "support/communities.h"
#include "support/expect_error.h"
#include "support/test_files.h"
#include "train/split_trainer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dsnn {
namespace {

using testing::communities;
using testing::digest;
using testing::options_of;

/// All records with all digits.
std::string digest_of(const std::vector<EpochRecord>& records) {
  std::string text;
  for (const EpochRecord& r : records) {
    text += fmt::format("{} {:a} {:a} {:a} {:a} {:a} {:a}\n", r.epoch, r.train_loss, r.train.loss,
                        r.validation.loss, r.validation.accuracy, r.test.loss, r.test.macro_f1);
  }
  return text;
}

/// A training on one split.
struct Case {
  Dataset dataset;
  TrainOptions options;
  TrainingData data;

  explicit Case(const TrainOptions& given, float scale = 1)
      : dataset(scaled(scale)),
        options(given),
        data(make_training_data(dataset, fit_preparation(dataset, given.config))) {}
  static Dataset scaled(float scale) {
    Dataset dataset = communities(36);  // small: the GPU may be emulated
    for (float& value : dataset.features.values) value *= scale;
    return dataset;
  }
  SplitTrainer trainer(const char* device = "cuda") const {
    return SplitTrainer(data, 0, options.model, options.config, options.seed,
                        engine::Device::of_word(device, 1));
  }
};

TEST(CudaTraining, LearnsWhatTheProcessorLearns) {
  DSNN_NEED_GPU();
  for (const char* model : {"diag-dsnn", "gcn", "gat"}) {
    for (const char* dropout : {"dropout=0", "dropout=0.4"}) {
      TrainOptions options = options_of({"epochs=4", "lr=0.001", dropout}, model);
      if (std::string(model) != "gat" && std::string(dropout) == "dropout=0") {
        for (const std::string& rate : options.config.with_role(ParameterRole::kDropout)) {
          options.config.set_text(rate + "=0");
        }
      }
      const Case each(options);
      SplitTrainer expected = each.trainer("cpu"), got = each.trainer();
      while (!expected.is_finished()) expected.run_epoch();
      while (!got.is_finished()) got.run_epoch();
      ASSERT_EQ(expected.records().size(), got.records().size());
      for (std::size_t i = 0; i < got.records().size(); ++i) {
        const EpochRecord &a = expected.records()[i], &b = got.records()[i];
        EXPECT_NEAR(a.train_loss / b.train_loss, 1, 1e-2) << model << " " << i;
        EXPECT_NEAR(a.validation.loss / b.validation.loss, 1, 1e-2) << model << " " << i;
      }
    }
  }
}

TEST(CudaTraining, ReplayedEpochsAreThoseLaunchedOneByOne) {
  DSNN_NEED_GPU();
  const Case each(options_of({"epochs=10", "patience=1000"}));
  SplitTrainer replayed = each.trainer(), single = each.trainer();
  while (!replayed.is_finished()) replayed.run_epoch();
  while (!single.is_finished()) single.run_epoch(1, 1);
  EXPECT_EQ(digest_of(replayed.records()), digest_of(single.records()));
  EXPECT_EQ(replayed.weights(), single.weights());
}

TEST(CudaTraining, ReplayedEpochsAreThoseOfSingleLaunches) {
  DSNN_NEED_GPU();
  for (const char* dropout : {"dropout=0.3", "dropout=0"}) {
    const Case each(options_of({"epochs=20", "patience=1000", dropout}, "gcn"));
    SplitTrainer replayed = each.trainer(), launched = each.trainer();
    launched.set_recorded(false);
    while (!replayed.is_finished()) replayed.run_epoch();
    while (!launched.is_finished()) launched.run_epoch();
    EXPECT_EQ(digest_of(replayed.records()), digest_of(launched.records()));
    EXPECT_EQ(replayed.weights(), launched.weights());
  }
}

// The host looks at many epochs at a time; the training ends as if it looked at each.
TEST(CudaTraining, StopsAndSelectsAsIfItLookedAtEveryEpoch) {
  DSNN_NEED_GPU();
  for (const char* select : {"select_by=accuracy", "select_by=loss"}) {
    const Case each(options_of({"epochs=40", "patience=4", select, "lr=0.05"}));
    SplitTrainer rarely = each.trainer(), always = each.trainer();
    while (!rarely.is_finished()) rarely.run_epoch();
    while (!always.is_finished()) always.run_epoch(1, 1);
    EXPECT_EQ(digest_of(rarely.records()), digest_of(always.records()));
    EXPECT_EQ(rarely.result().best_epoch, always.result().best_epoch);
    EXPECT_EQ(rarely.weights(), always.weights());
    // The best epoch is that of its own records.
    const auto& records = rarely.records();
    std::size_t best = 0;
    for (std::size_t i = 1; i < records.size(); ++i) {
      const Scores &a = records[best].validation, &b = records[i].validation;
      const bool is_better =
          std::string(select) == "select_by=loss" ? b.loss < a.loss : b.accuracy > a.accuracy;
      if (is_better) best = i;
    }
    EXPECT_EQ(rarely.result().best_epoch, static_cast<std::int64_t>(best) + 1);
    EXPECT_EQ(records.size(), std::min<std::size_t>(40, best + 5));
  }
}

TEST(CudaTraining, ContinuesFromACheckpointToTheSameBits) {
  DSNN_NEED_GPU();
  const testing::TempDir dir;
  for (const char* dropout : {"dropout=0.3", "dropout=0"}) {
    const Case each(options_of({"epochs=14", "patience=1000", dropout}, "gcn"));
    SplitTrainer whole = each.trainer(), first = each.trainer(), second = each.trainer();
    while (!whole.is_finished()) whole.run_epoch();
    while (first.result().epochs < 6) first.run_epoch(1, 6 - first.result().epochs);
    first.save(dir / "checkpoint.npz", "run");
    second.restore(dir / "checkpoint.npz", "run");
    while (!second.is_finished()) second.run_epoch();
    EXPECT_EQ(digest_of(whole.records()), digest_of(second.records()));
    EXPECT_EQ(whole.weights(), second.weights());
    // And on the other device.
    SplitTrainer other = each.trainer("cpu");
    other.restore(dir / "checkpoint.npz", "run");
    EXPECT_EQ(other.weights(), first.weights());
    while (!other.is_finished()) other.run_epoch();
    EXPECT_NEAR(other.records().back().train_loss, whole.records().back().train_loss, 1e-2);
  }
}

TEST(CudaTraining, ReportsALossThatIsNotFinite) {
  DSNN_NEED_GPU();
  const Case each(options_of({"epochs=5"}), 1e37f);
  SplitTrainer trainer = each.trainer();
  while (!trainer.is_finished()) trainer.run_epoch();
  EXPECT_TRUE(testing::contains(trainer.result().failure, "split 0: "));
  EXPECT_TRUE(testing::contains(trainer.result().failure, "the first non-finite values come from"));
}

TEST(CudaTraining, RunsOfAGpuAreUsedByBothDevices) {
  DSNN_NEED_GPU();
  const Dataset dataset = communities(36);
  const testing::TempDir dir;
  TrainOptions options = options_of({"epochs=8"});
  options.device = "cuda";
  options.splits = {0, 1};
  options.jobs = 2;
  options.folder = dir / "run";
  const TrainResult together = train(dataset, options);
  options.jobs = 1;
  options.folder.clear();
  EXPECT_EQ(digest(together.splits), digest(train(dataset, options).splits));
  const dsnn::Run on_gpu(dir / "run", "cuda"), on_processor(dir / "run");
  const std::vector<float> a = on_gpu.logits(1, dataset), b = on_processor.logits(1, dataset);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-3);
}

TEST(Devices, RefusesUnknownWords) {
  EXPECT_TRUE(testing::contains(
      testing::message_of<Error>([] { engine::Device::of_word("gpu", 1); }), "device 'gpu'"));
  EXPECT_TRUE(testing::contains(
      testing::message_of<Error>([] { engine::Device::of_word("cuda:99", 1); }), "device cuda"));
  EXPECT_FALSE(engine::Device::of_word("cpu", 1).is_gpu());
}

}  // namespace
}  // namespace dsnn
