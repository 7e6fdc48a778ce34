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

/// What graph to read: a file, folder or name, or CSV files.
struct GraphArguments {
  std::string graph;
  std::string data_dir;
  std::optional<NodeId> num_nodes;
  CsvOptions csv;
};
void add_graph_arguments(Command& app, GraphArguments& arguments, bool is_required = true);

/// Reads it. Its notes go to stderr, a line each; with `is_quiet` they are left to the caller.
Dataset load_graph(const GraphArguments& arguments, bool is_quiet = false);

/// The files that it will be read from, for check_output().
std::vector<std::string> input_files(const GraphArguments& arguments);

/// What to make of features and splits.
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

/// Does as the arguments say, and draws splits where there are labels and none are given; the notes
/// tell. With `only_if_asked` splits are drawn only if the arguments ask for them. Returns whether
/// splits were drawn.
bool complete_dataset(const DatasetArguments& arguments, Dataset& dataset, bool only_if_asked);

/// Both, with the notes and with warnings about splits on stderr.
Dataset load_for_training(const GraphArguments& graph, const DatasetArguments& arguments);

}  // namespace dsnn::cli
