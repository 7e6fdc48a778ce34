#include "dsnn/data/dsbm_dataset.h"
#include "dsnn/data/npz.h"

#include "cli/arguments.h"
#include "cli/command.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace dsnn::cli {
namespace {

struct Arguments {
  DsbmOptions dsbm;
  std::string output;
  bool json = false;
};

int run(const Arguments& arguments) {
  NpzWriter::check_path(arguments.output);
  const Dataset dataset = dsbm_dataset(arguments.dsbm);
  write_dataset(arguments.output, dataset);
  const DirectedGraph& graph = dataset.graph;
  if (arguments.json) {
    const nlohmann::ordered_json result = {
        {"output", arguments.output},      {"nodes", graph.num_nodes()},
        {"arcs", graph.num_arcs()},        {"classes", dataset.num_classes},
        {"splits", dataset.splits.size()}, {"seed", arguments.dsbm.seed}};
    print_json(result);
  } else {
    fmt::print("{}: {} nodes, {} arcs, {} communities, {} splits (80/5/15 per class)\n",
               arguments.output, graph.num_nodes(), graph.num_arcs(), dataset.num_classes,
               dataset.splits.size());
  }
  return 0;
}

}  // namespace

void add_generate(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* generate =
      app.add_subcommand("generate", "Generate a random graph with labels and splits");
  generate->require_subcommand(1);
  generate->footer(
      "Example:\n"
      "  dsnn generate dsbm -n 2500 -C 5 --alpha-in 0.1 --alpha-out 0.08 --beta 0.2 -o dsbm.npz");
  Command* command = generate->add_subcommand("dsbm", "Directed stochastic block model");
  DsbmOptions& dsbm = arguments->dsbm;
  constexpr double kBeta = 0.1;  // directions that distinguish communities
  dsbm.beta = kBeta;
  add_integer(*command, "-n,--nodes", dsbm.num_nodes, "Number of nodes", 1)->required();
  add_integer(*command, "-C,--communities", dsbm.num_communities, "Number of communities", 1)
      ->required();
  command->add_option("--alpha-in", dsbm.alpha_in, "Probability of an edge within a community")
      ->required();
  command->add_option("--alpha-out", dsbm.alpha_out, "Probability of an edge between communities")
      ->required();
  command->add_option(
      "--beta", dsbm.beta,
      "Probability that an edge between communities i < j runs i -> j (default: 0.1)");
  add_integer(*command, "--seed", dsbm.seed, "Seed of graph and splits (default: 0)",
              std::uint64_t{0});
  add_output_argument(*command, arguments->output, true, ".npz file to write");
  add_json_argument(*command, arguments->json);
  command->footer(
      "The labels are the communities. The only feature of a node is its total degree. Ten splits\n"
      "assign 80/5/15 % of each community to training, validation and test.\n"
      "Example:\n"
      "  dsnn generate dsbm -n 2500 -C 5 --alpha-in 0.1 --alpha-out 0.08 --beta 0.2 -o dsbm.npz");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
