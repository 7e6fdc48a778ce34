#include "dsnn/fit/fit.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"
#include "cli/program.h"
#include "cli/run_arguments.h"
#include "cli/task_arguments.h"
#include "cli/terminal.h"
#include "train/link_config.h"
#include "train/training_data.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <chrono>
#include <memory>

namespace dsnn::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  GraphArguments graph;
  DatasetArguments dataset;
  TaskArguments task;
  std::vector<std::string> settings;
  std::string time;
  std::optional<std::int64_t> trials;
  std::uint64_t seed = 0;
  int members = 5;
  int split = 0;
  std::string folder;
  bool resume = false;
  bool json = false;
  std::string device = "cpu";
};

/// A live view on a terminal; a line every ten seconds elsewhere.
class FitDisplay {
 public:
  void show(const FitProgress& progress) {
    static const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
    std::string line = fmt::format("{}, {} trials, {:.0f} s",
                                   progress.is_final ? "training the members" : "searching",
                                   progress.num_begun, progress.seconds);
    if (!progress.best_model.empty()) {
      line += fmt::format("; best: {}, validation {:.2f} %", progress.best_model,
                          100 * progress.best_validation);
    }
    if (is_terminal) {
      std::vector<std::string> lines = {line};
      for (const FitProgress::Running& running : progress.running) {
        lines.push_back(fmt::format("  trial {:>3}  {:<10}  epoch {:>3}  validation {:5.2f} %",
                                    running.trial, running.model, running.epoch,
                                    100 * running.best_validation));
      }
      lines_.show(std::move(lines));
    } else if (progress.seconds >= next_) {
      next_ = progress.seconds + 10;
      if (progress.seconds > 2) print_error(fmt::format("dsnn: {}\n", line));
    }
  }

 private:
  LiveLines lines_;
  double next_ = 2;
};

bool is_member(const FitResult& result, std::int64_t trial) {
  return std::ranges::find(result.members, trial) != result.members.end();
}

/// `score`: what trials are compared by.
void print_result(const FitResult& result, const Arguments& arguments, const std::string& score) {
  constexpr std::size_t kShown = 10;
  fmt::print("{:>5}  {:<10}  {:>10}  {:>6}  {:<6}  {}\n", "trial", "model", "validation", "epochs",
             "member", "parameters that differ from the defaults");
  for (std::size_t i = 0; i < std::min(kShown, result.trials.size()); ++i) {
    const FitTrial& trial = result.trials[i];
    if (!trial.has_score()) break;
    fmt::print("{:>5}  {:<10}  {:>8.2f} %  {:>6}  {:<6}  {}\n", trial.number, trial.model,
               100 * trial.validation.value(), trial.epochs,
               is_member(result, trial.number) ? "yes" : "", trial.changes);
  }
  fmt::print("{} trials in {:.0f} s; ensemble of {} members: validation {} {:.2f} %",
             result.trials.size(), result.seconds, result.members.size(), score,
             100 * result.scores.validation.value());
  const bool is_of_links = arguments.task.task == TaskKind::kLinks;
  if (result.scores.num_test > 0) {
    fmt::print(", test {} {:.2f} % of {} {}", score, 100 * result.scores.test.value(),
               result.scores.num_test, is_of_links ? "pairs" : "nodes");
  }
  if (is_of_links) {
    fmt::print("\ndsnn predict {} --top 10 -o missing.csv finds the most probable new arcs\n",
               arguments.folder);
    return;
  }
  fmt::print("\ndsnn predict {} -o predictions.csv predicts the classes of all nodes\n",
             arguments.folder);
}

Json result_json(const FitResult& result) {
  Json members = Json::array();
  for (const FitTrial& trial : result.trials) {
    if (!is_member(result, trial.number)) continue;
    members.push_back({{"trial", trial.number},
                       {"model", trial.model},
                       {"changes", trial.changes},
                       {"val_accuracy", 100 * trial.validation.accuracy}});
    if (trial.validation.metric) members.back()["val_score"] = 100 * *trial.validation.metric;
  }
  Json json = {{"trials", result.trials.size()},
               {"seconds", result.seconds},
               {"val_accuracy", 100 * result.scores.validation.accuracy},
               {"test_accuracy", 100 * result.scores.test.accuracy},
               {"num_test", result.scores.num_test},
               {"members", members}};
  if (result.scores.validation.metric) {
    json["val_score"] = 100 * *result.scores.validation.metric;
    json["test_score"] = 100 * result.scores.test.value();
  }
  return json;
}

/// The options that both tasks have.
FitOptions fit_options(const Arguments& arguments) {
  FitOptions options;
  options.trials = arguments.trials;
  if (!arguments.time.empty()) options.seconds = parse_duration("--time", arguments.time);
  options.members = arguments.members;
  options.split = arguments.split;
  options.seed = arguments.seed;
  options.device = arguments.device;
  options.settings = arguments.settings;
  options.folder = arguments.folder;
  options.resume = arguments.resume;
  return options;
}

void set_cancelled_text_of(const Arguments& arguments) {
  set_cancelled_text(
      fmt::format("cancelled; {0} contains the best networks so far: use them with dsnn predict, "
                  "or continue with --out {0} --resume",
                  arguments.folder));
  set_progress_observer({});
}

FitResult show_fit(const Dataset& dataset, FitOptions& options) {
  FitDisplay display;
  options.observer = [&](const FitProgress& progress) { display.show(progress); };
  return fit(dataset, options);
}

int run_links(const Arguments& arguments) {
  FitOptions options = fit_options(arguments);
  options.task = TaskKind::kLinks;
  options.settings = settings_of(arguments.task, arguments.dataset, TaskKind::kLinks);
  options.settings.insert(options.settings.end(), arguments.settings.begin(),
                          arguments.settings.end());
  const Dataset dataset = load_for_task(arguments.graph, arguments.dataset, TaskKind::kLinks);
  set_cancelled_text_of(arguments);
  const FitResult result = show_fit(dataset, options);
  if (arguments.json) {
    fmt::print("{}\n", json_text(result_json(result), 2));
  } else {
    print_result(result, arguments, link_metric(result.trials.front().config));
  }
  return 0;
}

int run(const Arguments& arguments) {
  if (arguments.task.task == TaskKind::kLinks) return run_links(arguments);
  settings_of(arguments.task, arguments.dataset, TaskKind::kNodes);  // has no options of links
  DatasetArguments splits = arguments.dataset;
  const bool has_shares = splits.shares || splits.counts;
  // One split, with more training nodes than the splits of published tables.
  if (!has_shares) splits.shares = SplitShares{0.6, 0.2};
  if (!splits.num_splits) splits.num_splits = arguments.split + 1;
  Dataset dataset = load_graph(arguments.graph);
  const std::size_t num_notes = dataset.notes.size();
  const bool needs_splits = dataset.splits.empty() && !dataset.labels.empty();
  if (needs_splits || arguments.dataset.asks_for_splits()) {
    complete_dataset(splits, dataset, false);
  } else {
    complete_dataset(arguments.dataset, dataset, true);
  }
  for (std::size_t i = num_notes; i < dataset.notes.size(); ++i) {
    print_error(fmt::format("dsnn: note: {}\n", dataset.notes[i]));
  }
  FitOptions options = fit_options(arguments);
  TrainOptions example;
  example.splits = {arguments.split};
  for (const std::string& warning : data_warnings(dataset, example)) {
    print_error(fmt::format("dsnn: warning: {}\n", warning));
  }
  Config config = default_config(example.model);
  for (const std::string& setting : options.settings) config.set_text(setting);
  const std::string features = fit_preparation(dataset, config).description(dataset.feature_names);
  set_cancelled_text_of(arguments);
  const FitResult result = show_fit(dataset, options);
  if (arguments.json) {
    fmt::print("{}\n", json_text(result_json(result), 2));
  } else {
    fmt::print("features: {}\n", features);
    print_result(result, arguments, "accuracy");
  }
  return 0;
}

}  // namespace

void add_fit(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = app.add_subcommand(
      "fit", "Search for good networks for a graph and save them for prediction");
  add_graph_arguments(*command, arguments->graph, true);
  add_dataset_arguments(*command, arguments->dataset);
  add_preparation_arguments(*command, arguments->settings);
  add_task_arguments(*command, arguments->task);
  Option* time = command->add_option("--time", arguments->time,
                                     "Time limit, such as 90s, 10m or 1h (default: 2m)");
  command
      ->add_option_function(
          "--trials",
          [arguments](const std::string& text) {
            parse_integer("--trials", text, std::int64_t{1}, std::int64_t{1'000'000},
                          arguments->trials.emplace());
          },
          "Train this many networks without a time limit; the result is then the same on every "
          "machine")
      ->excludes(time);
  add_integer(*command, "--members", arguments->members,
              "Networks whose probabilities are averaged (default: 5)", 1, 1000);
  add_integer(*command, "--of-split", arguments->split,
              "Number of the split for training and validation (default: 0)", 0, 10'000);
  command->add_option_function(
      "--seed", [arguments](const std::string& text) { arguments->seed = parse_seed(text); },
      "Seed of the search and of all weights (default: 0)");
  add_device_argument(*command, arguments->device);
  Option* out =
      command->add_option("--out", arguments->folder, "Folder for the networks")->required();
  command->add_flag("--resume", arguments->resume, "Continue the fit in the folder")->needs(out);
  add_json_argument(*command, arguments->json);
  command->footer(
      "The command prepares the features, tries several models (sheaf networks, Dir-GNN, MagNet, "
      "GCN "
      "and relatives,\nMLP) and averages the best by validation accuracy. Without a split column, "
      "the "
      "nodes of each class are split\n60/20/20 % into training, validation and test. Ctrl-C keeps "
      "the "
      "best networks so far.\n"
      "Examples:\n"
      "  dsnn fit --edges transfers.csv --nodes accounts.csv --label-column segment --out fitted\n"
      "  dsnn predict fitted --only-unlabelled -o predictions.csv\n"
      "  dsnn fit texas --trials 36 --out fitted\n"
      "  dsnn fit --edges transfers.csv --task links --out links");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
