#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/describe.h"
#include "cli/graph_arguments.h"

#include <memory>

namespace dsnn::cli {
namespace {

struct Arguments {
  GraphArguments graph;
  DatasetArguments dataset;
  bool json = false;
};

int run(const Arguments& arguments) {
  Dataset dataset = load_graph(arguments.graph, true);
  complete_dataset(arguments.dataset, dataset, true);
  const nlohmann::ordered_json description = describe(dataset);
  if (arguments.json) {
    print_json(description);
  } else {
    print_description(description);
  }
  return 0;
}

}  // namespace

void add_info(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = app.add_subcommand("info", "Describe a graph or dataset");
  add_graph_arguments(*command, arguments->graph);
  add_dataset_arguments(*command, arguments->dataset);
  add_json_argument(*command, arguments->json);
  command->footer(
      "Examples:\n"
      "  dsnn info edges.txt\n"
      "  dsnn info texas --data-dir data\n"
      "  dsnn info --edges edges.csv --nodes nodes.csv --label-column topic");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
