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

/// What a forward pass is written into, and what for. Training and evaluation are two programs of
/// one model, which differ by dropout.
struct Pass {
  engine::Program& program;
  bool is_training = false;

  /// Names what comes out of a part of the model: "the input", "layer 1", ...
  void show(std::string part, engine::Value value) const { program.mark(value, std::move(part)); }
};

/// Sizes that come from the data.
struct ModelShape {
  std::int64_t num_features = 0;
  std::int64_t num_classes = 0;
};

/// A network that gives every node a number for each class. Its constructor makes the weights.
class DSNN_API Model {
 public:
  virtual ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Appends the network to the pass's program and returns the logits [n, classes].
  virtual engine::Value forward(const Input& input, const Pass& pass) const = 0;

  /// Everything that is learned.
  const Weights& weights() const { return weights_; }
  Weights& weights() { return weights_; }
  std::int64_t num_weights() const { return weights_.size(); }

 protected:
  Model() = default;

 private:
  Weights weights_;
};

/// What is known of a model before it is made.
struct ModelEntry {
  std::string name;       ///< "diag-dsnn"
  std::string family;     ///< "DSNN"
  std::string title;      ///< one line
  std::string reference;  ///< the paper
  int year = 0;           ///< of the paper
  bool uses_direction = false;
  std::vector<Parameter> parameters = {};  ///< of the model, not of its training
  /// Of training, where they are not those of all models: {"lr", 0.005}.
  std::vector<std::pair<std::string, ParameterValue>> training_defaults = {};
};

/// What a model is made from.
struct ModelSetup {
  const Config& config;
  ModelShape shape;
  Random& random;  ///< of the weights' initial numbers
};

/// A model as its file defines it.
struct ModelDefinition {
  ModelEntry entry;
  std::function<std::unique_ptr<Model>(const ModelSetup&)> make;
};

/// How to make a Model that is constructed from a setup.
template <class T>
std::function<std::unique_ptr<Model>(const ModelSetup&)> maker() {
  return [](const ModelSetup& setup) { return std::make_unique<T>(setup); };
}

/// Adds a model to the registry: all that is done with models by their name can be done with it.
/// To be called before other threads use the registry; references to entries do not outlive it.
/// Throws Error if there is one of that name.
DSNN_API void register_model(ModelDefinition definition);

/// All models, in the order in which they are listed.
DSNN_API const std::vector<ModelEntry>& model_registry();
/// Throws Error with the nearest name if there is none.
DSNN_API const ModelEntry& find_model(const std::string& name);

/// Whether a model of this configuration drops numbers in training: whether a rate of dropout is
/// above 0. Without dropout a pass of training computes what one of evaluation does, to the last
/// bit.
DSNN_API bool has_dropout(const Config& config);

/// A new model with weights drawn from the seed: the same on every machine. The configuration has
/// the model's parameters, or none: then all have their default.
DSNN_API std::unique_ptr<Model> make_model(const std::string& name, const Config& config,
                                           const ModelShape& shape, std::uint64_t seed);

}  // namespace dsnn::nn
