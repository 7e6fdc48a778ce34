#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/describe.h"
#include "cli/graph_arguments.h"

#include <fmt/format.h>

#include <memory>

namespace dsnn::cli {
namespace {

struct Arguments {
  GraphArguments graph;
  DatasetArguments dataset;
  std::string output;
  std::string form;
  bool undirected = false;
  bool reversed = false;
  bool json = false;
};

void transform(const Arguments& arguments, Dataset& dataset) {
  if (arguments.reversed) {
    dataset.graph = dataset.graph.reversed();
    dataset.notes.emplace_back("the direction of every arc was reversed");
  }
  if (arguments.undirected) {
    dataset.graph = dataset.graph.symmetrised();
    dataset.notes.emplace_back("every edge was made two-way");
  }
  if (arguments.form == "sparse") dataset.features = dataset.features.to_sparse();
  if (arguments.form == "dense") dataset.features = dataset.features.to_dense();
}

int run(const Arguments& arguments) {
  check_output(arguments.output, input_files(arguments.graph));
  NpzWriter::check_path(arguments.output);
  Dataset dataset = load_graph(arguments.graph, true);
  transform(arguments, dataset);
  complete_dataset(arguments.dataset, dataset, false);
  for (const SplitProblem& problem : check_splits(dataset)) {
    if (problem.is_error) throw Error(fmt::format("splits: {}", problem.text));
  }
  nlohmann::ordered_json description = describe(dataset);
  write_dataset(arguments.output, dataset);
  description["output"] = arguments.output;
  if (arguments.json) {
    print_json(description);
  } else {
    print_description(description);
    fmt::print("{:<18} {}\n", "written to", arguments.output);
  }
  return 0;
}

}  // namespace

void add_convert(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command =
      app.add_subcommand("convert", "Convert any input to .npz and describe what was read");
  add_graph_arguments(*command, arguments->graph);
  add_dataset_arguments(*command, arguments->dataset);
  command
      ->add_option("--form", arguments->form,
                   "Write features dense or sparse (default: as they were read)")
      ->one_of({"dense", "sparse"});
  command->add_flag("--undirected", arguments->undirected, "Make every edge two-way");
  command->add_flag("--reversed", arguments->reversed, "Reverse the direction of every arc");
  add_output_argument(*command, arguments->output, true, ".npz file to write");
  add_json_argument(*command, arguments->json);
  command->footer(
      "If there are labels but no splits, ten splits are drawn: 48/32/20 % of each class.\n"
      "Examples:\n"
      "  dsnn convert --edges edges.csv --nodes nodes.csv -o graph.npz\n"
      "  dsnn convert new_data/texas -o texas.npz\n"
      "  dsnn convert dataset/ogbn_arxiv -o arxiv.npz\n"
      "  dsnn convert web-Google.txt.gz --features degree-buckets -o web.npz\n"
      "  dsnn convert labelled.npz --undirected --split 60/20/20 -o squirrel.npz");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
