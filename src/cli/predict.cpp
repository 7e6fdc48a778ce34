#include "dsnn/train/ensemble.h"
#include "dsnn/train/part_folder.h"
#include "dsnn/util/error.h"
#include "dsnn/util/output_file.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"
#include "cli/link_commands.h"
#include "cli/mpi_program.h"
#include "cli/run_arguments.h"
#include "util/index.h"
#include "util/log_sum_exp.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

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

std::string class_name(const Run& run, std::int64_t number) {
  return run.label_names().empty() ? fmt::format("{}", number) : run.label_names()[at(number)];
}

std::string header(const Run& run) {
  std::string line = "id,label";
  for (std::int64_t c = 0; c < run.num_classes(); ++c) {
    line += "," + csv_field("p_" + class_name(run, c));
  }
  return line + "\n";
}

bool is_wanted(const Dataset& dataset, NodeId u, bool only_unlabelled) {
  const bool has_label = !dataset.labels.empty() && dataset.labels[at(u)] >= 0;
  return !only_unlabelled || !has_label;
}

std::string line_of(const Run& run, const std::string& name, const std::vector<float>& logits,
                    NodeId u) {
  const std::int64_t classes = run.num_classes();
  const std::vector<double> p = softmax(logits.data() + std::int64_t{u} * classes, classes);
  const auto best = std::max_element(p.begin(), p.end()) - p.begin();
  std::string line = csv_field(name) + "," + csv_field(class_name(run, best));
  for (const double probability : p) line += fmt::format(",{:.6f}", probability);
  return line + "\n";
}

void print_written(const std::string& output, std::int64_t num_written, const std::string& model,
                   int split) {
  if (is_stream_path(output)) return;
  fmt::print("{}: {} nodes, predicted by {} of split {}\n", output, num_written, model, split);
}

/// "NUMBER LENGTH LINE" for each own node of a part.
std::string own_lines(const Run& run, const LoadedPart& loaded, const std::vector<float>& logits,
                      const Arguments& arguments) {
  std::string text;
  for (std::size_t u = 0; u < loaded.part->numbers.size(); ++u) {
    const auto node = static_cast<NodeId>(u);
    const bool is_own = loaded.part->halo->owns(node);
    if (!is_own || !is_wanted(loaded.data, node, arguments.only_unlabelled)) continue;
    const std::int64_t number = loaded.part->numbers[u];
    const std::vector<std::string>& names = loaded.data.node_ids;
    const std::string line =
        line_of(run, names.empty() ? fmt::format("{}", number) : names[u], logits, node);
    text += fmt::format("{} {} {}", number, line.size(), line);
  }
  return text;
}

/// These as pairs of numbers and lines.
void add_lines(std::string_view text,
               std::vector<std::pair<std::int64_t, std::string_view>>& lines) {
  const auto take_number = [&] {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const char* rest = std::from_chars(text.data(), end, number).ptr + 1;
    text = {rest, static_cast<std::size_t>(end - rest)};
    return number;
  };
  while (!text.empty()) {
    const std::int64_t number = take_number();
    const std::size_t length = at(take_number());
    lines.emplace_back(number, text.substr(0, length));
    text.remove_prefix(length);
  }
}

/// On a folder of 'dsnn partition', with MPI: rank 0 joins the lines of all, in the order of nodes.
int run_in_parts(const Arguments& arguments) {
  return run_on_ranks([&](Ranks& ranks) {
    const bool is_first = ranks.rank() == 0;
    std::optional<Run> trained;
    ranks.agree([&] {
      if (is_first) check_output(arguments.output, {});
      trained.emplace(one_run(arguments.run));
      check_options(arguments, trained->task());
    });
    const LoadedPart loaded = load_part(arguments.graph.graph, ranks);
    const int split = arguments.split.value_or(trained->best_split());
    const std::vector<float> logits = trained->logits(split, loaded.data, *loaded.part);
    const auto lines = ranks.gather_text(own_lines(*trained, loaded, logits, arguments));
    if (!is_first) return 0;
    std::vector<std::pair<std::int64_t, std::string_view>> sorted;  // by the number of the node
    for (const std::string& text : lines) add_lines(text, sorted);
    std::ranges::sort(sorted);
    OutputFile file(arguments.output);
    file.write(header(*trained));
    for (const auto& [number, line] : sorted) file.write(line);
    file.commit();
    warn_if_unfinished(*trained, arguments.run);
    print_written(arguments.output, std::ssize(sorted), "the model", split);
    return 0;
  });
}

int run(const Arguments& arguments) {
  if (is_in_parts(arguments.graph)) return run_in_parts(arguments);
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
  const std::vector<float> logits = ensemble.logits(split, dataset);
  OutputFile file(arguments.output);
  file.write(header(trained));
  std::int64_t num_written = 0;
  for (NodeId u = 0; u < dataset.graph.num_nodes(); ++u) {
    if (!is_wanted(dataset, u, arguments.only_unlabelled)) continue;
    ++num_written;
    file.write(line_of(trained, dataset.node_name(u), logits, u));
  }
  file.commit();
  const std::size_t count = ensemble.members().size();
  print_written(arguments.output, num_written,
                count == 1 ? "the model" : fmt::format("the {} members", count), split);
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
