#include "nn/sheaf/options.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <map>
#include <string>

namespace dsnn::nn {
namespace {

const std::map<std::string, MapActivation> kMapActivations = {
    {"tanh", MapActivation::kTanh},
    {"elu", MapActivation::kElu},
    {"relu", MapActivation::kRelu},
    {"identity", MapActivation::kIdentity}};
const std::map<std::string, StalkActivation> kActivations = {{"relu", StalkActivation::kRelu},
                                                             {"elu", StalkActivation::kElu},
                                                             {"none", StalkActivation::kIdentity}};
const std::map<std::string, OrthogonalMethod> kOrthogonalMethods = {
    {"householder", OrthogonalMethod::kHouseholder},
    {"cayley", OrthogonalMethod::kCayley},
    {"matrix_exp", OrthogonalMethod::kMatrixExp},
    {"euler", OrthogonalMethod::kEuler}};
const std::map<std::string, Normalisation> kNormalisations = {
    {"augmented", Normalisation::kAugmented},
    {"exact", Normalisation::kExact},
    {"degree", Normalisation::kDegree}};

template <class T>
std::vector<std::string> words_of(const std::map<std::string, T>& map) {
  std::vector<std::string> words;
  for (const auto& [word, value] : map) words.push_back(word);
  return words;
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
      {"low_pass", false, "A further stalk dimension with fixed maps 1 and -1"},
      {"high_pass", false, "A further stalk dimension with fixed maps 1 and 1"},
      {"left_weights", true, "W1, which mixes stalk dimensions"},
      {"right_weights", true, "W2, which mixes channels"},
      {"separate_imag_weights", false, "W1 and W2 of their own for imaginary parts"},
      {"learner",
       std::string("full"),
       "What the learner of the maps sees of a node: all, or the "
       "sum over its stalk dimensions",
       {"full", "pooled"}},
      {"sheaf_act", std::string("tanh"), "Activation of the learner", words_of(kMapActivations)},
      {"orth_map", std::string("householder"), "How parameters become orthogonal maps",
       words_of(kOrthogonalMethods)},
      {"edge_weights", kind.family == MapFamily::kOrthogonal, "Learn a weight for each edge"},
      {"share_sheaf", false, "One sheaf for all layers"},
      {"normalise", std::string("augmented"), "Normalisation of the Laplacian",
       words_of(kNormalisations)},
      {"diagonal",
       std::string("keep"),
       "Diagonal blocks of the Laplacian in the diffusion",
       {"keep", "drop"}},
      {"imag_init",
       std::string("zero"),
       "Imaginary parts at the start: zero, or as the real parts",
       {"zero", "copy"}},
      {"activation", std::string("relu"), "Activation of a layer", words_of(kActivations)},
      {"input_act", std::string("elu"), "Activation of the embedded features",
       words_of(kActivations)},
      {"second_linear", false, "A second linear map of the embedded features"},
      {"input_dropout", 0.0, "Dropout on the features", {}, 0, 0.99},
      {"embed_dropout", 0.0, "Dropout on the embedded features", {}, 0, 0.99},
      {"dropout",
       0.3,
       "Dropout on the input of W1, and from layer 2 on of the learner",
       {},
       0,
       0.99},
      {"dropout_planes",
       std::string("separate"),
       "Whether real and imaginary part are left out "
       "each for itself or together",
       {"separate", "merged"}},
      {"sheaf_decay", 5e-4, "Weight decay of what learns the sheaf", {}, 0, 1000}};
  list.insert(list.end(), more.begin(), more.end());
  return list;
}

NetworkOptions::NetworkOptions(const SheafKind& sheaf, const Config& config) : kind(sheaf) {
  stalk_dim = config.integer("stalk_dim");
  channels = config.integer("channels");
  layers = config.integer("layers");
  if (kind.field == MapField::kPhase && !config.is_word("q")) charge = config.number("q");
  diffusion.family = kind.family;
  diffusion.normalisation = kNormalisations.at(config.word("normalise"));
  diffusion.fixed.low_pass = config.flag("low_pass");
  diffusion.fixed.high_pass = config.flag("high_pass");
  orthogonal_method = kOrthogonalMethods.at(config.word("orth_map"));
  map_activation = kMapActivations.at(config.word("sheaf_act"));
  activation = kActivations.at(config.word("activation"));
  input_activation = kActivations.at(config.word("input_act"));
  has_left_weights = config.flag("left_weights");
  has_right_weights = config.flag("right_weights");
  has_separate_imag_weights = config.flag("separate_imag_weights") && planes() == 2;
  has_edge_weights = config.flag("edge_weights");
  is_pooled = config.word("learner") == "pooled";
  shares_sheaf = config.flag("share_sheaf");
  keeps_diagonal = config.word("diagonal") == "keep";
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
