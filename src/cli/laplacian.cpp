#include "dsnn/sheaf/laplacian.h"

#include "dsnn/data/matrix_market.h"
#include "dsnn/util/output_file.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace dsnn::cli {
namespace {

struct Arguments {
  GraphArguments graph;
  SheafArguments sheaf;
  std::string output;
  bool json = false;
};

int run(const Arguments& arguments) {
  std::vector<std::string> inputs = input_files(arguments.graph);
  inputs.push_back(arguments.sheaf.maps_file);
  check_output(arguments.output, inputs);
  const Dataset dataset = load_graph(arguments.graph);
  const Sheaf sheaf = load_sheaf(arguments.sheaf, dataset.graph);
  const BlockSparseMatrix matrix = laplacian(sheaf, arguments.sheaf.normalisation);
  write_matrix_market(arguments.output, matrix);
  if (is_stream_path(arguments.output)) return 0;  // no text in the data stream
  if (arguments.json) {
    const nlohmann::ordered_json result = {
        {"output", arguments.output},         {"nodes", dataset.graph.num_nodes()},
        {"edges", dataset.graph.num_edges()}, {"stalk_dim", sheaf.stalk_dim()},
        {"rows", matrix.num_rows()},          {"blocks", matrix.num_blocks()}};
    print_json(result);
  } else {
    fmt::print("{}: {} x {} Laplacian ({} nodes, {} edges, stalk dimension {})\n", arguments.output,
               matrix.num_rows(), matrix.num_cols(), dataset.graph.num_nodes(),
               dataset.graph.num_edges(), sheaf.stalk_dim());
  }
  return 0;
}

}  // namespace

void add_laplacian(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command =
      app.add_subcommand("laplacian", "Write a graph's sheaf Laplacian as MatrixMarket");
  add_graph_arguments(*command, arguments->graph);
  add_sheaf_arguments(*command, arguments->sheaf);
  add_output_argument(*command, arguments->output, true, "MatrixMarket file to write");
  add_json_argument(*command, arguments->json);
  command->footer(
      "Examples:\n"
      "  dsnn laplacian edges.txt -o L.mtx                         trivial sheaf, q = 1/4\n"
      "  dsnn laplacian edges.txt --sheaf magnetic --q 0.1 -o L.mtx\n"
      "  dsnn laplacian graph.npz --maps maps.npz --normalise exact -o L.mtx\n"
      "Read it in Python with scipy.io.mmread('L.mtx').");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
