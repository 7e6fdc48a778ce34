#pragma once

#include "dsnn/nn/model.h"
#include "dsnn/ops/linear.h"

#include "nn/definition.h"
#include "nn/weights.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace dsnn::nn {

// What models are made of.

/// The seed of the dropout at one place of a pass.
std::int64_t dropout_seed(const Pass& pass, std::int64_t place);

/// The dropouts of one pass, in the order in which they are asked for: each has a seed of its own.
class Dropouts {
 public:
  explicit Dropouts(const Pass& pass) : pass_(pass) {}
  /// For operators that drop out on their way.
  ops::DropoutOptions next(double probability);
  /// drop(x)
  at::Tensor operator()(const at::Tensor& x, double probability);

 private:
  const Pass& pass_;
  std::int64_t place_ = 0;
};

/// x W + b.
struct Linear {
  at::Tensor weight;  ///< [inputs, outputs]
  at::Tensor bias;    ///< [outputs]; undefined without

  at::Tensor operator()(const at::Tensor& x) const;
};

/// A linear map with its initial numbers as PyTorch's Linear has them.
Linear make_linear(Weights& weights, const std::string& name, std::int64_t inputs,
                   std::int64_t outputs, Random& random, bool has_bias = true);

/// drop(X) W for the features X of the input: sparse ones stay sparse.
at::Tensor feature_product(const Input& input, const at::Tensor& weight,
                           const ops::DropoutOptions& dropout);

/// The same for planes: sum_p x_p W_p + b, which is a linear map of Re || Im.
Linear make_plane_linear(Weights& weights, const std::string& name, std::int64_t inputs,
                         std::int64_t outputs, Random& random);

/// What a layer reads: the features of the model's input, which may be sparse, or what another
/// layer wrote.
class LayerInput {
 public:
  LayerInput(const Input& input, const ops::DropoutOptions& dropout)
      : input_(&input), dropout_(dropout) {}
  explicit LayerInput(at::Tensor x) : x_(std::move(x)) {}

  /// drop(x) W
  at::Tensor times(const at::Tensor& weight) const;
  /// sigma(drop(x) W + b)
  at::Tensor times(const Linear& linear,
                   StalkActivation activation = StalkActivation::kIdentity) const;

 private:
  const Input* input_ = nullptr;
  ops::DropoutOptions dropout_;
  at::Tensor x_;
};

/// Rows scaled to length 1; rows of zeros stay.
at::Tensor unit_rows(const at::Tensor& x);

/// x times one learned number. The gradient of that number is a sum over all of x; it is taken over
/// rows first, where LibTorch's result does not depend on the number of threads.
at::Tensor times_number(const at::Tensor& x, const at::Tensor& number);

/// One matrix of the outputs of all layers: side by side ("cat"), their maximum ("max"), or the
/// last ("none").
at::Tensor jumping_knowledge(const std::string& kind, const std::vector<at::Tensor>& layers);
/// The parameter jk, which chooses one of these.
Parameter jumping_knowledge_parameter(const std::string& default_kind);

/// Inputs and outputs of layers t = 0, 1, ...: features, then channels, then classes.
struct LayerSizes {
  explicit LayerSizes(const ModelSetup& setup);
  std::int64_t inputs(std::int64_t t) const { return t == 0 ? num_features : channels; }
  std::int64_t outputs(std::int64_t t) const { return t + 1 == layers ? num_classes : channels; }

  std::int64_t layers, channels, num_features, num_classes;
};

/// Layers of one form, as many as the parameters `layers` and `channels` say:
/// H(t+1) = relu(P(drop(H(t)) W(t)) + b(t)), the last without relu; H(0) is the model's input.
class LayerStack {
 public:
  LayerStack(const ModelSetup& setup, Weights& weights);

  /// P, which gathers from neighbours. It acts on nodes, so it changes places with W.
  using Propagate = std::function<at::Tensor(const at::Tensor& x)>;
  at::Tensor forward(const Input& input, const Pass& pass, Dropouts& drop,
                     const Propagate& propagate = {}) const;

 private:
  double dropout_;
  std::vector<Linear> layers_;
};

/// Parameters that nearly all models have, with the defaults of a model's paper.
std::vector<Parameter> common_parameters(std::int64_t layers, std::int64_t channels,
                                         double dropout);

/// Says of one of them what it means in a model.
Parameter& describe(std::vector<Parameter>& parameters, const std::string& name,
                    const std::string& help);

}  // namespace dsnn::nn
