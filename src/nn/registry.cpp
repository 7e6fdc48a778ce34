#include "dsnn/nn/model.h"
#include "dsnn/util/error.h"

#include "nn/sheaf/network.h"
#include "util/suggest.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsnn::nn {
namespace {

/// Parameters of training, which every model has.
std::vector<Parameter> training_parameters() {
  using I = std::int64_t;
  return {{"lr", 0.01, "Learning rate of Adam", {}, 0, 1000},
          {"weight_decay", 5e-4, "Weight decay of all weights but the sheaf's", {}, 0, 1000},
          {"sheaf_decay", 5e-4, "Weight decay of what learns the sheaf", {}, 0, 1000},
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

struct SheafModel {
  const char* name;
  const char* family;
  const char* title;
  SheafKind kind;
};

constexpr SheafModel kSheafModels[] = {
    {"diag-dsnn",
     "DSNN",
     "Directed sheaf network, diagonal maps",
     {MapFamily::kDiagonal, MapField::kPhase}},
    {"orth-dsnn",
     "DSNN",
     "Directed sheaf network, orthogonal maps",
     {MapFamily::kOrthogonal, MapField::kPhase}},
    {"gen-dsnn",
     "DSNN",
     "Directed sheaf network, general maps",
     {MapFamily::kGeneral, MapField::kPhase}},
    {"diag-nsd",
     "NSD",
     "Neural sheaf diffusion, diagonal maps",
     {MapFamily::kDiagonal, MapField::kReal}},
    {"orth-nsd",
     "NSD",
     "Neural sheaf diffusion, orthogonal maps",
     {MapFamily::kOrthogonal, MapField::kReal}},
    {"gen-nsd",
     "NSD",
     "Neural sheaf diffusion, general maps",
     {MapFamily::kGeneral, MapField::kReal}},
    {"diag-nsd-compl",
     "NSD-Compl",
     "Sheaf diffusion with complex diagonal maps",
     {MapFamily::kDiagonal, MapField::kComplex}},
    {"orth-nsd-compl",
     "NSD-Compl",
     "Sheaf diffusion with unitary maps",
     {MapFamily::kOrthogonal, MapField::kComplex}},
    {"gen-nsd-compl",
     "NSD-Compl",
     "Sheaf diffusion with complex general maps",
     {MapFamily::kGeneral, MapField::kComplex}},
};

std::vector<ModelEntry> make_registry() {
  std::vector<ModelEntry> entries;
  for (const SheafModel& model : kSheafModels) {
    ModelEntry entry;
    entry.name = model.name;
    entry.family = model.family;
    entry.title = model.title;
    const bool is_directed = model.kind.field == MapField::kPhase;
    entry.reference = model.kind.field == MapField::kReal
                          ? "Bodnar et al., Neural Sheaf Diffusion (2022)"
                          : "Sheaves Reloaded: A Directional Awakening";
    entry.uses_direction = is_directed;
    entry.parameters = sheaf_parameters(model.kind);
    const std::vector<Parameter> training = training_parameters();
    entry.parameters.insert(entry.parameters.end(), training.begin(), training.end());
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace

const std::vector<ModelEntry>& model_registry() {
  static const std::vector<ModelEntry> registry = make_registry();
  return registry;
}

const ModelEntry& find_model(const std::string& name) {
  const auto& registry = model_registry();
  const auto found = std::ranges::find(registry, name, &ModelEntry::name);
  if (found != registry.end()) return *found;
  std::vector<std::string> names;
  for (const ModelEntry& entry : registry) names.push_back(entry.name);
  const std::string suggestion = nearest(name, names);
  throw Error(
      fmt::format("'{}' is no model{} ('dsnn models' lists all)", name,
                  suggestion.empty() ? "" : fmt::format("; did you mean '{}'?", suggestion)));
}

std::unique_ptr<Model> make_model(const std::string& name, const Config& config,
                                  const ModelShape& shape, std::uint64_t seed,
                                  bool double_precision) {
  find_model(name);
  const auto* model = std::ranges::find(kSheafModels, name, &SheafModel::name);
  return make_sheaf_network(model->kind, config, shape, seed, double_precision);
}

}  // namespace dsnn::nn
