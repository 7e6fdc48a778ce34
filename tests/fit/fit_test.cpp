#include "dsnn/fit/fit.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "support/communities.h"
#include "support/expect_error.h"
#include "support/test_files.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>

namespace dsnn {
namespace {

using testing::communities;
using testing::expect_error;
using testing::read_text;
using testing::TempDir;

FitOptions options_of(const std::filesystem::path& folder, std::int64_t trials) {
  FitOptions options;
  options.folder = folder;
  options.trials = trials;
  options.members = 2;
  return options;
}

/// All that the search decided, without times.
std::string decisions(const FitResult& result) {
  std::string text;
  for (const FitTrial& trial : result.trials) {
    text += fmt::format("{} {} {} {} {:a}\n", trial.number, trial.model, trial.changes,
                        trial.epochs, trial.validation.accuracy);
  }
  for (const std::int64_t member : result.members) text += fmt::format("{} ", member);
  return text + fmt::format("{:a} {:a}", result.scores.validation.loss, result.scores.test.loss);
}

std::vector<float> logits_of(const std::filesystem::path& folder) {
  return Ensemble(folder).logits(0, communities());
}

/// Cancels a fit when this trial begins.
std::jthread cancel_at(const std::filesystem::path& folder, int trial) {
  return std::jthread([trial_folder = folder / "trials" /
                                      fmt::format("{:04}", trial)](const std::stop_token& token) {
    while (!token.stop_requested()) {
      if (std::filesystem::exists(trial_folder)) return request_cancel();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
}

TEST(Fit, FindsWhatLearnsFromDirections) {
  const TempDir dir;
  const FitResult result = fit(communities(), options_of(dir / "fit", 6));
  ASSERT_EQ(result.trials.size(), 6u);
  EXPECT_EQ(result.members.size(), 2u);
  std::set<std::string> models;
  for (const FitTrial& trial : result.trials) models.insert(trial.model);
  EXPECT_EQ(models, (std::set<std::string>{"diag-dsnn", "dirgnn", "gcn", "magnet", "mlp", "sage"}));
  // A third continues to the next rung, and a third of those to the end.
  EXPECT_EQ(std::ranges::count_if(result.trials, [](const FitTrial& t) { return t.epochs == 30; }),
            4);
  EXPECT_GT(result.trials.front().validation.accuracy, 0.9) << result.trials.front().model;
  EXPECT_NE(result.trials.front().model, "mlp");
  EXPECT_GT(result.scores.test.accuracy, 0.85);
  const auto json = nlohmann::json::parse(read_text(dir / "fit" / "fit.json"));
  EXPECT_EQ(json["trials"].size(), 6u);
  EXPECT_EQ(json["members"].size(), 2u);
  EXPECT_TRUE(Ensemble(dir / "fit").is_finished());
}

TEST(Fit, GivesTheSameBitsAlsoAfterAnInterruption) {
  const TempDir dir;
  const std::string expected = decisions(fit(communities(), options_of(dir / "one", 20)));
  EXPECT_EQ(decisions(fit(communities(), options_of(dir / "two", 20))), expected);
  FitOptions options = options_of(dir / "three", 20);
  for (const int trial : {4, 12}) {
    {
      const std::jthread watch = cancel_at(dir / "three", trial);
      EXPECT_THROW(fit(communities(), options), Cancelled);
    }
    clear_cancel_request();
    EXPECT_EQ(logits_of(dir / "three").size(), 450u);  // the best so far
    const auto json = nlohmann::json::parse(read_text(dir / "three" / "fit.json"));
    EXPECT_GT(json["test_accuracy"], 0);
    options.resume = true;
  }
  EXPECT_EQ(decisions(fit(communities(), options)), expected);
  EXPECT_EQ(logits_of(dir / "three"), logits_of(dir / "one"));
}

TEST(Fit, KeepsToItsTime) {
  const TempDir dir;
  FitOptions options = options_of(dir / "fit", 1);
  options.trials.reset();
  options.seconds = 1;
  const FitResult result = fit(communities(), options);
  EXPECT_LT(result.seconds, 20);  // allows for a busy machine
  EXPECT_EQ(result.members.size(), 2u);
}

TEST(Fit, RefusesOtherFolders) {
  const TempDir dir;
  FitOptions options = options_of(dir / "fit", 1);
  fit(communities(), options);
  expect_error([&] { fit(communities(), options); },
               options.folder.string() +
                   ": contains a fit already; continue it with --resume, or choose another folder");
  options.resume = true;
  options.seed = 1;
  expect_error([&] { fit(communities(), options); },
               options.folder.string() +
                   ": contains a fit with different data, seed or split; choose another folder");
  expect_error([&] { fit(communities(), {}); }, "a fit needs a folder for its members");
}

}  // namespace
}  // namespace dsnn
