#include "dsnn/nn/layers.h"

#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/sparse.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsnn::nn {

using engine::Value;

engine::Dropout Dropouts::next(double probability) {
  ++place_;
  return {pass_.is_training ? probability : 0, place_};
}

Value Dropouts::operator()(Value x, double probability) { return drop(x, next(probability)); }

Value feature_product(const Input& input, const Pass& pass, const engine::Weight& weight,
                      const engine::Dropout& dropout) {
  if (input.sparse_features()) {
    return pass.program.apply_one(engine::sparse_linear_operator(*input.sparse_features(), dropout),
                                  {weight});
  }
  const Value x =
      pass.program.constant({input.num_nodes(), input.num_features()}, input.dense_features());
  return linear(drop(x, dropout), weight);
}

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
  Linear linear;
  linear.weight = weights.add(name + ".weight", {2, inputs, outputs},
                              linear_init(2 * inputs * outputs, 2 * inputs, random));
  linear.bias = weights.add(name + ".bias", {outputs}, linear_init(outputs, 2 * inputs, random));
  return linear;
}

Value LayerInput::times(const engine::Weight& weight) const {
  return input_ != nullptr ? feature_product(*input_, *pass_, weight, dropout_)
                           : linear(x_, weight);
}

Value LayerInput::times(const Linear& linear, StalkActivation activation) const {
  const Value product = times(linear.weight);
  const bool is_done = !linear.bias.is_there() && activation == StalkActivation::kIdentity;
  return is_done ? product : bias_activation(product, linear.bias, activation);
}

Value jumping_knowledge(const std::string& kind, const std::vector<Value>& layers) {
  if (kind == "none" || layers.size() == 1) return layers.back();
  return kind == "cat" ? engine::concat(layers) : engine::maximum(layers);
}

Parameter jumping_knowledge_parameter(const std::string& default_kind) {
  return {"jk",
          default_kind,
          "Input of the last map: all layers concatenated, their maximum, the last layer",
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

Value LayerStack::forward(const Input& input, const Pass& pass, Dropouts& drop,
                          const Propagate& propagate) const {
  LayerInput h(input, pass, drop.next(dropout_));
  Value next;
  for (std::size_t t = 0; t < layers_.size(); ++t) {
    next = h.times(layers_[t].weight);
    if (propagate) next = propagate(next);
    const bool is_last = t + 1 == layers_.size();
    next = bias_activation(next, layers_[t].bias,
                           is_last ? StalkActivation::kIdentity : StalkActivation::kRelu,
                           drop.next(is_last ? 0 : dropout_));
    pass.show(fmt::format("layer {}", t + 1), next);
    h = LayerInput(next);
  }
  return next;
}

// Clenshaw's recurrence: b_k = x_k - 2 A b_{k+1} - b_{k+2}.
Value chebyshev_sum(const std::vector<Value>& x, const std::function<Value(Value)>& times_a) {
  Value next, after_next;  // b_{k+1}, b_{k+2}
  for (std::size_t k = x.size() - 1; k > 0; --k) {
    Value b = x[k];
    if (next.is_there()) b = b - 2.0 * times_a(next);
    if (after_next.is_there()) b = b - after_next;
    after_next = next;
    next = b;
  }
  Value sum = x[0];
  if (next.is_there()) sum = sum - times_a(next);
  if (after_next.is_there()) sum = sum - after_next;
  return sum;
}

Parameter dropout_parameter(std::string name, double rate, std::string help) {
  return {.name = std::move(name),
          .default_value = rate,
          .help = std::move(help),
          .least = 0,
          .most = 0.99,
          .role = ParameterRole::kDropout};
}

std::vector<Parameter> common_parameters(std::int64_t layers, std::int64_t channels,
                                         double dropout) {
  return {{"layers", layers, "Layers", {}, 1, 1000},
          {"channels", channels, "Hidden channels", {}, 1, 65536},
          dropout_parameter("dropout", dropout, "Dropout on the input of every layer")};
}

Parameter& describe(std::vector<Parameter>& parameters, const std::string& name,
                    const std::string& help) {
  Parameter& parameter = *std::ranges::find(parameters, name, &Parameter::name);
  parameter.help = help;
  return parameter;
}

}  // namespace dsnn::nn
