#pragma once

#include "dsnn/config/config.h"
#include "dsnn/engine/graph.h"
#include "dsnn/engine/program.h"
#include "dsnn/export.h"
#include "dsnn/nn/input.h"
#include "dsnn/nn/weights.h"
#include "dsnn/util/random.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dsnn::nn {

/// The program that a forward pass is appended to, and its purpose. Training and evaluation are two
/// programs of one model, which differ in dropout.
struct Pass {
  engine::Program& program;
  bool is_training = false;

  /// Names the output of a part of the model: "the input", "layer 1", ...
  void show(std::string part, engine::Value value) const { program.mark(value, std::move(part)); }
};

/// Sizes given by the data.
struct ModelShape {
  std::int64_t num_features = 0;
  std::int64_t num_classes = 0;  ///< of an encoder: the width of its real results
  /// Whether only encode() will be called: networks on complex features have no last linear map.
  bool is_encoder = false;
};

/// A network that computes a logit per node and class. The constructor creates the weights.
class DSNN_API Model {
 public:
  virtual ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Appends the network to the pass's program and returns the logits [n, classes].
  virtual engine::Value forward(const Input& input, const Pass& pass) const = 0;

  /// Appends the network up to the features of nodes that a decoder reads: [planes, n, any], of
  /// complex features in planes before the last linear map. Default: the result of forward(), [n,
  /// classes].
  virtual engine::Value encode(const Input& input, const Pass& pass) const;

  /// All learned weights.
  const Weights& weights() const { return weights_; }
  Weights& weights() { return weights_; }
  std::int64_t num_weights() const { return weights_.size(); }

 protected:
  Model() = default;

 private:
  Weights weights_;
};

/// The description of a model.
struct ModelEntry {
  std::string name;       ///< "diag-dsnn"
  std::string family;     ///< "DSNN"
  std::string title;      ///< one line
  std::string reference;  ///< the paper
  int year = 0;           ///< of the paper
  bool uses_direction = false;
  /// Whether it learns from features how neighbours are combined: restriction maps, attention,
  /// gates.
  bool learns_structure = false;
  std::vector<Parameter> parameters = {};  ///< of the model, not of training
  /// Training defaults that differ from those of other models: {"lr", 0.005}.
  std::vector<std::pair<std::string, ParameterValue>> training_defaults = {};
  /// Why it cannot be trained on a graph in parts, as the end of a sentence; empty: it can.
  std::string needs_whole_graph = {};
  /// The time of an epoch on cora with the defaults, relative to that of gcn; 0: not measured.
  double relative_cost = 0;
};

/// The arguments for constructing a model.
struct ModelSetup {
  const Config& config;
  ModelShape shape;
  Random& random;  ///< for the initial weights
};

/// The definition of a model.
struct ModelDefinition {
  ModelEntry entry;
  std::function<std::unique_ptr<Model>(const ModelSetup&)> make;
};

/// A factory for a Model that is constructed from a setup.
template <class T>
std::function<std::unique_ptr<Model>(const ModelSetup&)> maker() {
  return [](const ModelSetup& setup) { return std::make_unique<T>(setup); };
}

/// Adds a model to the registry; it can then be used by name like any other. Call it before other
/// threads use the registry; it invalidates references to entries. Throws Error if the name is
/// already registered.
DSNN_API void register_model(ModelDefinition definition);

/// All models, in listing order.
DSNN_API const std::vector<ModelEntry>& model_registry();
/// Throws Error with the closest name if the model is unknown.
DSNN_API const ModelEntry& find_model(const std::string& name);

/// Whether a model with this configuration uses dropout in training, i.e. has a dropout rate above
/// 0. Without dropout, training and evaluation passes give the same bits.
DSNN_API bool has_dropout(const Config& config);

/// A new model with weights drawn from the seed, the same on every machine. A configuration without
/// parameters means the model's defaults.
DSNN_API std::unique_ptr<Model> make_model(const std::string& name, const Config& config,
                                           const ModelShape& shape, std::uint64_t seed);

}  // namespace dsnn::nn
