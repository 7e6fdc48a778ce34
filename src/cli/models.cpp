#include "dsnn/nn/model.h"
#include "dsnn/train/run_config.h"

#include "cli/arguments.h"
#include "cli/command.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <memory>

namespace dsnn::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Arguments {
  std::string name;
  bool json = false;
};

Json value_json(const ParameterValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json entry_json(const nn::ModelEntry& entry) {
  Json json = {{"name", entry.name},
               {"family", entry.family},
               {"title", entry.title},
               {"reference", entry.reference},
               {"year", entry.year},
               {"uses_direction", entry.uses_direction},
               {"learns_structure", entry.learns_structure}};
  if (entry.relative_cost > 0) json["relative_cost"] = entry.relative_cost;
  const Config config = default_config(entry.name);
  for (const Parameter& parameter : config.parameters()) {
    Json p = {{"name", parameter.name},
              {"default", value_json(parameter.default_value)},
              {"help", parameter.help}};
    if (!parameter.choices.empty()) p["choices"] = parameter.choices;
    if (std::isfinite(parameter.least)) p["least"] = parameter.least;
    if (std::isfinite(parameter.most)) p["most"] = parameter.most;
    json["parameters"].push_back(p);
  }
  return json;
}

const char* direction_text(const nn::ModelEntry& entry) {
  if (entry.uses_direction) return "uses arc directions";
  const bool may = std::ranges::any_of(entry.parameters,
                                       [](const Parameter& p) { return p.name == "directed"; });
  return may ? "ignores arc directions unless directed = true" : "ignores arc directions";
}

/// "1.5x"
std::string cost_text(const nn::ModelEntry& entry) {
  const double cost = entry.relative_cost;
  return cost > 0 ? fmt::format("{:.{}f}x", cost, cost < 10 ? 1 : 0) : "-";
}

void print_entry(const nn::ModelEntry& entry) {
  fmt::print("{}: {}\nfamily: {}\n{} ({})\n{}\n{}\n", entry.name, entry.title, entry.family,
             entry.reference, entry.year, direction_text(entry),
             entry.learns_structure ? "learns how neighbours are combined"
                                    : "combines neighbours as the graph says");
  if (entry.relative_cost > 0) {
    fmt::print("an epoch on cora takes {:.1f} times as long as one of gcn\n", entry.relative_cost);
  }
  if (!entry.needs_whole_graph.empty()) {
    fmt::print("not available on a graph in parts: {}\n", entry.needs_whole_graph);
  }
  fmt::print("\n");
  const Config config = default_config(entry.name);
  for (const Parameter& parameter : config.parameters()) {
    fmt::print("{:<22} {:<12} {}", parameter.name, to_text(parameter.default_value),
               parameter.help);
    if (!parameter.choices.empty()) fmt::print(" ({})", fmt::join(parameter.choices, ", "));
    fmt::print("\n");
  }
}

int run(const Arguments& arguments) {
  if (!arguments.name.empty()) {
    const nn::ModelEntry& entry = nn::find_model(arguments.name);
    arguments.json ? print_json(entry_json(entry)) : print_entry(entry);
    return 0;
  }
  Json all = Json::array();
  for (const nn::ModelEntry& entry : nn::model_registry()) all.push_back(entry_json(entry));
  if (arguments.json) {
    print_json(all);
    return 0;
  }
  constexpr const char* kRow = "{:<16} {:<12} {:<5} {:<10} {:<10} {:>6}  {}\n";
  fmt::print(kRow, "model", "family", "year", "direction", "structure", "cost", "");
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    fmt::print(kRow, entry.name, entry.family, entry.year, entry.uses_direction ? "yes" : "no",
               entry.learns_structure ? "learned" : "given", cost_text(entry), entry.title);
  }
  fmt::print(
      "Structure: whether the combination of neighbours is learned from features. Cost: of an "
      "epoch on "
      "cora,\nrelative to gcn, with the defaults.\n");
  fmt::print("'dsnn models NAME' shows the parameters of a model.\n");
  return 0;
}

}  // namespace

void add_models(Command& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command* command = app.add_subcommand("models", "List the models and their parameters");
  command->add_option("NAME", arguments->name, "Show the parameters of this model");
  add_json_argument(*command, arguments->json);
  command->footer(
      "Examples:\n"
      "  dsnn models\n"
      "  dsnn models diag-dsnn");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace dsnn::cli
