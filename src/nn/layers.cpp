#include "nn/layers.h"

#include "dsnn/ops/sparse.h"

#include "nn/input.h"

#include <ATen/Functions.h>

#include <fmt/format.h>

#include <algorithm>

namespace dsnn::nn {

std::int64_t dropout_seed(const Pass& pass, std::int64_t place) {
  return static_cast<std::int64_t>(pass.seed * 0x9e3779b97f4a7c15u +
                                   static_cast<std::uint64_t>(place) * 0xd1b54a32d192ed03u);
}

ops::DropoutOptions Dropouts::next(double probability) {
  ++place_;
  return {pass_.is_training ? probability : 0, dropout_seed(pass_, place_)};
}

at::Tensor Dropouts::operator()(const at::Tensor& x, double probability) {
  const ops::DropoutOptions options = next(probability);
  return options.probability > 0 ? ops::dropout(x, options) : x;
}

at::Tensor feature_product(const Input& input, const at::Tensor& weight,
                           const ops::DropoutOptions& dropout) {
  if (input.data().sparse) return ops::sparse_linear(weight, *input.data().sparse, dropout);
  const at::Tensor& x = input.data().dense;
  return ops::linear(dropout.probability > 0 ? ops::dropout(x, dropout) : x, weight, {});
}

at::Tensor Linear::operator()(const at::Tensor& x) const { return ops::linear(x, weight, bias); }

Linear make_linear(Weights& weights, const std::string& name, std::int64_t inputs,
                   std::int64_t outputs, Random& random, bool has_bias) {
  Linear linear;
  linear.weight = weights.add(name + ".weight", {inputs, outputs},
                              linear_init(inputs * outputs, inputs, random));
  if (has_bias) {
    linear.bias = weights.add(name + ".bias", {outputs}, linear_init(outputs, inputs, random));
  }
  return linear;
}

Linear make_plane_linear(Weights& weights, const std::string& name, std::int64_t inputs,
                         std::int64_t outputs, Random& random) {
  return {weights.add(name + ".weight", {2, inputs, outputs},
                      linear_init(2 * inputs * outputs, 2 * inputs, random)),
          weights.add(name + ".bias", {outputs}, linear_init(outputs, 2 * inputs, random))};
}

at::Tensor LayerInput::times(const at::Tensor& weight) const {
  return input_ != nullptr ? feature_product(*input_, weight, dropout_)
                           : ops::linear(x_, weight, {});
}

at::Tensor LayerInput::times(const Linear& linear, StalkActivation activation) const {
  const at::Tensor product = times(linear.weight);
  const bool is_done = !linear.bias.defined() && activation == StalkActivation::kIdentity;
  return is_done ? product : ops::bias_activation(product, linear.bias, activation);
}

at::Tensor unit_rows(const at::Tensor& x) {
  constexpr double kLeast = 1e-12;
  return x / x.norm(2, 1, true).clamp_min(kLeast);
}

at::Tensor times_number(const at::Tensor& x, const at::Tensor& number) {
  return x * number.expand({x.size(1)});
}

at::Tensor jumping_knowledge(const std::string& kind, const std::vector<at::Tensor>& layers) {
  if (kind == "cat") return at::cat(layers, 1);
  if (kind == "max") return std::get<0>(at::stack(layers).max(0));
  return layers.back();
}

Parameter jumping_knowledge_parameter(const std::string& default_kind) {
  return {"jk",
          default_kind,
          "What the last map sees of the layers: all, their maximum, the last",
          {"cat", "max", "none"}};
}

LayerSizes::LayerSizes(const ModelSetup& setup)
    : layers(setup.config.integer("layers")),
      channels(setup.config.integer("channels")),
      num_features(setup.shape.num_features),
      num_classes(setup.shape.num_classes) {}

LayerStack::LayerStack(const ModelSetup& setup, Weights& weights)
    : dropout_(setup.config.number("dropout")) {
  const LayerSizes sizes(setup);
  for (std::int64_t t = 0; t < sizes.layers; ++t) {
    layers_.push_back(make_linear(weights, fmt::format("layer{}", t), sizes.inputs(t),
                                  sizes.outputs(t), setup.random));
  }
}

at::Tensor LayerStack::forward(const Input& input, const Pass& pass, Dropouts& drop,
                               const Propagate& propagate) const {
  LayerInput h(input, drop.next(dropout_));
  at::Tensor next;
  for (std::size_t t = 0; t < layers_.size(); ++t) {
    next = h.times(layers_[t].weight);
    if (propagate) next = propagate(next);
    const bool is_last = t + 1 == layers_.size();
    next = ops::bias_activation(next, layers_[t].bias,
                                is_last ? StalkActivation::kIdentity : StalkActivation::kRelu,
                                drop.next(is_last ? 0 : dropout_));
    pass.show(fmt::format("layer {}", t + 1), next);
    h = LayerInput(next);
  }
  return next;
}

std::vector<Parameter> common_parameters(std::int64_t layers, std::int64_t channels,
                                         double dropout) {
  return {{"layers", layers, "Layers", {}, 1, 1000},
          {"channels", channels, "Hidden channels", {}, 1, 65536},
          {"dropout", dropout, "Dropout on the input of every layer", {}, 0, 0.99}};
}

Parameter& describe(std::vector<Parameter>& parameters, const std::string& name,
                    const std::string& help) {
  Parameter& parameter = *std::ranges::find(parameters, name, &Parameter::name);
  parameter.help = help;
  return parameter;
}

}  // namespace dsnn::nn
