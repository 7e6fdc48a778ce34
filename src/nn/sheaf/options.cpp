#include "nn/sheaf/options.h"

#include "dsnn/nn/layers.h"
#include "dsnn/sheaf/names.h"
#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace dsnn::nn {
namespace {

/// The enum value of a parameter whose value is a name.
template <class Enum>
Enum choice(const Config& config, const char* parameter) {
  return value_of_name<Enum>(config.word(parameter), Enum{});
}

bool has(const Config& config, const std::string& name) {
  return std::ranges::find(config.parameters(), name, &Parameter::name) !=
         config.parameters().end();
}

/// A switch that only some kinds of network have.
bool flag(const Config& config, const char* name) { return has(config, name) && config.flag(name); }

/// Normalisations of a layer: L itself would grow with the degrees.
std::vector<std::string> normalisation_names() {
  std::vector<std::string> names = all_names<Normalisation>();
  std::erase(names, name_of(Normalisation::kNone));
  return names;
}

MapSource source_of(const std::string& maps) {
  if (maps == "identity") return MapSource::kIdentity;
  return maps == "random" ? MapSource::kRandom : MapSource::kLearned;
}

/// Removes what networks with features on edges do not have, and adds the family.
void keep_those_along_edges(std::vector<Parameter>& list, const SheafKind& kind) {
  const bool is_attention = kind.propagation == Propagation::kAttention;
  std::erase_if(list, [&](const Parameter& p) {
    const bool is_of_laplacian =
        p.name == "order" || p.name == "low_pass" || p.name == "high_pass" || p.name == "diagonal";
    const bool is_of_scaling = p.name == "normalise" || p.name == "edge_weights";
    return is_of_laplacian || (is_attention && is_of_scaling);
  });
  for (Parameter& p : list) {
    if (p.name == "q") p.choices.clear();  // not learned
    if (p.name == "maps") p.choices = {"learned", "random"};
    if (p.name == "activation") p.default_value = std::string("elu");
  }
  if (is_attention) return;
  list.insert(list.begin(), {"family",
                             std::string("diag"),
                             "Restriction maps: diagonal, orthogonal or general",
                             {"diag", "orth", "gen"}});
}

MapFamily family_of(const std::string& name) {
  if (name == "diag") return MapFamily::kDiagonal;
  return name == "orth" ? MapFamily::kOrthogonal : MapFamily::kGeneral;
}

}  // namespace

std::vector<Parameter> sheaf_parameters(const SheafKind& kind) {
  using I = std::int64_t;
  std::vector<Parameter> list = {
      {"stalk_dim", I{3}, "Dimension d of the learned stalks", {}, 1, 64},
      {"channels", I{32}, "Channels f: a node has d x f features", {}, 1, 65536},
      {"layers", I{2}, "Layers of diffusion", {}, 1, 1000}};
  if (kind.field == MapField::kPhase) {
    list.push_back({"q", 0.25, "Charge: a one-way edge has the phase exp(2 pi i q)", {"learn"}});
  }
  const std::vector<Parameter> more = {
      {"maps",
       std::string("learned"),
       "Restriction maps: learned, by a learner whose weights stay random, or all identities",
       {"learned", "random", "identity"}},
      {"order", I{1}, "Degree K of a layer's polynomial of the Laplacian", {}, 1, 100},
      {"low_pass", false, "Add a stalk dimension with fixed maps 1 and -1"},
      {"high_pass", false, "Add a stalk dimension with fixed maps 1 and 1"},
      {"left_weights", true, "Use W1, which mixes stalk dimensions"},
      {"right_weights", true, "Use W2, which mixes channels"},
      {"separate_imag_weights", false, "Separate W1 and W2 for imaginary parts"},
      {"learner",
       std::string("full"),
       "Node features seen by the learner of the maps: all, or the "
       "sum over stalk dimensions",
       {"full", "pooled"}},
      {"sheaf_act", std::string("tanh"), "Activation of the learner", all_names<MapActivation>()},
      {"orth_map", std::string("householder"), "Parametrisation of orthogonal maps",
       all_names<OrthogonalMethod>()},
      {"edge_weights", kind.family == MapFamily::kOrthogonal, "Learn a weight for each edge"},
      {"share_sheaf", false, "Share one sheaf between all layers"},
      {"normalise", std::string("augmented"), "Normalisation of the Laplacian",
       normalisation_names()},
      {"diagonal",
       std::string("keep"),
       "Diagonal blocks of the Laplacian in the diffusion",
       {"keep", "drop"}},
      {"imag_init",
       std::string("zero"),
       "Initial imaginary parts: zero, or a copy of the real parts",
       {"zero", "copy"}},
      {"activation", std::string("relu"), "Activation of a layer", all_names<StalkActivation>()},
      {"input_act", std::string("elu"), "Activation of the embedded features",
       all_names<StalkActivation>()},
      {"second_linear", false, "Apply a second linear map to the embedded features"},
      dropout_parameter("input_dropout", 0, "Dropout on the features"),
      dropout_parameter("embed_dropout", 0, "Dropout on the embedded features"),
      dropout_parameter("dropout", 0.3,
                        "Dropout on the input of W1 and, from layer 2 on, of the learner"),
      {"dropout_planes",
       std::string("separate"),
       "Drop real and imaginary parts independently or "
       "together",
       {"separate", "merged"}},
      {"sheaf_decay",
       5e-4,
       "Weight decay of the sheaf learner",
       {},
       0,
       1000,
       ParameterRole::kSheafDecay}};
  list.insert(list.end(), more.begin(), more.end());
  if (kind.propagation != Propagation::kDiffusion) keep_those_along_edges(list, kind);
  return list;
}

NetworkOptions::NetworkOptions(const SheafKind& sheaf, const Config& config) : kind(sheaf) {
  stalk_dim = config.integer("stalk_dim");
  channels = config.integer("channels");
  layers = config.integer("layers");
  if (has(config, "family")) kind.family = family_of(config.word("family"));
  order = has(config, "order") ? config.integer("order") : 1;
  map_source = source_of(config.word("maps"));
  if (kind.field == MapField::kPhase && !config.is_word("q")) charge = config.number("q");
  diffusion.family = kind.family;
  if (has(config, "normalise")) {
    diffusion.normalisation = choice<Normalisation>(config, "normalise");
  }
  diffusion.fixed.low_pass = flag(config, "low_pass");
  diffusion.fixed.high_pass = flag(config, "high_pass");
  orthogonal_method = choice<OrthogonalMethod>(config, "orth_map");
  map_activation = choice<MapActivation>(config, "sheaf_act");
  activation = choice<StalkActivation>(config, "activation");
  input_activation = choice<StalkActivation>(config, "input_act");
  has_left_weights = config.flag("left_weights");
  has_right_weights = config.flag("right_weights");
  has_separate_imag_weights = config.flag("separate_imag_weights") && planes() == 2;
  has_edge_weights = flag(config, "edge_weights");
  is_pooled = config.word("learner") == "pooled";
  shares_sheaf = config.flag("share_sheaf");
  keeps_diagonal = !has(config, "diagonal") || config.word("diagonal") == "keep";
  copies_imag = config.word("imag_init") == "copy";
  has_second_linear = config.flag("second_linear");
  merges_dropout_planes = config.word("dropout_planes") == "merged";
  input_dropout = config.number("input_dropout");
  embed_dropout = config.number("embed_dropout");
  dropout = config.number("dropout");
  if (kind.family == MapFamily::kOrthogonal && orthogonal_method == OrthogonalMethod::kEuler &&
      stalk_dim > 3) {
    throw Error(fmt::format("stalk_dim is {}, expected 1 to 3 with orth_map euler", stalk_dim));
  }
}

}  // namespace dsnn::nn
