#include "nn/sheaf/models.h"

#include "nn/sheaf/network.h"

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

struct Family {
  const char* prefix;
  const char* real_maps;
  const char* complex_maps;
  MapFamily family;
};
constexpr Family kFamilies[] = {
    {"diag", "diagonal maps", "complex diagonal maps", MapFamily::kDiagonal},
    {"orth", "orthogonal maps", "unitary maps", MapFamily::kOrthogonal},
    {"gen", "general maps", "complex general maps", MapFamily::kGeneral}};

struct Field {
  const char* suffix;
  const char* name;
  const char* title;
  const char* reference;
  int year;
  MapField field;
};
constexpr Field kFields[] = {
    {"dsnn", "DSNN", "Directed sheaf network", "Sheaves Reloaded: A Directional Awakening", 2025,
     MapField::kPhase},
    {"nsd", "NSD", "Neural sheaf diffusion", "Bodnar et al., Neural Sheaf Diffusion", 2022,
     MapField::kReal},
    {"nsd-compl", "NSD-Compl", "Sheaf diffusion", "Sheaves Reloaded: A Directional Awakening", 2025,
     MapField::kComplex}};

/// Networks with features on edges.
struct EdgeModel {
  const char* name;
  const char* title;
  const char* reference;
  int year;
  MapFamily family;
  Propagation propagation;
};
constexpr EdgeModel kEdgeModels[] = {
    {"sheafan", "Sheaf attention, orthogonal maps", "Barbero et al., Sheaf Attention Networks",
     2022, MapFamily::kOrthogonal, Propagation::kAttention},
    {"nlsd", "Non-linear sheaf diffusion", "Zaghen et al., Sheaf Diffusion Goes Nonlinear", 2024,
     MapFamily::kDiagonal, Propagation::kNonlinear}};

}  // namespace

std::vector<ModelDefinition> sheaf_models() {
  std::vector<ModelDefinition> models;
  for (const Field& field : kFields) {
    for (const Family& family : kFamilies) {
      const SheafKind kind = {family.family, field.field};
      const bool is_complex = field.field == MapField::kComplex;
      models.push_back(
          {{.name = fmt::format("{}-{}", family.prefix, field.suffix),
            .family = field.name,
            .title = fmt::format("{}, {}", field.title,
                                 is_complex ? family.complex_maps : family.real_maps),
            .reference = field.reference,
            .year = field.year,
            .uses_direction = field.field == MapField::kPhase,
            .learns_structure = true,
            .parameters = sheaf_parameters(kind)},
           [kind](const ModelSetup& setup) { return make_sheaf_network(kind, setup); }});
    }
  }
  for (const EdgeModel& model : kEdgeModels) {
    for (const MapField field : {MapField::kReal, MapField::kPhase}) {
      const SheafKind kind = {model.family, field, model.propagation};
      const bool has_phase = field == MapField::kPhase;
      models.push_back(
          {{.name = fmt::format("{}{}", model.name, has_phase ? "-phase" : ""),
            .family = "sheaf",
            .title = fmt::format("{}{}", model.title, has_phase ? ", with a phase" : ""),
            .reference = model.reference,
            .year = model.year,
            .uses_direction = has_phase,
            .learns_structure = true,
            .parameters = sheaf_parameters(kind),
            .needs_whole_graph = "it has features on edges"},
           [kind](const ModelSetup& setup) { return make_sheaf_network(kind, setup); }});
    }
  }
  return models;
}

}  // namespace dsnn::nn
