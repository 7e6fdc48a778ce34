#include "dsnn/fit/fit_links.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"
#include "dsnn/util/random.h"

#include "train/link_task.h"
#include "train/run_files.h"
#include "train/split_trainer.h"
#include "train/training_data.h"
#include "util/duration.h"
#include "util/first_line.h"
#include "util/index.h"
#include "util/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace dsnn {
namespace {

constexpr int kTrialEpochs = 200, kTrialPatience = 50;

/// The first trials: kinds of encoders, each with a decoder that suits it.
struct Start {
  const char* model;
  const char* decoder;
};
constexpr Start kStarts[] = {{"diag-dsnn", "mlp"}, {"dirgnn", "dual"},    {"gcn", "mlp"},
                             {"magnet", "mlp"},    {"sage", "dual"},      {"diag-dsnn", "bilinear"},
                             {"mlp", "mlp"},       {"gprgnn", "dual"},    {"orth-dsnn", "dual"},
                             {"gat", "mlp"},       {"magnet", "bilinear"}};

bool has(const Config& config, const std::string& name) {
  return std::ranges::find(config.parameters(), name, &Parameter::name) !=
         config.parameters().end();
}

/// Sets a parameter to one of some values, if the model has it.
void vary(Config& config, const char* name, const std::vector<ParameterValue>& values,
          Random& random) {
  const ParameterValue& value = values[random.below(values.size())];
  if (has(config, name)) config.set(name, value);
}

/// "layers=3" for those that have this parameter.
void set_all(Config& config, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    if (has(config, setting.substr(0, setting.find('=')))) config.set_text(setting);
  }
}

/// Throws Error for a setting that no model has.
void check_settings(const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    const std::string name = setting.substr(0, setting.find('='));
    const bool is_known = std::ranges::any_of(kStarts, [&](const Start& start) {
      return has(default_config(start.model, TaskKind::kLinks), name);
    });
    if (!is_known) default_config(kStarts[0].model, TaskKind::kLinks).set_text(setting);
  }
}

/// Later trials are drawn at random, from the same models.
FitTrial make_trial(std::int64_t number, const FitOptions& options) {
  using I = std::int64_t;
  FitTrial trial;
  trial.number = number;
  Random random(options.seed * 1'000'003 + static_cast<std::uint64_t>(number));
  const bool is_first = number < std::ssize(kStarts);
  const Start& start = kStarts[is_first ? at(number) : random.below(std::size(kStarts))];
  trial.model = start.model;
  trial.config = default_config(trial.model, TaskKind::kLinks);
  trial.config.set("decoder", std::string(start.decoder));
  if (!is_first) {
    vary(trial.config, "decoder",
         {std::string("inner"), std::string("bilinear"), std::string("dual"), std::string("mlp")},
         random);
    vary(trial.config, "lr", {0.003, 0.01, 0.03}, random);
    vary(trial.config, "weight_decay", {0.0, 1e-4, 1e-3}, random);
    vary(trial.config, "layers", {I{1}, I{2}, I{3}}, random);
    vary(trial.config, "dropout", {0.0, 0.3, 0.6}, random);
    vary(trial.config, "decoder_channels", {I{32}, I{64}, I{128}}, random);
    vary(trial.config, "decoder_dropout", {0.0, 0.3}, random);
  }
  trial.config.set("epochs", I{kTrialEpochs});
  trial.config.set("patience", I{kTrialPatience});
  set_all(trial.config, options.settings);
  trial.seed = options.seed;
  trial.changes = fmt::format("decoder={} lr={} {}", trial.config.word("decoder"),
                              trial.config.number("lr"), is_first ? "defaults" : "drawn");
  return trial;
}

/// Trains a trial; its failure is recorded in it.
void run_trial(const Dataset& dataset, FitTrial& trial, const FitOptions& options,
               FitProgress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const double before = progress.seconds;
  try {
    SplitTrainer trainer(std::make_unique<LinkTask>(dataset, trial.config, options.split),
                         options.split, trial.model, trial.config, trial.seed,
                         engine::Device::cpu(num_cores()));
    while (!trainer.is_finished()) {
      if (is_cancel_requested()) throw Cancelled();
      trainer.run_epoch(num_cores());
      trial.validation = trainer.result().validation;
      trial.epochs = trainer.result().epochs;
      progress.seconds = before + seconds_since(start);
      progress.running = {{trial.number, trial.model, trial.epochs, trial.validation.value()}};
      if (options.observer) options.observer(progress);
    }
    trial.failure = trainer.result().failure;
    trial.rung = 0;
  } catch (const Cancelled&) {
    throw;
  } catch (const std::exception& error) {
    trial.failure = first_line(error.what());
  }
  trial.seconds = seconds_since(start);
  progress.seconds = before + trial.seconds;
}

}  // namespace

LinkFitResult fit_links(const Dataset& dataset, const FitOptions& options) {
  if (options.folder.empty()) throw Error("a fit needs a folder for its run");
  if (RunFiles(options.folder).has_run()) {
    throw Error(
        fmt::format("{}: contains a run already; choose another folder", options.folder.string()));
  }
  check_settings(options.settings);
  check_trainable(dataset, make_trial(0, options).config, {options.split});
  LinkFitResult result;
  FitProgress progress;
  const auto is_over = [&](std::int64_t number) {
    return options.trials ? number >= *options.trials
                          : number > 0 && progress.seconds >= options.seconds;
  };
  for (std::int64_t number = 0; !is_over(number); ++number) {
    FitTrial trial = make_trial(number, options);
    progress.num_begun = number + 1;
    run_trial(dataset, trial, options, progress);
    result.trials.push_back(std::move(trial));
    std::ranges::stable_sort(result.trials, [](const FitTrial& a, const FitTrial& b) {
      if (a.has_score() != b.has_score()) return a.has_score();
      return a.validation.value() > b.validation.value();
    });
    progress.best_model = result.trials.front().model;
    progress.best_validation = result.trials.front().validation.value();
  }
  const FitTrial& best = result.trials.front();
  if (!best.has_score()) {
    throw Error(fmt::format("{}: no model could be trained: {}", dataset.name, best.failure));
  }
  progress.is_final = true;
  TrainOptions training;
  training.model = best.model;
  training.config = best.config;
  training.config.set("epochs", std::int64_t{5 * kTrialEpochs});
  training.config.set("patience", std::int64_t{2 * kTrialPatience});
  set_all(training.config, options.settings);
  training.splits = {options.split};
  training.seed = best.seed;
  training.folder = options.folder;
  training.observer = [&](const TrainProgress& each) {
    progress.running = {{best.number, best.model, each.epoch, each.best_validation_accuracy}};
    if (options.observer) options.observer(progress);
  };
  result.best = train(dataset, training);
  write_dataset(options.folder / "data.npz", dataset);
  result.seconds = progress.seconds + result.best.splits.front().seconds;
  return result;
}

}  // namespace dsnn
