#include "dsnn/nn/model.h"
#include "dsnn/util/error.h"

#include "nn/definition.h"
#include "nn/sheaf/models.h"
#include "nn/weights.h"
#include "util/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dsnn::nn {

// The models of src/nn/baselines, one line each, in the order in which they are listed. The
// function NAME_model() stands in the file of the model.
#define DSNN_BASELINES(X) \
  X(mlp)                  \
  X(gcn)                  \
  X(gat)                  \
  X(sage)                 \
  X(sgc)                  \
  X(gcnii)                \
  X(mixhop)               \
  X(geomgcn)              \
  X(h2gcn)                \
  X(fagcn)                \
  X(gprgnn)               \
  X(ggcn)                 \
  X(magnet)               \
  X(sigmanet)             \
  X(dirgnn)

#define DSNN_DECLARE(name) ModelDefinition name##_model();
DSNN_BASELINES(DSNN_DECLARE)
#undef DSNN_DECLARE

namespace {

/// Parameters of training, which every model has.
std::vector<Parameter> training_parameters() {
  using I = std::int64_t;
  return {{"lr", 0.01, "Learning rate of Adam", {}, 0, 1000},
          {"weight_decay", 5e-4, "Weight decay", {}, 0, 1000},
          {"epochs", I{1000}, "Epochs at most", {}, 1, 1e9},
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
           "Rows of features to sums of 1, after their "
           "smallest number is subtracted: as is usual for a known dataset, always, never",
           {"auto", "rows", "none"}}};
}

std::vector<ModelDefinition> make_definitions() {
  std::vector<ModelDefinition> definitions = sheaf_models();
#define DSNN_ADD(name) definitions.push_back(name##_model());
  DSNN_BASELINES(DSNN_ADD)
#undef DSNN_ADD
  for (ModelDefinition& definition : definitions) {
    std::vector<Parameter> training = training_parameters();
    for (const auto& [name, value] : definition.training_defaults) {
      std::ranges::find(training, name, &Parameter::name)->default_value = value;
    }
    std::ranges::move(training, std::back_inserter(definition.entry.parameters));
  }
  return definitions;
}

const std::vector<ModelDefinition>& definitions() {
  static const std::vector<ModelDefinition> all = make_definitions();
  return all;
}

}  // namespace

const std::vector<ModelEntry>& model_registry() {
  static const std::vector<ModelEntry> registry = [] {
    std::vector<ModelEntry> entries;
    for (const ModelDefinition& definition : definitions()) entries.push_back(definition.entry);
    return entries;
  }();
  return registry;
}

const ModelEntry& find_model(const std::string& name) {
  const auto& registry = model_registry();
  const auto found = std::ranges::find(registry, name, &ModelEntry::name);
  if (found != registry.end()) return *found;
  std::vector<std::string> names;
  for (const ModelEntry& entry : registry) names.push_back(entry.name);
  throw Error(
      fmt::format("'{}' is no model{} ('dsnn models' lists all)", name, did_you_mean(name, names)));
}

Config config_for(const std::string& model, const Config& config) {
  const std::vector<Parameter>& parameters = find_model(model).parameters;
  if (config.parameters().empty()) return Config(parameters);
  if (!std::ranges::equal(config.parameters(), parameters, {}, &Parameter::name,
                          &Parameter::name)) {
    throw Error(fmt::format("the configuration is not one of {}, expected its {} parameters", model,
                            parameters.size()));
  }
  return config;
}

bool has_dropout(const Config& config) {
  return std::ranges::any_of(config.parameters(), [&](const Parameter& parameter) {
    const bool is_rate = parameter.name.ends_with("dropout") || parameter.name == "dprate";
    return is_rate && config.number(parameter.name) > 0;
  });
}

std::unique_ptr<Model> make_model(const std::string& name, const Config& config,
                                  const ModelShape& shape, std::uint64_t seed,
                                  bool double_precision) {
  find_model(name);  // throws if there is none
  const auto definition = std::ranges::find(
      definitions(), name,
      [](const ModelDefinition& d) -> const std::string& { return d.entry.name; });
  Random random(seed);
  const at::ScalarType dtype = double_precision ? at::kDouble : at::kFloat;
  const Config complete = config_for(name, config);
  std::unique_ptr<Model> model = definition->make({complete, shape, dtype, random});
  model->weights().finish(dtype);
  return model;
}

}  // namespace dsnn::nn
