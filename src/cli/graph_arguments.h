#pragma once

#include "dsnn/data/csv.h"
#include "dsnn/data/dataset.h"
#include "dsnn/data/degree_features.h"
#include "dsnn/data/splits.h"

#include "cli/command_line.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::cli {

/// The graph to read: a file, folder or name, or CSV files.
struct GraphArguments {
  std::string graph;
  std::string data_dir;
  std::optional<NodeId> num_nodes;
  CsvOptions csv;
};
void add_graph_arguments(Command& app, GraphArguments& arguments, bool is_required = true);

/// Reads the graph and prints its notes to stderr, one per line; with `is_quiet` it prints none.
Dataset load_graph(const GraphArguments& arguments, bool is_quiet = false);

/// The files that will be read, for check_output().
std::vector<std::string> input_files(const GraphArguments& arguments);

/// How to prepare features and splits.
struct DatasetArguments {
  std::optional<DegreeFeatures> degree_features;
  std::optional<SplitShares> shares;
  std::optional<SplitCounts> counts;
  std::optional<int> num_splits;      ///< default: 10
  std::optional<std::uint64_t> seed;  ///< default: 0

  bool asks_for_splits() const { return shares || counts || num_splits || seed; }
};

/// --scale and --degree-features: settings of a configuration.
void add_preparation_arguments(Command& app, std::vector<std::string>& settings);

void add_dataset_arguments(Command& app, DatasetArguments& arguments);

/// Applies the arguments, and draws splits if there are labels but no splits; notes record this.
/// With `only_if_asked`, draws splits only if the arguments ask for them. Returns whether splits
/// were drawn.
bool complete_dataset(const DatasetArguments& arguments, Dataset& dataset, bool only_if_asked);

/// load_graph() and complete_dataset(); notes and warnings about splits go to stderr.
Dataset load_for_training(const GraphArguments& graph, const DatasetArguments& arguments);

}  // namespace dsnn::cli
