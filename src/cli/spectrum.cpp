#include "dsnn/data/npz.h"
#include "dsnn/spectral/eigenpairs.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace dsnn::cli {
namespace {

struct Arguments {
  GraphArguments graph;
  SheafArguments sheaf;
  EigenOptions eigen;
  std::string which = "both";
  std::string output;
  bool json = false;
};

/// Reverses the pairs, which come from the end of the spectrum inwards, to ascending order.
void reverse_pairs(Eigenpairs& pairs, std::int64_t size) {
  std::reverse(pairs.values.begin(), pairs.values.end());
  std::reverse(pairs.residuals.begin(), pairs.residuals.end());
  std::vector<Complex> vectors;
  vectors.reserve(pairs.vectors.size());
  for (auto row = pairs.vectors.end(); row != pairs.vectors.begin();) {
    row -= size;
    vectors.insert(vectors.end(), row, row + size);
  }
  pairs.vectors = std::move(vectors);
}

/// The wanted pairs by ascending eigenvalue.
Eigenpairs compute(const LaplacianOperator& laplacian, const Arguments& arguments) {
  EigenOptions options = arguments.eigen;
  const bool is_whole =
      arguments.which == "both" && 2 * std::int64_t{options.count} >= laplacian.size();
  if (is_whole) options.count = static_cast<int>(laplacian.size());
  Eigenpairs pairs;
  if (arguments.which != "largest" && laplacian.size() > 0) {
    options.end = SpectrumEnd::kSmallest;
    pairs = extremal_eigenpairs(laplacian, options);
  }
  if (arguments.which != "smallest" && !is_whole) {
    options.end = SpectrumEnd::kLargest;
    Eigenpairs largest = extremal_eigenpairs(laplacian, options);
    reverse_pairs(largest, laplacian.size());
    pairs.values.insert(pairs.values.end(), largest.values.begin(), largest.values.end());
    pairs.residuals.insert(pairs.residuals.end(), largest.residuals.begin(),
                           largest.residuals.end());
    pairs.vectors.insert(pairs.vectors.end(), largest.vectors.begin(), largest.vectors.end());
    pairs.num_products += largest.num_products;
    pairs.is_dense |= largest.is_dense;
  }
  return pairs;
}

void save(const std::string& path, const Eigenpairs& pairs, const Sheaf& sheaf,
          const Dataset& dataset) {
  const auto count = static_cast<std::int64_t>(pairs.values.size());
  NpzWriter writer(path);
  writer.add<double>("eigenvalues", {count}, pairs.values);
  writer.add<double>("residuals", {count}, pairs.residuals);
  writer.add<Complex>("eigenvectors", {count, sheaf.graph().num_nodes(), sheaf.stalk_dim()},
                      pairs.vectors);
  if (!dataset.node_ids.empty()) writer.add_strings("node_ids", dataset.node_ids);
  writer.commit();
}

void print_json(const Eigenpairs& pairs, const LaplacianOperator& laplacian) {
  const nlohmann::ordered_json result = {{"size", laplacian.size()},
                                         {"eigenvalues", pairs.values},
                                         {"residuals", pairs.residuals},
                                         {"method", pairs.is_dense ? "dense" : "lanczos"},
                                         {"products", pairs.num_products}};
  cli::print_json(result);
}

void print_text(const Eigenpairs& pairs, const LaplacianOperator& laplacian) {
  fmt::print("{:>20}  {:>9}\n", "eigenvalue", "residual");
  for (std::size_t i = 0; i < pairs.values.size(); ++i) {
    // Print 0 for rounding noise such as -1e-17, and for values below their own residual.
    constexpr double kRounding = 8 * std::numeric_limits<double>::epsilon();
    const double error = std::max(kRounding * laplacian.upper_bound(), pairs.residuals[i]);
    const bool is_zero = std::abs(pairs.values[i]) <= error;
    fmt::print("{:>#20.12g}  {:>9.1e}\n", is_zero ? 0 : pairs.values[i], pairs.residuals[i]);
  }
  fmt::print("operator of size {}, {} ({} products)\n", laplacian.size(),
             pairs.is_dense ? "solved as a dense matrix" : "Lanczos", pairs.num_products);
}

int run(const Arguments& arguments) {
  if (!arguments.output.empty()) {
    std::vector<std::string> inputs = input_files(arguments.graph);
    inputs.push_back(arguments.sheaf.maps_file);
    check_output(arguments.output, inputs);
    NpzWriter::check_path(arguments.output);
  }
  const Dataset dataset = load_graph(arguments.graph);
  const Sheaf sheaf = load_sheaf(arguments.sheaf, dataset.graph);
  const LaplacianOperator laplacian(sheaf, arguments.sheaf.normalisation);
  const Eigenpairs pairs = compute(laplacian, arguments);
  if (!arguments.output.empty()) save(arguments.output, pairs, sheaf, dataset);
  if (arguments.json) {
    print_json(pairs, laplacian);
  } else {
    print_text(pairs, laplacian);
  }
  return 0;
}

}  // namespace

void add_spectrum(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command =
      app.add_subcommand("spectrum", "Compute eigenvalues at the ends of a Laplacian's spectrum");
  add_graph_arguments(*command, arguments->graph);
  add_sheaf_arguments(*command, arguments->sheaf);
  add_integer(*command, "-k,--count", arguments->eigen.count,
              "Number of eigenvalues at each end (default: 6)", 1);
  command->add_option("--which", arguments->which, "Which end (default: both)")
      ->one_of({"smallest", "largest", "both"});
  command->add_option("--tolerance", arguments->eigen.tolerance,
                      "Largest residual, relative to the operator's upper bound (default: 1e-10)");
  add_output_argument(
      *command, arguments->output, false,
      "Save eigenvalues [k], residuals [k], eigenvectors [k, n, d], and node_ids [n] if nodes have "
      "names, as .npz");
  add_json_argument(*command, arguments->json);
  command->footer(
      "Examples:\n"
      "  dsnn spectrum edges.txt --normalise exact\n"
      "  dsnn spectrum graph.npz --sheaf magnetic --q 0.1 -k 10 --which smallest -o eigen.npz\n"
      "  dsnn spectrum graph.npz --json");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
