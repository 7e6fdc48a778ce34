#include "classical_network.h"

#include <ATen/ATen.h>

namespace dsnn::bench {
namespace {

constexpr double kCharge = 0.25;

at::Tensor uniform(at::IntArrayRef shape, std::int64_t inputs) {
  const double bound = 1 / std::sqrt(static_cast<double>(inputs));
  return at::empty(shape).uniform_(-bound, bound).requires_grad_();
}

}  // namespace

ClassicalNetwork::ClassicalNetwork(const Dataset& dataset, const ClassicalOptions& options)
    : sheaf_(dataset.graph, options.family, options.stalk_dim, kCharge),
      stalk_dim_(options.stalk_dim),
      channels_(options.channels),
      dropout_(options.dropout) {
  features_ = dense_features(dataset);
  const std::int64_t num_features = features_.size(1);
  const std::int64_t size = stalk_dim_ * channels_;
  input_weight_ = uniform({size, num_features}, num_features);
  input_bias_ = uniform({size}, num_features);
  output_weight_ = uniform({dataset.num_classes, 2 * size}, 2 * size);
  output_bias_ = uniform({dataset.num_classes}, 2 * size);
  std::vector<at::Tensor> weights = {input_weight_, input_bias_, output_weight_, output_bias_};
  for (int t = 0; t < options.layers; ++t) {
    Layer layer;
    layer.learner = uniform({sheaf_.num_params(), 4 * size}, 4 * size);
    layer.left = at::eye(stalk_dim_).requires_grad_();
    layer.right = (0.5 * at::eye(channels_)).detach().requires_grad_();
    layer.eps = at::zeros({stalk_dim_, 1}).requires_grad_();
    layers_.push_back(layer);
    for (const at::Tensor& w : {layer.learner, layer.left, layer.right, layer.eps}) {
      weights.push_back(w);
    }
  }
  training_ = std::make_unique<LibtorchTraining>(
      dataset, weights, [this](bool is_training) { return forward(is_training); });
}

at::Tensor ClassicalNetwork::forward(bool is_training) const {
  at::Tensor x = at::dropout(features_, dropout_, is_training);
  x = at::elu(at::linear(x, input_weight_, input_bias_));
  x = at::dropout(x, dropout_, is_training);
  const std::int64_t n = x.size(0);
  x = x.view({n, stalk_dim_, channels_});
  x = at::stack({x, at::zeros_like(x)});
  for (std::size_t t = 0; t < layers_.size(); ++t) {
    const Layer& layer = layers_[t];
    at::Tensor z = at::dropout(x, dropout_, is_training);
    z = at::matmul(at::matmul(layer.left, z), layer.right);
    // The learner sees x, so the layer learns and diffuses in one call on the mixed features.
    const at::Tensor y = sheaf_(z, layer.learner);
    const at::Tensor kept = y * y.select(0, 0).ge(0).to(y.scalar_type());
    x = (1 + at::tanh(layer.eps)) * x - kept;
  }
  const at::Tensor flat =
      at::cat({x.select(0, 0).reshape({n, -1}), x.select(0, 1).reshape({n, -1})}, 1);
  return at::linear(flat, output_weight_, output_bias_);
}

}  // namespace dsnn::bench
