#include "fit/candidates.h"

#include "dsnn/train/run_config.h"
#include "dsnn/util/random.h"

#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace dsnn {
namespace {

/// One configuration per kind of model: with and without directions, shallow and deep, with and
/// without the graph.
struct Kind {
  const char* model;
  std::vector<const char*> settings;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"dirgnn", {}},
      {"magnet", {}},
      {"diag-dsnn", {}},
      {"gcn", {}},
      {"mlp", {}},
      {"sage", {}},
      {"orth-dsnn", {}},
      {"gen-dsnn", {"layers=3", "low_pass=true", "q=0.1"}},
      {"diag-nsd", {}},
      {"gcnii", {}},
      {"dirgnn", {"conv=gcn", "jk=max", "dropout=0"}},
      {"magnet", {"order=1", "layers=2", "q=0.15"}},
      {"gprgnn", {}},
      {"diag-dsnn", {"layers=2", "diagonal=keep"}},
      {"sigmanet", {}},
      {"fagcn", {}},
      {"gen-nsd", {}},
      {"mlp", {"dropout=0.6", "weight_decay=0.005"}},
  };
  static_assert(kBracket == 18);
  return all;
}

/// Values to try if a model has the parameter.
struct Range {
  const char* parameter;
  std::vector<const char*> values;
};

const std::vector<Range>& ranges() {
  static const std::vector<Range> all = {
      {"layers", {"1", "2", "3", "4", "5"}},
      {"channels", {"16", "32", "64", "128"}},
      {"dropout", {"0", "0.2", "0.4", "0.6"}},
      {"lr", {"0.003", "0.01", "0.03"}},
      {"weight_decay", {"0", "5e-5", "5e-4", "5e-3"}},
      {"stalk_dim", {"2", "3", "4"}},
      {"diagonal", {"keep", "drop"}},
      {"low_pass", {"true", "false"}},
      {"high_pass", {"true", "false"}},
      {"q", {"0.05", "0.1", "0.15", "0.2", "0.25"}},
      {"order", {"1", "2", "3"}},
      {"conv", {"gcn", "sage"}},
      {"jk", {"cat", "max"}},
  };
  return all;
}

bool has_parameter(const Config& config, std::string_view name) {
  return std::ranges::any_of(config.parameters(),
                             [&](const Parameter& p) { return p.name == name; });
}

/// Each parameter is redrawn with this probability.
void draw(Config& config, double probability, Random& random) {
  for (const Range& range : ranges()) {
    // Always drawn, so that later draws do not depend on the model.
    const bool is_drawn = random.uniform() < probability;
    const char* value = range.values[random.below(range.values.size())];
    if (!is_drawn || !has_parameter(config, range.parameter)) continue;
    const auto parameter =
        std::ranges::find(config.parameters(), std::string(range.parameter), &Parameter::name);
    // A model may allow fewer words for a parameter than other models.
    const bool is_word = std::holds_alternative<std::string>(parameter->default_value);
    if (is_word && std::ranges::find(parameter->choices, value) == parameter->choices.end()) {
      continue;
    }
    config.set_text(fmt::format("{}={}", range.parameter, value));
  }
}

std::string changes_of(const std::string& model, const Config& config) {
  const Config defaults = default_config(model);
  std::string text;
  for (const Parameter& parameter : config.parameters()) {
    if (parameter.name == "epochs" || parameter.name == "patience") continue;
    if (config.value(parameter.name) == defaults.value(parameter.name)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", parameter.name,
                        to_text(config.value(parameter.name)));
  }
  return text;
}

}  // namespace

FitTrial make_candidate(std::int64_t number, const FitOptions& options,
                        const std::vector<FitTrial>& best) {
  constexpr std::size_t kParents = 6;
  const std::uint64_t step = 0x9e3779b97f4a7c15;  // spreads the seeds
  Random random(options.seed + step * (static_cast<std::uint64_t>(number) + 1));
  FitTrial trial;
  trial.number = number;
  trial.seed = options.seed + static_cast<std::uint64_t>(number);
  const Kind& kind = kinds()[at(number % kBracket)];
  trial.model = kind.model;
  trial.config = default_config(trial.model);
  for (const char* setting : kind.settings) trial.config.set_text(setting);
  if (number >= kBracket && number % 2 == 1 && !best.empty()) {
    const FitTrial& parent = best[random.below(std::min(best.size(), kParents))];
    trial.model = parent.model;
    trial.config = parent.config;
    draw(trial.config, 0.3, random);
  } else if (number >= kBracket) {
    draw(trial.config, 0.6, random);
  }
  for (const std::string& setting : options.settings) trial.config.set_text(setting);
  trial.config.set("epochs", kFitEpochs);
  trial.config.set("patience", kFitPatience);
  trial.changes = changes_of(trial.model, trial.config);
  return trial;
}

}  // namespace dsnn
