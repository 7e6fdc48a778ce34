#include "dsnn/verify/theorems.h"

#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/graph_arguments.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace dsnn::cli {
namespace {

struct Arguments {
  GraphArguments graph;
  TheoremOptions theorems;
  bool json = false;
};

void print_json(const std::vector<Claim>& claims, bool passed) {
  nlohmann::ordered_json result = {{"passed", passed}, {"claims", nlohmann::ordered_json::array()}};
  for (const Claim& claim : claims) {
    result["claims"].push_back({{"label", claim.label},
                                {"statement", claim.statement},
                                {"deviation", claim.deviation},
                                {"tolerance", claim.tolerance},
                                {"passed", claim.passed()}});
  }
  cli::print_json(result);
}

void print_text(const std::vector<Claim>& claims) {
  std::size_t width = 0;
  for (const Claim& claim : claims) width = std::max(width, claim.statement.size());
  fmt::print("{:<10} {:<{}}  {:>9}\n", "", "claim", width, "deviation");
  for (const Claim& claim : claims) {
    fmt::print("{:<10} {:<{}}  {:>9.1e}  {}\n", claim.label, claim.statement, width,
               claim.deviation, claim.passed() ? "pass" : "FAIL");
  }
}

int run(const Arguments& arguments) {
  const Dataset dataset = load_graph(arguments.graph);
  const std::vector<Claim> claims = check_theorems(dataset.graph, arguments.theorems);
  const bool passed =
      std::all_of(claims.begin(), claims.end(), [](const Claim& c) { return c.passed(); });
  if (arguments.json) {
    print_json(claims, passed);
  } else {
    print_text(claims);
  }
  return passed ? 0 : 1;
}

}  // namespace

void add_verify(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = app.add_subcommand(
      "verify", "Check the theorems about the Laplacian on a graph, numerically");
  add_graph_arguments(*command, arguments->graph);
  add_integer(*command, "--d", arguments->theorems.stalk_dim,
              "Stalk dimension of the random sheaves (default: 3)", 1, 64);
  add_integer(*command, "--trials", arguments->theorems.num_trials,
              "Number of random sheaves; families and fields alternate (default: 9)", 1, 1'000'000);
  add_integer(*command, "--seed", arguments->theorems.seed, "Seed of the sheaves (default: 0)",
              std::uint64_t{0});
  add_json_argument(*command, arguments->json);
  command->footer(
      "Prints the largest deviation from each claim. The exit code is 1 if a claim fails.\n"
      "Examples:\n"
      "  dsnn verify edges.txt\n"
      "  dsnn verify graph.npz --d 4 --trials 18");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
