#include "dsnn/nn/decoder.h"
#include "dsnn/nn/model.h"
#include "dsnn/train/run_config.h"
#include "dsnn/util/error.h"

#include "train/link_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dsnn {

std::vector<Parameter> training_parameters() {
  using I = std::int64_t;
  return {
      {"lr", 0.01, "Learning rate of Adam", {}, 0, 1000},
      {"weight_decay", 5e-4, "Weight decay", {}, 0, 1000},
      {"epochs", I{1000}, "Largest number of epochs", {}, 1, 1e9},
      {"patience",
       I{200},
       "Epochs without a better validation score before training stops",
       {},
       1,
       1e9},
      {"select_by",
       std::string("accuracy"),
       "Validation score that chooses the best epoch",
       {"accuracy", "loss"}},
      {"normalise_features",
       std::string("auto"),
       "Feature scaling: chosen per column, columns to mean 0 and deviation 1, rows to sum 1 "
       "(bags of words), none",
       {"auto", "standard", "rows", "none"}},
      {"degree_features",
       std::string("auto"),
       "Add the logarithms of out- and in-degree to the features: if those are few, always, never",
       {"auto", "yes", "no"}}};
}

TaskKind parse_task(const std::string& word) {
  if (word == "nodes") return TaskKind::kNodes;
  if (word == "links") return TaskKind::kLinks;
  throw Error(fmt::format("unknown task '{}', expected nodes or links", word));
}

TaskKind task_of(const Config& config) {
  const bool has_links = std::ranges::find(config.parameters(), "link_task", &Parameter::name) !=
                         config.parameters().end();
  return has_links ? TaskKind::kLinks : TaskKind::kNodes;
}

Config default_config(const std::string& model, TaskKind task) {
  const nn::ModelEntry& entry = nn::find_model(model);
  std::vector<Parameter> parameters = entry.parameters;
  if (task == TaskKind::kLinks) {
    std::ranges::move(link_parameters(), std::back_inserter(parameters));
    std::ranges::move(nn::decoder_parameters(), std::back_inserter(parameters));
  }
  for (Parameter parameter : training_parameters()) {
    for (const auto& [name, value] : entry.training_defaults) {
      if (name == parameter.name) parameter.default_value = value;
    }
    parameters.push_back(std::move(parameter));
  }
  return Config(std::move(parameters));
}

Config config_for(const std::string& model, const Config& config) {
  const Config defaults = default_config(model, task_of(config));
  if (config.parameters().empty()) return defaults;
  if (!std::ranges::equal(config.parameters(), defaults.parameters(), {}, &Parameter::name,
                          &Parameter::name)) {
    throw Error(
        fmt::format("the configuration does not fit the model {}, expected its {} parameters",
                    model, defaults.parameters().size()));
  }
  return config;
}

}  // namespace dsnn
