#include "dsnn/train/ensemble.h"
#include "dsnn/train/part_folder.h"
#include "dsnn/util/error.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"
#include "cli/link_commands.h"
#include "cli/mpi_program.h"
#include "cli/run_arguments.h"
#include "cli/terminal.h"
#include "train/run_folder.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace dsnn::cli {
namespace {

struct Arguments {
  std::string run;
  GraphArguments graph;
  DatasetArguments dataset;
  bool json = false;
  std::string device = "cpu";
};

void check_splits_of_run(bool are_other, const std::string& dataset, const std::string& run) {
  if (!are_other) return;
  throw Error(
      fmt::format("{}: its splits differ from those that {} was trained on, so training nodes may "
                  "be tested; give the data and options of that training (--split, --per-class, "
                  "--num-splits, --split-seed), or new data with a split column",
                  dataset, run));
}

void note_other_dataset(const std::string& dataset, const std::string& run) {
  print_error(
      fmt::format("dsnn: note: {} is not the dataset that {} was trained on\n", dataset, run));
}

int print_scores(const std::string& dataset, const std::vector<int>& numbers,
                 const std::vector<Scores>& all_scores, bool as_json) {
  nlohmann::ordered_json splits = nlohmann::ordered_json::array();
  std::vector<double> accuracies;
  for (std::size_t i = 0; i < all_scores.size(); ++i) {
    const Scores& scores = all_scores[i];
    nlohmann::ordered_json row = {{"split", numbers[i]},
                                  {"test_accuracy", 100 * scores.accuracy},
                                  {"test_macro_f1", 100 * scores.macro_f1},
                                  {"test_loss", scores.loss}};
    if (scores.roc_auc) row["test_roc_auc"] = 100 * *scores.roc_auc;
    splits.push_back(row);
    accuracies.push_back(100 * scores.accuracy);
  }
  const auto [mean, deviation] = mean_and_deviation(accuracies);
  if (as_json) {
    print_json({{"dataset", dataset},
                {"test_accuracy_mean", mean},
                {"test_accuracy_std", deviation},
                {"splits", splits}});
    return 0;
  }
  fmt::print("{:>5}  {:>8}  {:>8}\n", "split", "accuracy", "macro-F1");
  for (const auto& row : splits) {
    fmt::print("{:>5}  {:>6.2f} %  {:>6.2f} %\n", row["split"].get<int>(),
               row["test_accuracy"].get<double>(), row["test_macro_f1"].get<double>());
  }
  fmt::print("test accuracy {:.2f} +- {:.2f} % over {} split{}\n", mean, deviation, splits.size(),
             splits.size() == 1 ? "" : "s");
  return 0;
}

/// On a folder of 'dsnn partition', with MPI. Only rank 0 prints.
int run_in_parts(const Arguments& arguments) {
  return run_on_ranks([&](Ranks& ranks) {
    std::optional<Run> trained;
    ranks.agree([&] { trained.emplace(one_run(arguments.run)); });
    const LoadedPart loaded = load_part(arguments.graph.graph, ranks);
    const WholeData& whole = loaded.part->whole;
    ranks.agree([&] {
      check_splits_of_run(trained->has_other_splits(*loaded.part), whole.name, arguments.run);
    });
    const std::vector<Scores> scores =
        trained->test_scores(trained->splits(), loaded.data, *loaded.part);
    if (ranks.rank() != 0) return 0;
    warn_if_unfinished(*trained, arguments.run);
    if (whole.checksum != trained->checksum()) note_other_dataset(whole.name, arguments.run);
    return print_scores(whole.name, trained->splits(), scores, arguments.json);
  });
}

int run(const Arguments& arguments) {
  if (is_in_parts(arguments.graph)) return run_in_parts(arguments);
  const Ensemble ensemble(arguments.run, arguments.device);
  const Run& trained = ensemble.first();
  for (const Run& run : ensemble.members()) warn_if_unfinished(run, arguments.run);
  Dataset dataset = load_graph(graph_of_run(arguments.graph, trained, arguments.run));
  const bool is_of_links = trained.task() == TaskKind::kLinks;  // drawn as its configuration says
  const bool is_drawn = complete_dataset(arguments.dataset, dataset, is_of_links);
  const bool is_other = checksum(dataset) != trained.checksum();
  check_splits_of_run(trained.has_other_splits(dataset) || (is_drawn && is_other), dataset.name,
                      arguments.run);
  if (is_other) note_other_dataset(dataset.name, arguments.run);
  if (trained.task() == TaskKind::kLinks) return evaluate_links(ensemble, dataset, arguments.json);
  return print_scores(dataset.name, trained.splits(),
                      ensemble.test_scores(trained.splits(), dataset), arguments.json);
}

}  // namespace

void add_evaluate(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command =
      app.add_subcommand("evaluate", "Compute the test scores of a run or of an ensemble");
  command->add_option("RUN", arguments->run, "Folder of 'dsnn train --out' or 'dsnn fit'")
      ->required();
  add_graph_arguments(*command, arguments->graph, false);
  add_dataset_arguments(*command, arguments->dataset);
  add_device_argument(*command, arguments->device);
  add_json_argument(*command, arguments->json);
  command->footer(
      "Default for GRAPH: the dataset of the run.\n"
      "Examples:\n"
      "  dsnn evaluate run\n"
      "  dsnn evaluate run texas --json");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
