#pragma once

#include "dsnn/export.h"
#include "dsnn/nn/config.h"
#include "dsnn/ops/graph.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace dsnn {

struct Features;

namespace nn {

class Weights;

/// The nodes' features as models take them: sparse ones stay sparse. Copies share one matrix.
class DSNN_API Input {
 public:
  /// The graph, and features with a row for each of its nodes.
  Input(ops::Graph graph, const Features& features, bool double_precision = false);
  ~Input();
  Input(const Input&);
  Input& operator=(const Input&) = delete;

  const ops::Graph& graph() const { return graph_; }
  std::int64_t num_nodes() const;
  std::int64_t num_features() const;

  struct Data;  ///< for models; defined in src/nn/input.h
  const Data& data() const { return *data_; }

 private:
  ops::Graph graph_;
  std::shared_ptr<const Data> data_;
};

/// What a forward pass is for.
struct Pass {
  bool is_training = false;
  std::uint64_t seed = 0;  ///< of the dropout of this pass
  /// If there is one, it is shown what comes out of each part: "the input", "layer 1", ...
  std::function<void(const std::string&, const at::Tensor&)> probe = {};

  void show(const std::string& part, const at::Tensor& numbers) const {
    if (probe) probe(part, numbers);
  }
};

/// Sizes that come from the data.
struct ModelShape {
  std::int64_t num_features = 0;
  std::int64_t num_classes = 0;
};

/// A network that gives every node a number for each class.
class DSNN_API Model {
 public:
  virtual ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// Logits [n, classes]. Differentiable once in the weights.
  virtual at::Tensor forward(const Input& input, const Pass& pass) const = 0;

  /// Everything that is learned.
  Weights& weights() { return *weights_; }
  const Weights& weights() const { return *weights_; }
  std::int64_t num_weights() const;

 protected:
  Model();

 private:
  std::unique_ptr<Weights> weights_;
};

/// What is known of a model before it is made.
struct ModelEntry {
  std::string name;       ///< "diag-dsnn"
  std::string family;     ///< "DSNN"
  std::string title;      ///< one line
  std::string reference;  ///< the paper
  int year = 0;           ///< of the paper
  bool uses_direction = false;
  std::vector<Parameter> parameters = {};  ///< of the model and of its training
};

/// All models, in the order in which they are listed.
DSNN_API const std::vector<ModelEntry>& model_registry();
/// Throws Error with the nearest name if there is none.
DSNN_API const ModelEntry& find_model(const std::string& name);

/// The configuration if it is one of that model; the model's defaults for one without parameters.
/// Throws Error for one of another model.
DSNN_API Config config_for(const std::string& model, const Config& config);

/// Whether a model of this configuration drops numbers in training: whether a rate, a parameter
/// whose name ends in 'dropout' (or dprate), is above 0. Without dropout a pass of training
/// computes what one of evaluation does, to the last bit.
DSNN_API bool has_dropout(const Config& config);

/// A new model with weights drawn from the seed: the same on every machine.
DSNN_API std::unique_ptr<Model> make_model(const std::string& name, const Config& config,
                                           const ModelShape& shape, std::uint64_t seed,
                                           bool double_precision = false);

}  // namespace nn
}  // namespace dsnn
