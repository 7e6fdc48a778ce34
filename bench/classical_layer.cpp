#include "classical_layer.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

namespace dsnn::bench {
namespace {

constexpr std::int64_t kPlanes = 2;

at::Tensor copy_of(std::span<const float> numbers) {
  return at::from_blob(const_cast<float*>(numbers.data()),
                       {static_cast<std::int64_t>(numbers.size())}, at::kFloat)
      .clone();
}

std::vector<float> numbers_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.contiguous();
  const auto* numbers = flat.data_ptr<float>();
  return {numbers, numbers + flat.numel()};
}

}  // namespace

ClassicalLayer::ClassicalLayer(const DirectedGraph& graph, MapFamily family,
                               const LayerArguments& arguments)
    : sheaf_(graph, family, arguments.stalk_dim, arguments.charge) {
  const std::int64_t d = arguments.stalk_dim, f = arguments.channels, k = sheaf_.num_params();
  x_ = copy_of(arguments.x).view({kPlanes, -1, d, f}).requires_grad_();
  grad_ = copy_of(arguments.grad).view(x_.sizes());
  // From [planes, inputs, ends, k] to one row for each of k: ends, then planes, then inputs.
  weight_ = copy_of(arguments.weight)
                .view({kPlanes, d * f, 2, k})
                .permute({3, 2, 0, 1})
                .reshape({k, -1})
                .requires_grad_();
}

void ClassicalLayer::run() {
  const at::Tensor y = sheaf_(x_, weight_);
  const std::vector<at::Tensor> grads = torch::autograd::grad({y}, {x_, weight_}, {grad_});
  y_ = y.detach();
  grad_x_ = grads[0];
  grad_weight_ = grads[1];
}

LayerResults ClassicalLayer::results() const {
  const std::int64_t k = weight_.size(0), inputs = x_.size(2) * x_.size(3);
  return {numbers_of(y_), numbers_of(grad_x_),
          numbers_of(grad_weight_.view({k, 2, kPlanes, inputs}).permute({2, 3, 1, 0}))};
}

}  // namespace dsnn::bench
