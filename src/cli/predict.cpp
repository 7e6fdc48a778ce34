#include "dsnn/train/ensemble.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"
#include "cli/link_commands.h"
#include "cli/run_arguments.h"
#include "util/index.h"
#include "util/log_sum_exp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

namespace dsnn::cli {
namespace {

struct Arguments {
  std::string run;
  GraphArguments graph;
  DatasetArguments dataset;
  std::optional<int> split;
  bool only_unlabelled = false;
  std::string pairs;
  int top = 0;  // 0: not given
  std::string output;
  std::string device = "cpu";
};

/// exp(z_c) / sum of exp(z).
std::vector<double> softmax(const float* logits, std::int64_t classes) {
  std::vector<double> result(static_cast<std::size_t>(classes));
  softmax_of(logits, classes, result.data());
  return result;
}

void check_options(const Arguments& arguments, TaskKind task) {
  const bool asks_for_links = !arguments.pairs.empty() || arguments.top > 0;
  if (task == TaskKind::kNodes && asks_for_links) {
    throw Error(fmt::format("{}: predicts classes of nodes; --pairs and --top need a run of links",
                            arguments.run));
  }
  if (task == TaskKind::kLinks && !asks_for_links) {
    throw Error(fmt::format("{}: predicts links; give --pairs FILE or --top N", arguments.run));
  }
}

int run(const Arguments& arguments) {
  const Ensemble ensemble(arguments.run, arguments.device);
  const Run& trained = ensemble.first();
  for (const Run& run : ensemble.members()) warn_if_unfinished(run, arguments.run);
  const GraphArguments graph = graph_of_run(arguments.graph, trained, arguments.run);
  std::vector<std::string> inputs = input_files(graph);
  if (!arguments.pairs.empty()) inputs.push_back(arguments.pairs);
  check_output(arguments.output, inputs);
  check_options(arguments, trained.task());
  Dataset dataset = load_graph(graph);
  if (arguments.dataset.degree_features) {
    set_degree_features(dataset, *arguments.dataset.degree_features);
  }
  const int split = arguments.split.value_or(trained.best_split());
  if (!arguments.pairs.empty()) {
    return predict_pairs(ensemble, split, dataset, arguments.pairs, arguments.output);
  }
  if (arguments.top > 0) {
    return predict_top(ensemble, split, dataset, arguments.top, arguments.output);
  }
  const std::int64_t classes = trained.num_classes();
  const std::vector<float> logits = ensemble.logits(split, dataset);
  const auto class_name = [&](std::int64_t c) {
    return trained.label_names().empty() ? fmt::format("{}", c)
                                         : trained.label_names()[static_cast<std::size_t>(c)];
  };
  OutputFile file(arguments.output);
  std::string line = "id,label";
  for (std::int64_t c = 0; c < classes; ++c) line += "," + csv_field("p_" + class_name(c));
  file.write(line + "\n");
  std::int64_t num_written = 0;
  for (NodeId u = 0; u < dataset.graph.num_nodes(); ++u) {
    const bool has_label = !dataset.labels.empty() && dataset.labels[at(u)] >= 0;
    if (arguments.only_unlabelled && has_label) continue;
    ++num_written;
    const std::vector<double> p = softmax(logits.data() + std::int64_t{u} * classes, classes);
    const auto best = std::max_element(p.begin(), p.end()) - p.begin();
    line = csv_field(dataset.node_name(u)) + "," + csv_field(class_name(best));
    for (const double probability : p) line += fmt::format(",{:.6f}", probability);
    file.write(line + "\n");
  }
  file.commit();
  if (!is_stream_path(arguments.output)) {
    const std::size_t count = ensemble.members().size();
    fmt::print("{}: {} nodes, predicted by {} of split {}\n", arguments.output, num_written,
               count == 1 ? "the model" : fmt::format("the {} members", count), split);
  }
  return 0;
}

}  // namespace

void add_predict(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = app.add_subcommand("predict", "Predict the classes of all nodes, or links");
  command->add_option("RUN", arguments->run, "Folder of a run (dsnn train --out) or of dsnn fit")
      ->required();
  add_graph_arguments(*command, arguments->graph, false);
  add_dataset_arguments(*command, arguments->dataset);
  add_device_argument(*command, arguments->device);
  command->add_option(
      "--of-split", arguments->split,
      "Use the model of this split (default: the one with the best validation accuracy)");
  command->add_flag("--only-unlabelled", arguments->only_unlabelled,
                    "Write only nodes without a known label");
  Option* pairs = command->add_option(
      "--pairs", arguments->pairs,
      "Of a run of links: CSV file with a pair of nodes in each row, source and target");
  add_integer(*command, "--top", arguments->top,
              "Of a run of links: this many of the most probable new arcs from each node", 1,
              1'000'000)
      ->excludes(pairs);
  add_output_argument(*command, arguments->output, true,
                      "CSV file to write: id, label, probability of each class; of links source, "
                      "target and probabilities");
  command->footer(
      "Default for GRAPH: the dataset of the run. A new graph must have the same feature columns.\n"
      "Examples:\n"
      "  dsnn predict run -o predictions.csv\n"
      "  dsnn predict links-run --top 10 -o missing.csv\n"
      "  dsnn predict fitted --only-unlabelled -o predictions.csv\n"
      "  dsnn predict run --edges edges.csv --nodes nodes.csv --label-column topic -o "
      "predictions.csv");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
