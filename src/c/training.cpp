#include "dsnn/fit/fit.h"
#include "dsnn/train/ensemble.h"
#include "dsnn/train/train.h"

#include "c/datasets.h"
#include "c/options.h"
#include "c/progress.h"
#include "train/estimate.h"
#include "train/training_data.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace dsnn::c {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr int kMostThreads = 1024, kMostSplits = 100'000;

Json progress_json(const TrainProgress& p) {
  return {{"split", p.split},
          {"epoch", p.epoch},
          {"epochs", p.epochs},
          {"train_loss", p.train_loss},
          {"val_accuracy", 100 * p.validation_accuracy},
          {"best_val_accuracy", 100 * p.best_validation_accuracy},
          {"seconds", p.seconds},
          {"is_finished", p.is_finished}};
}

/// The options of a training.
struct Training {
  TrainOptions options;
  int members = 1;
};

Training training_options(Options& options) {
  Training training;
  TrainOptions& train = training.options;
  RunConfig config;
  const std::string file = options.text("config", "");
  if (!file.empty()) config = read_toml(file);
  const std::string model = options.text("model", config.model);
  if (model.empty()) throw Error("train: model is missing");
  if (model != config.model && !config.model.empty()) {
    throw Error(fmt::format("model is {}, but {} is for {}", model, file, config.model));
  }
  train.model = model;
  const TaskKind known = task_of(config.config);
  const TaskKind task =
      parse_task(options.text("task", known == TaskKind::kLinks ? "links" : "nodes"));
  const bool has_config = !config.config.parameters().empty();
  if (has_config && task != known) throw Error(fmt::format("{} is for another task", file));
  train.config = has_config ? config.config : default_config(model, task);
  for (const std::string& setting : options.assignments("parameters")) {
    train.config.set_text(setting);
  }
  for (const std::int64_t split : options.integers("splits")) {
    if (split < 0 || split > kMostSplits) {
      throw Error(fmt::format("splits has {}, expected 0 to {}", split, kMostSplits));
    }
    train.splits.push_back(static_cast<int>(split));
  }
  train.seed = static_cast<std::uint64_t>(
      options.integer("seed", static_cast<std::int64_t>(config.seed), 0, kMost));
  train.jobs = static_cast<int>(options.integer("jobs", 1, 1, kMostThreads));
  train.threads = static_cast<int>(options.integer("threads", 0, 0, kMostThreads));
  train.device = options.text("device", train.device);
  train.folder = options.text("folder", "");
  train.resume = options.flag("resume", false);
  train.checkpoint_seconds = options.number("checkpoint_seconds", train.checkpoint_seconds);
  training.members = static_cast<int>(options.integer("members", 1, 1, 1000));
  options.done();
  if (training.members > 1 && train.folder.empty()) {
    throw Error("several members need a folder, in which they are saved");
  }
  return training;
}

Json members_json(const MembersResult& result) {
  Json json = {{"members", result.members.size()}, {"splits", Json::array()}};
  for (const EnsembleScores& scores : result.splits) {
    json["splits"].push_back({{"split", scores.split},
                              {"val_accuracy", 100 * scores.validation.accuracy},
                              {"test_accuracy", 100 * scores.test.accuracy}});
  }
  return json;
}

/// Two lists of messages as one.
std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Json run_training(const Dataset& dataset, Training training, Progress& progress) {
  TrainOptions& options = training.options;
  const std::string features =
      fit_preparation(dataset, options.config).description(dataset.feature_names);
  const std::vector<std::string> warnings = data_warnings(dataset, options);
  options.observer = [&](const TrainProgress& p) {
    if (p.is_finished || progress.is_due()) progress.tell(progress_json(p));
  };
  Json json;
  if (training.members > 1) {
    json = members_json(train_members(dataset, options, training.members));
    json["warnings"] = warnings;
  } else {
    const TrainResult result = train(dataset, options);
    json = parse_json(result_json(result));
    json["warnings"] = joined(warnings, training_warnings(result));
    Json failures = Json::array();
    for (const SplitResult& split : result.splits) {
      if (!split.failure.empty()) failures.push_back(split.failure);
    }
    json["failures"] = failures;
  }
  json["preparation"] = features;
  return json;
}

Json estimate_json(const TrainEstimate& estimate) {
  return {{"num_weights", estimate.num_weights},
          {"shared_bytes", estimate.shared_bytes},
          {"split_bytes", estimate.split_bytes},
          {"epoch_seconds", estimate.epoch_seconds},
          {"training_program", estimate.training_program},
          {"evaluation_program", estimate.evaluation_program}};
}

FitOptions fit_options(Options& options) {
  FitOptions fit;
  fit.task = parse_task(options.text("task", "nodes"));
  if (options.has("trials")) fit.trials = options.integer("trials", 1, 1, 1'000'000);
  fit.seconds = options.number("seconds", fit.seconds);
  fit.members = static_cast<int>(options.integer("members", fit.members, 1, 1000));
  fit.split = static_cast<int>(options.integer("split", 0, 0, kMostSplits));
  fit.seed = static_cast<std::uint64_t>(options.integer("seed", 0, 0, kMost));
  fit.settings = options.assignments("parameters");
  fit.device = options.text("device", fit.device);
  fit.folder = options.text("folder", "");
  fit.resume = options.flag("resume", false);
  options.done();
  return fit;
}

Json fit_json(const FitResult& result) {
  Json trials = Json::array();
  for (const FitTrial& trial : result.trials) {
    Json json = {{"trial", trial.number},
                 {"model", trial.model},
                 {"changes", trial.changes},
                 {"epochs", trial.epochs},
                 {"seconds", trial.seconds}};
    if (trial.has_score()) json["val_accuracy"] = 100 * trial.validation.accuracy;
    if (trial.has_score() && trial.validation.metric) {
      json["val_score"] = 100 * *trial.validation.metric;
    }
    if (!trial.failure.empty()) json["failure"] = trial.failure;
    trials.push_back(std::move(json));
  }
  Json json = {{"trials", trials},
               {"members", result.members},
               {"seconds", result.seconds},
               {"split", result.scores.split},
               {"val_accuracy", 100 * result.scores.validation.accuracy},
               {"test_accuracy", 100 * result.scores.test.accuracy},
               {"num_test", result.scores.num_test}};
  if (result.scores.validation.metric) {
    json["val_score"] = 100 * *result.scores.validation.metric;
    json["test_score"] = 100 * result.scores.test.value();
  }
  return json;
}

}  // namespace
}  // namespace dsnn::c

using namespace dsnn::c;

extern "C" {

dsnn_status dsnn_train(dsnn_dataset* dataset, const char* options_text, dsnn_progress callback,
                       void* user_data, char** result) {
  return guarded([&] {
    require(result, "result");
    const auto data = dataset_of(dataset);
    Options options(options_text, "train");
    const Training training = training_options(options);
    Progress progress(callback, user_data);
    *result = new_text(dsnn::json_text(run_training(*data, training, progress)));
  });
}

dsnn_status dsnn_train_estimate(dsnn_dataset* dataset, const char* options_text, double seconds,
                                char** json) {
  return guarded([&] {
    require(json, "json");
    const auto data = dataset_of(dataset);
    Options options(options_text, "train");
    const Training training = training_options(options);
    *json = new_text(
        dsnn::json_text(estimate_json(dsnn::estimate_training(*data, training.options, seconds))));
  });
}

dsnn_status dsnn_fit(dsnn_dataset* dataset, const char* options_text, dsnn_progress callback,
                     void* user_data, char** result) {
  return guarded([&] {
    require(result, "result");
    const auto data = dataset_of(dataset);
    Options options(options_text, "fit");
    dsnn::FitOptions fit = fit_options(options);
    Progress progress(callback, user_data);
    fit.observer = [&](const dsnn::FitProgress& p) {
      if (!progress.is_due()) return;
      progress.tell({{"trials", p.num_begun},
                     {"best_model", p.best_model},
                     {"best_val_accuracy", 100 * p.best_validation},
                     {"seconds", p.seconds},
                     {"is_final", p.is_final}});
    };
    *result = new_text(dsnn::json_text(fit_json(dsnn::fit(*data, fit))));
  });
}

}  // extern "C"
