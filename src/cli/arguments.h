#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/sheaf.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace dsnn::cli {

// Options that several subcommands share: declared, checked and turned into objects here alone.

struct GraphArguments {
  std::string graph;
  std::string data_dir;
  std::optional<NodeId> num_nodes;
};
void add_graph_arguments(CLI::App& app, GraphArguments& arguments, const char* metavar = "GRAPH");
Dataset load_graph(const GraphArguments& arguments);

struct SheafArguments {
  std::optional<double> charge;
  std::string maps_file;
  std::string kind;
  Normalisation normalisation = Normalisation::kNone;
  FixedDims fixed;
};
void add_sheaf_arguments(CLI::App& app, SheafArguments& arguments);
Sheaf load_sheaf(const SheafArguments& arguments, const DirectedGraph& graph);

/// --json
void add_json_argument(CLI::App& app, bool& json);
/// What --json prints; a byte of a file's name that is no UTF-8 becomes U+FFFD.
void print_json(const nlohmann::ordered_json& result);
/// -o; commands call check_output_path() on it before they start to work.
void add_output_argument(CLI::App& app, std::string& output, bool is_required, const char* help);

}  // namespace dsnn::cli
