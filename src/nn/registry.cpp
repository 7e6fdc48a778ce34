#include "dsnn/nn/model.h"
#include "dsnn/util/error.h"

#include "nn/costs.h"
#include "nn/defaults.h"
#include "nn/sheaf/models.h"
#include "util/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsnn::nn {

// The models of src/nn/baselines, one line each, in listing order. The function NAME_model() is
// defined in the file of the model.
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
  X(dirgnn)               \
  X(gatedgcn)             \
  X(dgcn)                 \
  X(digcn)                \
  X(sheafnn)

#define DSNN_DECLARE(name) ModelDefinition name##_model();
DSNN_BASELINES(DSNN_DECLARE)
#undef DSNN_DECLARE

namespace {

std::vector<ModelDefinition> make_definitions() {
  std::vector<ModelDefinition> definitions = sheaf_models();
#define DSNN_ADD(name) definitions.push_back(name##_model());
  DSNN_BASELINES(DSNN_ADD)
#undef DSNN_ADD
  for (ModelDefinition& definition : definitions) {
    set_chosen_defaults(definition.entry);
    set_measured_cost(definition.entry);
  }
  return definitions;
}

/// The definitions and, separately, their entries in the same order.
struct Registry {
  std::vector<ModelDefinition> definitions = make_definitions();
  std::vector<ModelEntry> entries;

  Registry() {
    for (const ModelDefinition& definition : definitions) entries.push_back(definition.entry);
  }
};

Registry& registry() {
  static Registry all;
  return all;
}

}  // namespace

void register_model(ModelDefinition definition) {
  Registry& all = registry();
  const std::string& name = definition.entry.name;
  if (std::ranges::find(all.entries, name, &ModelEntry::name) != all.entries.end()) {
    throw Error(fmt::format("register_model: model '{}' is registered already", name));
  }
  all.entries.push_back(definition.entry);
  all.definitions.push_back(std::move(definition));
}

const std::vector<ModelEntry>& model_registry() { return registry().entries; }

const ModelEntry& find_model(const std::string& name) {
  const auto& registry = model_registry();
  const auto found = std::ranges::find(registry, name, &ModelEntry::name);
  if (found != registry.end()) return *found;
  std::vector<std::string> names;
  for (const ModelEntry& entry : registry) names.push_back(entry.name);
  throw Error(fmt::format("unknown model '{}'{} ('dsnn models' lists all)", name,
                          did_you_mean(name, names)));
}

bool has_dropout(const Config& config) {
  return std::ranges::any_of(config.with_role(ParameterRole::kDropout),
                             [&](const std::string& name) { return config.number(name) > 0; });
}

std::unique_ptr<Model> make_model(const std::string& name, const Config& config,
                                  const ModelShape& shape, std::uint64_t seed) {
  const ModelEntry& entry = find_model(name);  // throws if there is none
  const auto definition = std::ranges::find(
      registry().definitions, name,
      [](const ModelDefinition& d) -> const std::string& { return d.entry.name; });
  const Config complete = config.parameters().empty() ? Config(entry.parameters) : config;
  Random random(seed);
  return definition->make({complete, shape, random});
}

}  // namespace dsnn::nn
