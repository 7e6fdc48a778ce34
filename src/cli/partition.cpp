#include "dsnn/mpi/partitioners.h"
#include "dsnn/train/part_folder.h"
#include "dsnn/train/run_config.h"
#include "dsnn/train/traffic.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"
#include "util/index.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace dsnn::cli {
namespace {

struct Arguments {
  GraphArguments graph;
  DatasetArguments dataset;
  int num_parts = 0;
  std::string method;
  std::string model = "diag-dsnn";
  std::string folder;
  bool json = false;
};

/// Of the first split.
std::int64_t num_scored(const Dataset& dataset) {
  if (dataset.splits.empty() || dataset.labels.empty()) return 0;
  const Split& split = dataset.splits.front();
  std::int64_t count = 0;
  for (std::size_t u = 0; u < dataset.labels.size(); ++u) {
    if (dataset.labels[u] >= 0) count += split.train[u] + split.validation[u] + split.test[u];
  }
  return count;
}

/// Nothing if the model has no features or classes, or cannot be trained in parts.
std::optional<EpochTraffic> traffic_of(const Arguments& arguments, const Dataset& dataset,
                                       const PartitionCost& cost) {
  const Config config = default_config(arguments.model);
  const FeaturePreparation preparation =
      FeaturePreparation::fit(dataset, FeatureScale::kNone, DegreeColumns::kAuto);
  const nn::ModelShape shape = {preparation.num_prepared(dataset.features.num_columns),
                                dataset.num_classes};
  const bool is_local = nn::find_model(arguments.model).needs_whole_graph.empty();
  if (!is_local || shape.num_features == 0 || shape.num_classes == 0) return std::nullopt;
  return epoch_traffic(arguments.model, config, shape, cost, arguments.num_parts,
                       num_scored(dataset));
}

std::string megabytes(std::int64_t bytes) {
  return fmt::format("{:.3f} MB", static_cast<double>(bytes) / 1e6);
}

int run(const Arguments& arguments) {
  (void)nn::find_model(arguments.model);
  const Dataset dataset = load_for_training(arguments.graph, arguments.dataset);
  const DirectedGraph& graph = dataset.graph;
  const std::string method =
      arguments.method.empty() ? partition_methods().front() : arguments.method;
  const std::vector<NodeId> order = input_order(graph);
  const Partition partition = make_partition(method, graph, order, arguments.num_parts);
  PartFolder::write(arguments.folder, dataset, partition, order, arguments.num_parts);
  const PartitionCost cost = cost_of(graph, partition, arguments.num_parts);
  const std::optional<EpochTraffic> traffic = traffic_of(arguments, dataset, cost);
  if (arguments.json) {
    nlohmann::ordered_json json = {{"output", arguments.folder},   {"method", method},
                                   {"parts", arguments.num_parts}, {"nodes", graph.num_nodes()},
                                   {"edges", graph.num_edges()},   {"cut_edges", cost.cut_edges},
                                   {"ghosts", cost.ghosts},        {"balance", cost.balance}};
    if (traffic) {
      json["model"] = arguments.model;
      json["bytes_of_rows"] = traffic->rows;
      json["bytes_of_sums"] = traffic->sums;
    }
    print_json(json);
    return 0;
  }
  const auto edges = static_cast<double>(std::max<HalfEdgeId>(1, graph.num_edges()));
  fmt::print("{}: {} parts of {} nodes and {} edges, by {}\n", arguments.folder,
             arguments.num_parts, graph.num_nodes(), graph.num_edges(), method);
  fmt::print("{:<12} {} ({:.1f} %)\n", "cut edges", cost.cut_edges,
             100 * static_cast<double>(cost.cut_edges) / edges);
  fmt::print("{:<12} {:.2f} times the mean in the largest part\n", "balance", cost.balance);
  fmt::print("{:<12} {}\n", "ghosts", cost.ghosts);
  if (traffic) {
    fmt::print("{:<12} {} of rows and {} of sums in an epoch of {}, all ranks together\n", "sent",
               megabytes(traffic->rows), megabytes(traffic->sums), arguments.model);
  }
  return 0;
}

}  // namespace

void add_partition(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command =
      app.add_subcommand("partition", "Divide a graph into parts, to train on with MPI");
  add_graph_arguments(*command, arguments->graph);
  add_dataset_arguments(*command, arguments->dataset);
  add_integer(*command, "-k,--parts", arguments->num_parts, "Number of parts", 1, 65536)
      ->required();
  command
      ->add_option("--method", arguments->method,
                   "metis or scotch: few edges between parts; blocks: consecutive nodes (default: "
                   "the first that this dsnn has)")
      ->one_of({"metis", "scotch", "blocks"});
  command->add_option("--model", arguments->model,
                      "The model whose messages are counted (default: diag-dsnn)");
  command->add_option("-o,--output", arguments->folder, "Folder to write")->required();
  add_json_argument(*command, arguments->json);
  command->footer(
      "If there are labels but no splits, ten splits are drawn: 48/32/20 % of each class.\n"
      "Examples:\n"
      "  dsnn partition cora -k 4 -o cora-4\n"
      "  mpirun -n 4 dsnn train cora-4 --model diag-dsnn --out run");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
