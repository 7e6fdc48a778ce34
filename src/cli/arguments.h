#pragma once

#include "dsnn/graph/directed_graph.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/sheaf.h"

#include "cli/command_line.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::cli {

// Options shared by several subcommands: declared, checked and turned into objects only here.

struct SheafArguments {
  std::optional<double> charge;
  std::string maps_file;
  std::string kind;
  Normalisation normalisation = Normalisation::kNone;
  FixedDims fixed;
};
void add_sheaf_arguments(Command& app, SheafArguments& arguments);
Sheaf load_sheaf(const SheafArguments& arguments, const DirectedGraph& graph);

/// Reads a decimal integer; any other text is refused with the option's name.
template <class T>
void parse_integer(const std::string& name, const std::string& text, T least, T most, T& value);

/// An option that takes a decimal integer from `least` to `most`. (CLI11 alone reads 010 as eight
/// and clamps values that are too large.)
template <class T>
Option* add_integer(Command& app, const std::string& name, T& target, const char* help, T least,
                    T most = std::numeric_limits<T>::max());

/// A seed that fits into a configuration: TOML integers are signed.
std::uint64_t parse_seed(const std::string& text, const std::string& option = "--seed");

/// Split numbers from text such as "0-4,7": ascending, without duplicates.
std::vector<int> parse_splits(const std::string& text);

/// --data-dir: a folder to read datasets from.
void add_data_dir_argument(Command& app, std::string& folder);

/// --json
void add_json_argument(Command& app, bool& json);
void add_device_argument(Command& app, std::string& device);
/// Prints the result for --json; bytes that are not UTF-8 (in file names) become U+FFFD.
void print_json(const nlohmann::ordered_json& result);
/// -o; commands pass it to check_output() before they start working.
void add_output_argument(Command& app, std::string& output, bool is_required, const char* help);

/// A CSV field, quoted where necessary.
std::string csv_field(const std::string& text);

/// Throws Error if the output cannot be written or is one of the inputs.
void check_output(const std::string& output, const std::vector<std::string>& inputs);

/// "90s", "30m", "2h", in seconds.
double parse_duration(const std::string& option, const std::string& text);

}  // namespace dsnn::cli
