#include "dsnn/train/train.h"

#include "dsnn/data/splits.h"
#include "dsnn/nn/model.h"
#include "dsnn/train/ensemble.h"
#include "dsnn/train/part_folder.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"
#include "cli/mpi_program.h"
#include "cli/program.h"
#include "cli/run_arguments.h"
#include "cli/task_arguments.h"
#include "cli/terminal.h"
#include "cli/train_display.h"
#include "train/estimate.h"
#include "train/link_config.h"
#include "train/training_data.h"
#include "util/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace dsnn::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  GraphArguments graph;
  DatasetArguments dataset;
  TaskArguments task;
  std::string model;
  std::string config_file;
  std::vector<std::string> settings;
  std::string splits;
  std::optional<std::uint64_t> seed;
  int jobs = 1;
  int threads = 0;
  std::string device = "cpu";
  int members = 1;
  std::string folder;
  std::string log;
  bool resume = false;
  bool dry_run = false;
  bool show_program = false;
  bool json = false;
};

RunConfig make_config(const Arguments& arguments) {
  RunConfig config;
  if (!arguments.config_file.empty()) config = read_toml(arguments.config_file);
  if (!arguments.model.empty() && arguments.model != config.model) {
    if (!config.model.empty()) {
      throw Error(fmt::format("--model is {}, but {} is for {}", arguments.model,
                              arguments.config_file, config.model));
    }
    config.model = arguments.model;
    config.config = default_config(config.model, arguments.task.task.value_or(TaskKind::kNodes));
  }
  if (config.model.empty()) throw Error("no model given: expected --model or --config");
  const TaskKind task = task_of(config.config);
  if (arguments.task.task.value_or(task) != task) {
    throw Error(fmt::format("{} is for another task than --task", arguments.config_file));
  }
  for (const std::string& setting : settings_of(arguments.task, arguments.dataset, task)) {
    config.config.set_text(setting);
  }
  for (const std::string& setting : arguments.settings) config.config.set_text(setting);
  if (arguments.seed) config.seed = *arguments.seed;
  return config;
}

/// `score` is the name of what epochs are chosen by.
void print_table(const std::vector<SplitResult>& results, const std::string& score) {
  fmt::print("{:>5}  {:>10}  {:>8}  {:>10}  {:>7}  {:>8}\n", "split", "validation", "test",
             "best epoch", "epochs", "seconds");
  const auto percent = [](double share, bool is_known) {
    return is_known ? fmt::format("{:.2f} %", 100 * share) : std::string("-");
  };
  std::vector<double> scores, validations;
  for (const SplitResult& result : results) {
    const bool has_scores = result.best_epoch > 0, is_tested = has_scores && result.num_test > 0;
    const bool is_validated = has_scores && result.num_validation > 0;
    fmt::print("{:>5}  {:>10}  {:>8}  {:>10}  {:>7}  {:>8.1f}\n", result.split,
               percent(result.validation.value(), is_validated),
               percent(result.test.value(), is_tested), result.best_epoch, result.epochs,
               result.seconds);
    if (is_tested) scores.push_back(100 * result.test.value());
    if (is_validated) validations.push_back(100 * result.validation.value());
  }
  if (scores.size() < results.size()) {
    fmt::print("no mean: {} of {} splits have no test {}\n", results.size() - scores.size(),
               results.size(), score);
    return;
  }
  const auto [mean, deviation] = mean_and_deviation(scores);
  if (validations.size() == results.size()) {
    fmt::print("validation {} {:.2f} %, ", score, mean_and_deviation(validations).mean);
  }
  fmt::print("test {} {:.2f} +- {:.2f} % over {} split{}\n", score, mean, deviation, results.size(),
             results.size() == 1 ? "" : "s");
}

/// "1.23 GB"
std::string memory_text(double bytes) {
  return bytes < 1e9 ? fmt::format("{:.1f} MB", bytes / 1e6)
                     : fmt::format("{:.2f} GB", bytes / 1e9);
}

void print_estimate(const TrainEstimate& estimate, const TrainOptions& options,
                    std::size_t num_splits) {
  const std::int64_t epochs = options.config.integer("epochs");
  const int jobs = std::min<int>(options.jobs, static_cast<int>(num_splits));
  fmt::print("{:<18} {} with {} weights\n", "model", options.model, estimate.num_weights);
  fmt::print(
      "{:<18} {} in total: {} for the graph, its features and values derived from them, and {} for "
      "each split in training\n",
      "memory", memory_text(estimate.shared_bytes + jobs * estimate.split_bytes),
      memory_text(estimate.shared_bytes), memory_text(estimate.split_bytes));
  if (options.device != "cpu") {
    fmt::print("{:<18} about {} for each split in training\n", "GPU memory",
               memory_text(estimate.gpu_bytes));
  }
  fmt::print("{:<18} {:.2f} ms, at most {} epochs: {:.0f} s per split, {} splits\n", "epoch",
             1000 * estimate.epoch_seconds, epochs,
             estimate.epoch_seconds * static_cast<double>(epochs), num_splits);
}

void print_programs(const TrainEstimate& estimate) {
  fmt::print("training\n{}", estimate.training_program);
  if (!estimate.evaluation_program.empty()) {
    fmt::print("\nevaluation\n{}", estimate.evaluation_program);
  }
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    print_error(fmt::format("dsnn: warning: {}\n", warning));
  }
}

/// How the feature columns are prepared, in one line.
std::string preparation_text(const Dataset& dataset, const Config& config) {
  return fit_preparation(dataset, config).description(dataset.feature_names);
}

/// `score`: the name of the scores.
void print_members(const MembersResult& result, const std::string& score) {
  std::vector<double> single, averaged;
  fmt::print("{:>5}  {:>18}  {:>10}  {:>8}\n", "split", "one member (mean)", "validation", "test");
  for (std::size_t i = 0; i < result.splits.size(); ++i) {
    const EnsembleScores& scores = result.splits[i];
    std::vector<double> tests;
    for (const TrainResult& member : result.members) {
      tests.push_back(100 * member.splits[i].test.value());
    }
    single.push_back(mean_and_deviation(tests).mean);
    averaged.push_back(100 * scores.test.value());
    fmt::print("{:>5}  {:>16.2f} %  {:>8.2f} %  {:>6.2f} %\n", scores.split, single.back(),
               100 * scores.validation.value(), averaged.back());
  }
  const auto [mean, deviation] = mean_and_deviation(averaged);
  fmt::print("test {} {:.2f} +- {:.2f} % (ensemble of {} members), {:.2f} % (one member)\n", score,
             mean, deviation, result.members.size(), mean_and_deviation(single).mean);
}

Json members_json(const MembersResult& result) {
  Json json = {{"members", result.members.size()}, {"splits", Json::array()}};
  std::vector<double> accuracies, scores;
  for (const EnsembleScores& split : result.splits) {
    accuracies.push_back(100 * split.test.accuracy);
    json["splits"].push_back({{"split", split.split},
                              {"val_accuracy", 100 * split.validation.accuracy},
                              {"test_accuracy", accuracies.back()}});
    if (!split.test.metric) continue;
    scores.push_back(100 * *split.test.metric);
    json["splits"].back()["val_score"] = 100 * split.validation.value();
    json["splits"].back()["test_score"] = scores.back();
  }
  json["test_accuracy"] = mean_and_deviation(accuracies).mean;
  if (!scores.empty()) json["test_score"] = mean_and_deviation(scores).mean;
  return json;
}

int run_members(const Dataset& dataset, TrainOptions options, const Arguments& arguments,
                const std::string& features) {
  std::unique_ptr<TrainDisplay> display;
  options.observer = [&](const TrainProgress& progress) { display->show(progress); };
  const auto begin = [&](int k) {
    display.reset();
    display = std::make_unique<TrainDisplay>(
        options.splits.empty() ? static_cast<std::size_t>(num_splits(dataset, options.config))
                               : options.splits.size());
    display->set_heading(fmt::format("member {} of {}", k + 1, arguments.members));
  };
  const MembersResult result = train_members(dataset, options, arguments.members, begin);
  display.reset();
  if (arguments.json) {
    fmt::print("{}\n", json_text(members_json(result), 2));
  } else {
    fmt::print("features: {}\n", features);
    print_members(result, task_of(options.config) == TaskKind::kLinks ? link_metric(options.config)
                                                                      : "accuracy");
  }
  return 0;
}

TrainOptions options_of(const Arguments& arguments, const RunConfig& config) {
  TrainOptions options;
  options.model = config.model;
  options.config = config.config;
  options.splits = parse_splits(arguments.splits);
  options.seed = config.seed;
  options.jobs = arguments.jobs;
  options.threads = arguments.threads;
  options.device = arguments.device;
  options.folder = arguments.folder;
  options.resume = arguments.resume;
  options.logs_tensorboard = arguments.log == "tensorboard";
  return options;
}

void set_cancelled_text_of(const Arguments& arguments) {
  set_cancelled_text(
      arguments.folder.empty()
          ? "cancelled; nothing is kept without --out"
          : fmt::format("cancelled; continue with --out {} --resume", arguments.folder));
}

/// Prints failures and warnings, and the results; returns the exit code.
int print_result(const Arguments& arguments, const TrainResult& result,
                 const std::string& features) {
  bool has_failed = false;
  for (const SplitResult& split : result.splits) {
    if (split.failure.empty()) continue;
    has_failed = true;
    print_error(fmt::format("dsnn: {}\n", split.failure));
  }
  print_warnings(training_warnings(result));
  const Config& config = result.config.config;
  if (arguments.json) {
    fmt::print("{}\n", result_json(result));
  } else {
    fmt::print("features: {}\n", features);
    if (!result.device_choice.empty()) fmt::print("device: {}\n", result.device_choice);
    print_table(result.splits,
                task_of(config) == TaskKind::kLinks ? link_metric(config) : "accuracy");
  }
  return has_failed ? kPartFailed : 0;
}

/// Options that need the whole graph.
void check_parts_arguments(const Arguments& arguments) {
  const auto refuse = [](bool is_given, const char* option) {
    if (is_given) throw Error(fmt::format("{}: is not available on a graph in parts", option));
  };
  refuse(arguments.members > 1, "--members");
  refuse(arguments.dry_run, "--dry-run");
  refuse(arguments.show_program, "--show-program");
  refuse(arguments.dataset.asks_for_splits(), "--split");
  refuse(arguments.dataset.degree_features.has_value(), "--features");
  if (arguments.jobs > 1) throw Error("--jobs: a graph in parts is trained one split at a time");
}

/// On a folder of 'dsnn partition', with MPI. Only rank 0 writes.
int run_in_parts(const Arguments& arguments) {
  return run_on_ranks([&](Ranks& ranks) {
    const bool is_first = ranks.rank() == 0;
    TrainOptions options;
    ranks.agree([&] {
      check_parts_arguments(arguments);
      options = options_of(arguments, make_config(arguments));
      if (options.threads == 0) options.threads = 1;
    });
    LoadedPart loaded = load_part(arguments.graph.graph, ranks);
    options.part = loaded.part;
    set_cancelled_text_of(arguments);
    set_progress_observer({});
    const std::string features =
        loaded.part->whole.preparation(options.config).description(loaded.data.feature_names);
    TrainResult result;
    {
      std::optional<TrainDisplay> display;
      if (is_first) {
        if (arguments.resume) note_if_new(arguments.folder, "config.toml", "run");
        display.emplace(options.splits.empty() ? loaded.data.splits.size() : options.splits.size());
        options.observer = [&](const TrainProgress& progress) { display->show(progress); };
      }
      result = train(std::move(loaded.data), options);
    }
    return is_first ? print_result(arguments, result, features) : 0;
  });
}

int run(const Arguments& arguments) {
  if (is_in_parts(arguments.graph)) return run_in_parts(arguments);
  const RunConfig config = make_config(arguments);
  const std::vector<int> splits = parse_splits(arguments.splits);
  GraphArguments graph = arguments.graph;
  if (graph.graph.empty() && graph.csv.edges.empty()) graph.graph = config.dataset;
  if (graph.graph.empty() && graph.csv.edges.empty()) {
    throw Error(
        "no graph given: expected a file, a folder, the name of a dataset, or --edges FILE");
  }
  const TaskKind task = task_of(config.config);
  Dataset dataset = load_for_task(graph, arguments.dataset, task);
  const auto num_trained =
      splits.empty() ? static_cast<std::size_t>(num_splits(dataset, config.config)) : splits.size();
  if (!config.checksum.empty() && config.checksum != checksum(dataset)) {
    print_error(fmt::format("dsnn: warning: {} is not the dataset that {} was made for\n",
                            dataset.name, arguments.config_file));
  }
  TrainOptions options = options_of(arguments, config);
  const std::string features = preparation_text(dataset, config.config);
  if (arguments.show_program) {
    print_programs(estimate_training(dataset, options, /*max_seconds=*/0));
    return 0;
  }
  if (arguments.dry_run) {
    constexpr double kSeconds = 2;
    fmt::print("{:<18} {}\n", "features", features);
    print_estimate(estimate_training(dataset, options, kSeconds), options, num_trained);
    return 0;
  }
  print_warnings(data_warnings(dataset, options));
  set_cancelled_text_of(arguments);
  set_progress_observer(
      {});  // jobs write files at the same time, and the display below shows progress
  if (arguments.resume) note_if_new(arguments.folder, "config.toml", "run");
  if (arguments.members > 1) return run_members(dataset, options, arguments, features);
  TrainResult result;
  {
    TrainDisplay display(num_trained);
    options.observer = [&](const TrainProgress& progress) { display.show(progress); };
    result = train(std::move(dataset), options);
  }
  return print_result(arguments, result, features);
}

}  // namespace

void add_train(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = app.add_subcommand("train", "Train a model on the splits of a dataset");
  add_graph_arguments(*command, arguments->graph, false);
  add_dataset_arguments(*command, arguments->dataset);
  add_task_arguments(*command, arguments->task);
  command->add_option("--model", arguments->model, "Model ('dsnn models' lists all)");
  command->add_option("--config", arguments->config_file, "Configuration (TOML) to start from");
  command
      ->add_option("--set", arguments->settings,
                   "key=value: a parameter of the model or of training; may be given several times")
      ->allow_extra_args(false);
  add_preparation_arguments(*command, arguments->settings);
  command->add_option("--splits", arguments->splits,
                      "Splits to train, such as 0-4,7 (default: all)");
  command->add_option_function(
      "--seed", [arguments](const std::string& text) { arguments->seed = parse_seed(text); },
      "Seed of weights and dropout (default: 0)");
  add_integer(*command, "--jobs", arguments->jobs, "Splits trained in parallel (default: 1)", 1,
              1024);
  add_integer(*command, "--threads", arguments->threads,
              "Threads of each job (default: the cores divided by the number of running jobs)", 1,
              1024);
  add_device_argument(*command, arguments->device);
  Option* out = command->add_option("--out", arguments->folder, "Folder to save the run in");
  command
      ->add_option("--log", arguments->log,
                   "Write the scores of each epoch for another program: event files in "
                   "DIR/split-N, which 'tensorboard --logdir DIR' shows")
      ->one_of({"tensorboard"})
      ->needs(out);
  add_integer(*command, "--members", arguments->members,
              "Train this many networks with different seeds and average their probabilities", 1,
              1000)
      ->needs(out);
  command->add_flag("--resume", arguments->resume, "Continue the run in the folder")->needs(out);
  command->add_flag(
      "--dry-run", arguments->dry_run,
      "Print the number of weights and the memory needed, and estimate the time from a few epochs");
  command->add_flag(
      "--show-program", arguments->show_program,
      "Print the program of an epoch: operators, shapes, bytes, operations and memory offsets");
  add_json_argument(*command, arguments->json);
  command->footer(
      "Examples:\n"
      "  dsnn train texas --model diag-dsnn\n"
      "  dsnn train texas --model orth-dsnn --set layers=4 --set dropout=0.5 --splits 0-4 --jobs "
      "2\n"
      "  dsnn train texas --model orth-dsnn --members 8 --out ensemble\n"
      "  dsnn train cora_ml --model diag-dsnn --task links --link-task direction\n"
      "  dsnn train --edges edges.csv --nodes nodes.csv --label-column topic --model gen-dsnn "
      "--out run");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
