#include "dsnn/data/link_examples.h"
#include "dsnn/data/link_heuristics.h"
#include "dsnn/util/error.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"
#include "cli/link_table.h"
#include "cli/task_arguments.h"
#include "train/link_config.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>

namespace dsnn::cli {
namespace {

struct Arguments {
  GraphArguments graph;
  DatasetArguments dataset;
  TaskArguments task;
  std::vector<std::string> settings;
  bool json = false;
};

int run(const Arguments& arguments) {
  Config config(link_parameters());
  for (const auto& settings :
       {settings_of(arguments.task, arguments.dataset, TaskKind::kLinks), arguments.settings}) {
    for (const std::string& setting : settings) config.set_text(setting);
  }
  if (num_classes(link_question(config)) != 2) {
    throw Error("heuristics rank pairs of two classes; choose another --link-task");
  }
  const Dataset dataset = load_for_task(arguments.graph, arguments.dataset, TaskKind::kLinks);
  const LinkOptions options = link_options(config, dataset);
  std::map<std::string, std::vector<Metrics>> scores;
  for (int split = 0; split < num_link_splits(config, dataset); ++split) {
    const LinkExamples examples = link_examples(dataset, options, split);
    const DirectedGraph graph = subgraph(dataset.graph, examples.messages);
    for (const auto& [kind, name] : link_heuristics()) {
      std::vector<double> of[2];
      for (std::size_t i = 0; i < examples.test.pairs.size(); ++i) {
        of[examples.test.labels[i]].push_back(heuristic_score(graph, kind, examples.test.pairs[i]));
      }
      Scores ranked;
      ranked.ranks = rank_scores(of[1], of[0]);
      scores[name].push_back(metrics_of(ranked));
      scores[name].back().erase("accuracy");  // they have no threshold
      scores[name].back().erase("macro_f1");
    }
  }
  if (arguments.json) {
    nlohmann::ordered_json json = {{"dataset", dataset.name}};
    for (const auto& [kind, name] : link_heuristics()) {
      for (const auto& split : scores[name]) json[name].push_back(json_of(split));
    }
    print_json(json);
    return 0;
  }
  const std::vector<std::string> names = names_of(scores.begin()->second.front());
  print_heading(names);
  for (const auto& [kind, name] : link_heuristics()) print_means(name, scores[name], names);
  return 0;
}

}  // namespace

void add_heuristics(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = app.add_subcommand(
      "heuristics", "Score links by common neighbours and degrees, without learning");
  add_graph_arguments(*command, arguments->graph);
  add_dataset_arguments(*command, arguments->dataset);
  add_task_arguments(*command, arguments->task);
  command
      ->add_option("--set", arguments->settings,
                   "key=value: a parameter of links, such as test_share=0.2")
      ->allow_extra_args(false);
  add_json_argument(*command, arguments->json);
  command->footer(
      "Scores of the test pairs, in percent, from the training arcs of each split: mean and "
      "deviation.\n"
      "Example:\n"
      "  dsnn heuristics cora_ml --protocol random");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
