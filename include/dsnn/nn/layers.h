#pragma once

#include "dsnn/engine/operators/linear.h"
#include "dsnn/export.h"
#include "dsnn/nn/model.h"
#include "dsnn/nn/weights.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Building blocks of models.
namespace dsnn::nn {

/// The dropouts of one pass, in the order of the calls: each has its own place.
class DSNN_API Dropouts {
 public:
  explicit Dropouts(const Pass& pass) : pass_(pass) {}
  /// For operators with built-in dropout.
  engine::Dropout next(double probability);
  /// drop(x)
  engine::Value operator()(engine::Value x, double probability);

 private:
  const Pass& pass_;
  std::int64_t place_ = 0;
};

/// x W + b.
struct DSNN_API Linear {
  engine::Weight weight;  ///< [inputs, outputs]
  engine::Weight bias;    ///< [outputs]; optional

  engine::Value operator()(engine::Value x) const { return engine::linear(x, weight, bias); }
};

/// A linear map with the initialisation of PyTorch's Linear.
DSNN_API Linear make_linear(Weights& weights, const std::string& name, std::int64_t inputs,
                            std::int64_t outputs, Random& random, bool has_bias = true);

/// The same for planes: sum_p x_p W_p + b, which is a linear map of Re || Im.
DSNN_API Linear make_plane_linear(Weights& weights, const std::string& name, std::int64_t inputs,
                                  std::int64_t outputs, Random& random);

/// drop(X) W for the features X of the input; sparse features stay sparse.
DSNN_API engine::Value feature_product(const Input& input, const Pass& pass,
                                       const engine::Weight& weight,
                                       const engine::Dropout& dropout);

/// The input of a layer: the features of the model's input, which may be sparse, or the output of
/// another layer.
class DSNN_API LayerInput {
 public:
  LayerInput(const Input& input, const Pass& pass, const engine::Dropout& dropout)
      : input_(&input), pass_(&pass), dropout_(dropout) {}
  explicit LayerInput(engine::Value x) : x_(x) {}

  /// drop(x) W
  engine::Value times(const engine::Weight& weight) const;
  /// sigma(drop(x) W + b)
  engine::Value times(const Linear& linear,
                      StalkActivation activation = StalkActivation::kIdentity) const;

 private:
  const Input* input_ = nullptr;
  const Pass* pass_ = nullptr;
  engine::Dropout dropout_;
  engine::Value x_;
};

/// Combines the outputs of all layers: concatenated ("cat"), their maximum ("max"), or the last
/// ("none").
DSNN_API engine::Value jumping_knowledge(const std::string& kind,
                                         const std::vector<engine::Value>& layers);
/// The parameter jk, which chooses between them.
DSNN_API Parameter jumping_knowledge_parameter(const std::string& default_kind);

/// Inputs and outputs of layers t = 0, 1, ...: features, then channels, then classes.
struct DSNN_API LayerSizes {
  explicit LayerSizes(const ModelSetup& setup);
  std::int64_t inputs(std::int64_t t) const { return t == 0 ? num_features : channels; }
  std::int64_t outputs(std::int64_t t) const { return t + 1 == layers ? num_classes : channels; }

  std::int64_t layers, channels, num_features, num_classes;
};

/// Equal layers, as given by the parameters `layers` and `channels`:
/// H(t+1) = relu(P(drop(H(t)) W(t)) + b(t)), the last without relu; H(0) is the model's input.
class DSNN_API LayerStack {
 public:
  LayerStack(const ModelSetup& setup, Weights& weights);

  /// P, the propagation over neighbours. It acts on nodes and therefore commutes with W.
  using Propagate = std::function<engine::Value(engine::Value x)>;
  engine::Value forward(const Input& input, const Pass& pass, Dropouts& drop,
                        const Propagate& propagate = {}) const;

 private:
  double dropout_;
  std::vector<Linear> layers_;
};

/// sum_k T_k(-A) x_k, T_k Chebyshev's polynomials, with one product with A for each k > 0.
DSNN_API engine::Value chebyshev_sum(const std::vector<engine::Value>& x,
                                     const std::function<engine::Value(engine::Value)>& times_a);

/// A dropout rate.
DSNN_API Parameter dropout_parameter(std::string name, double rate, std::string help);

/// Parameters of nearly all models, with the defaults of a model's paper.
DSNN_API std::vector<Parameter> common_parameters(std::int64_t layers, std::int64_t channels,
                                                  double dropout);

/// Sets the description of one of them for a model.
DSNN_API Parameter& describe(std::vector<Parameter>& parameters, const std::string& name,
                             const std::string& help);

}  // namespace dsnn::nn
