#include "dsnn/sweep/sweep.h"

#include "dsnn/nn/model.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"
#include "cli/program.h"
#include "cli/run_arguments.h"
#include "cli/sweep_display.h"
#include "cli/task_arguments.h"
#include "cli/terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <memory>

namespace dsnn::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string space;
  GraphArguments graph;
  DatasetArguments dataset;
  TaskArguments task;
  std::string model;
  std::vector<std::string> settings;
  int trials = 0;  // 0: not given
  std::string budget;
  std::uint64_t seed = 0;
  int jobs = 0;
  int threads = 1;
  std::string device = "cpu";
  std::string folder;
  bool resume = false;
  bool json = false;
  std::string data_options;  // the options that define the data, as they were given
};

/// A word quoted for the shell.
std::string quoted(const std::string& word) {
  const bool is_plain =
      !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?[]{}~`!#") == std::string::npos;
  if (is_plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string data_options_of(const Command& command) {
  std::string text;
  for (const char* name :
       {"--data-dir", "--features", "--split", "--per-class", "--num-splits", "--split-seed",
        "--task", "--link-task", "--protocol", "--decoder", "--negatives", "--metric"}) {
    const std::optional<std::string> value = command.text_of(name);
    if (value) text += fmt::format(" {} {}", name, quoted(*value));
  }
  return text;
}

std::string parameters_of(const Sweep& sweep, const Trial& trial) {
  std::vector<std::string> parts;
  for (const Dimension& dimension : sweep.dimensions) {
    if (dimension.values.size() == 1) continue;
    const ParameterValue& value = trial.config.value(dimension.name);
    const auto* number = std::get_if<double>(&value);
    parts.push_back(
        fmt::format("{}={}", dimension.name,
                    number != nullptr ? fmt::format("{:.3g}", *number) : to_text(value)));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

void print_table(const Sweep& sweep) {
  constexpr std::size_t kShown = 10;
  const bool has_rungs = sweep.num_rungs > 1;
  fmt::print("{:>5}  {:>10}{}  {:>6}  {:>7}  {}\n", "trial", "validation",
             has_rungs ? "    rung" : "", "splits", "seconds", "parameters");
  for (std::size_t i = 0; i < std::min(kShown, sweep.trials.size()); ++i) {
    const Trial& trial = sweep.trials[i];
    if (!trial.has_score()) break;
    const std::string rung = fmt::format("{} of {}", trial.rung + 1, sweep.num_rungs);
    fmt::print("{:>5}  {:>8.2f} %{}  {:>6}  {:>7.1f}  {}\n", trial.number, 100 * trial.validation,
               has_rungs ? fmt::format("  {:>6}", rung) : "", trial.num_splits, trial.seconds,
               parameters_of(sweep, trial));
  }
  fmt::print("{} trials\n", sweep.trials.size());
  std::vector<const Trial*> failed;
  for (const Trial& trial : sweep.trials) {
    if (!trial.failure.empty()) failed.push_back(&trial);
  }
  if (failed.empty()) return;
  const Trial& first = **std::ranges::min_element(failed, {}, &Trial::number);
  fmt::print("{} failed; trial {}: {}\n", failed.size(), first.number, first.failure);
}

Json sweep_json(const Sweep& sweep) {
  Json json = {{"model", sweep.model}, {"dataset", sweep.dataset}, {"method", sweep.method}};
  json["bracket"] = sweep.bracket;
  json["commits"] = sweep.commits;
  json["trained_here"] = sweep.num_trained;
  json["is_complete"] = sweep.is_complete;
  json["trials"] = Json::array();
  for (const Trial& trial : sweep.trials) {
    Json item = {{"trial", trial.number},
                 {"rung", trial.rung},
                 {"splits", trial.num_splits},
                 {"seconds", trial.seconds}};
    if (trial.has_score()) {
      item["val_accuracy_mean"] = 100 * trial.validation;
      item["test_accuracy_mean"] = 100 * trial.test;
    }
    for (const Dimension& dimension : sweep.dimensions) {
      std::visit([&](const auto& v) { item["parameters"][dimension.name] = v; },
                 trial.config.value(dimension.name));
    }
    if (!trial.failure.empty()) item["failure"] = trial.failure;
    json["trials"].push_back(item);
  }
  return json;
}

int run(const Arguments& arguments) {
  SweepOptions options;
  options.model = arguments.model;
  const TaskKind task = arguments.task.task.value_or(TaskKind::kNodes);
  options.base = default_config(arguments.model, task);
  options.space = read_space(arguments.space);
  std::vector<std::string> settings = settings_of(arguments.task, arguments.dataset, task);
  settings.insert(settings.end(), arguments.settings.begin(), arguments.settings.end());
  for (const std::string& setting : settings) {
    options.base.set_text(setting);
    const std::string name = setting.substr(0, setting.find('='));
    if (std::ranges::find(options.space.dimensions, name, &Dimension::name) !=
        options.space.dimensions.end()) {
      throw Error(
          fmt::format("--set {}: {} is already searched by {}", setting, name, arguments.space));
    }
  }
  std::vector<std::string> left_out;
  const SearchSpace space = space_for_model(options.space, arguments.model, left_out, task);
  if (!left_out.empty()) {
    print_error(fmt::format("dsnn: note: {} has no parameter {}; ignored\n", arguments.model,
                            fmt::join(left_out, ", ")));
  }
  if (space.method == SweepMethod::kGrid && arguments.trials > space.grid_size()) {
    print_error(fmt::format("dsnn: note: the grid has only {0} combinations; running {0} trials\n",
                            space.grid_size()));
  }
  if (arguments.trials > 0) options.trials = arguments.trials;
  if (!arguments.budget.empty())
    options.budget_seconds = parse_duration("--budget", arguments.budget);
  options.seed = arguments.seed;
  options.jobs = arguments.jobs;
  options.threads = arguments.threads;
  options.device = arguments.device;
  options.folder = arguments.folder;
  options.resume = arguments.resume;
  const Dataset dataset = load_for_task(arguments.graph, arguments.dataset, task);
  set_cancelled_text(fmt::format("cancelled; continue with --out {} --resume", arguments.folder));
  set_progress_observer({});
  if (arguments.resume) note_if_new(arguments.folder, "sweep.sqlite", "sweep");
  Sweep sweep;
  {
    SweepDisplay display;
    options.observer = [&](const SweepProgress& progress) { display.show(progress); };
    sweep = run_sweep(dataset, options);
  }
  if (sweep.num_rungs > 1 && arguments.trials > sweep.bracket) {
    print_error(fmt::format(
        "dsnn: note: {} compares its trials in brackets of {}; a new sweep of {} trials may "
        "use another size\n",
        arguments.folder, sweep.bracket, arguments.trials));
  }
  if (sweep.commits.size() > 1) {
    print_error(
        fmt::format("dsnn: note: builds of commits {} have worked on {}; their scores may "
                    "differ\n",
                    fmt::join(sweep.commits, ", "), arguments.folder));
  }
  if (arguments.json) {
    print_json(sweep_json(sweep));
  } else {
    print_table(sweep);
    if (!sweep.is_complete) {
      fmt::print("incomplete; continue with --out {} --resume\n", quoted(arguments.folder));
    }
    fmt::print("{}\n",
               sweep.best() == nullptr
                   ? "no trial has a score"
                   : fmt::format("best: dsnn train {}{} --config {}", quoted(arguments.graph.graph),
                                 arguments.data_options, quoted(arguments.folder + "/best.toml")));
  }
  return 0;
}

}  // namespace

void add_sweep(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = app.add_subcommand("sweep", "Search for the best parameters of a model");
  command->add_option("SPACE", arguments->space, "Space to search (TOML; docs/sweeps.md)")
      ->required();
  command
      ->add_option("--dataset", arguments->graph.graph,
                   "Name of a dataset, or a file or folder as for 'dsnn train'")
      ->required();
  add_data_dir_argument(*command, arguments->graph.data_dir);
  add_dataset_arguments(*command, arguments->dataset);
  add_task_arguments(*command, arguments->task);
  command->add_option("--model", arguments->model, "Model ('dsnn models' lists all)")->required();
  command
      ->add_option("--set", arguments->settings,
                   "key=value: a parameter that is not searched; may be given several times")
      ->allow_extra_args(false);
  add_integer(*command, "--trials", arguments->trials,
              "Number of trials (default: the whole grid, else as many as the budget allows)", 1,
              1'000'000);
  command->add_option("--budget", arguments->budget,
                      "Time after which no new training starts, such as 90s, 30m or 2h");
  command->add_option_function(
      "--seed", [arguments](const std::string& text) { arguments->seed = parse_seed(text); },
      "Seed of the sweep (default: 0)");
  add_integer(*command, "--jobs", arguments->jobs,
              "Trainings in parallel (default: number of cores)", 1, 1024);
  add_integer(*command, "--threads", arguments->threads, "Threads of each training (default: 1)", 1,
              1024);
  add_device_argument(*command, arguments->device);
  command->add_option("--out", arguments->folder, "Folder of the sweep")->required();
  command->add_flag("--resume", arguments->resume,
                    "Continue the sweep in the folder, or join another process working on it");
  add_json_argument(*command, arguments->json);
  command->footer(
      "Trials are compared only by their mean validation score. DIR/trial-17.toml is the\n"
      "configuration of trial 17, DIR/best.toml that of the best trial.\n\n"
      "Examples:\n"
      "  dsnn sweep space.toml --dataset texas --model diag-dsnn --trials 60 --out sweeps/texas\n"
      "  dsnn sweep space.toml --dataset texas --model diag-dsnn --budget 30m --out s --resume\n"
      "  dsnn train --config sweeps/texas/best.toml\n"
      "  dsnn sweep-report sweeps/texas");
  command->callback([arguments, command, &action] {
    arguments->data_options = data_options_of(*command);
    action = [arguments] { return run(*arguments); };
  });
}

}  // namespace dsnn::cli
