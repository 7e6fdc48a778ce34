#include "cli/task_arguments.h"

#include "dsnn/util/error.h"

#include "cli/terminal.h"
#include "train/link_config.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsnn::cli {
namespace {

struct LinkOption {
  const char* name;
  const char* parameter;
  const char* help;
};
constexpr LinkOption kLinkOptions[] = {
    {"--link-task", "link_task",
     "Question about a pair of nodes: existence, direction, three-class or existence-direction "
     "(default: existence)"},
    {"--protocol", "protocol",
     "Division of the arcs: magnet, pygsd, dirlink (the link splits of the data), random; default: "
     "the data's, else magnet"},
    {"--decoder", "decoder", "Score of a pair: inner, bilinear, dual or mlp (default: mlp)"},
    {"--negatives", "negatives",
     "Training pairs without an arc: fixed, or drawn in each epoch (epoch)"},
    {"--metric", "metric",
     "Validation score that chooses the epoch: accuracy, macro_f1, auc, ap, mrr, hits@20, hits@50 "
     "or hits@100"}};

}  // namespace

void add_task_arguments(Command& app, TaskArguments& arguments) {
  app.add_option_function(
         "--task", [&arguments](const std::string& word) { arguments.task = parse_task(word); },
         "What to predict: the classes of nodes (default), or links")
      ->one_of({"nodes", "links"});
  for (const LinkOption& option : kLinkOptions) {
    app.add_option_function(
           option.name,
           [&arguments, option](const std::string& word) {
             arguments.settings.push_back(fmt::format("{}={}", option.parameter, word));
           },
           option.help)
        ->group("Links");
  }
}

std::vector<std::string> settings_of(const TaskArguments& arguments,
                                     const DatasetArguments& dataset, TaskKind task) {
  std::vector<std::string> settings = arguments.settings;
  if (task == TaskKind::kNodes) {
    if (settings.empty()) return settings;
    const std::string parameter = settings[0].substr(0, settings[0].find('='));
    const auto* option = std::ranges::find(kLinkOptions, parameter, &LinkOption::parameter);
    throw Error(fmt::format("{} needs --task links", option->name));
  }
  if (dataset.shares || dataset.counts) {
    throw Error(
        "--split and --per-class divide nodes; for links use --protocol, with --set test_share=... "
        "and --set validation_share=...");
  }
  if (dataset.num_splits) settings.push_back(fmt::format("num_splits={}", *dataset.num_splits));
  if (dataset.seed) settings.push_back(fmt::format("split_seed={}", *dataset.seed));
  return settings;
}

Dataset load_for_task(const GraphArguments& graph, const DatasetArguments& arguments,
                      TaskKind task) {
  if (task == TaskKind::kNodes) return load_for_training(graph, arguments);
  Dataset dataset = load_graph(graph);
  if (!arguments.degree_features) return dataset;
  set_degree_features(dataset, *arguments.degree_features);
  print_error(fmt::format("dsnn: note: {}\n", dataset.notes.back()));
  return dataset;
}

}  // namespace dsnn::cli
