#include "plain_network.h"

#include "dsnn/nn/model.h"

#include <ATen/ATen.h>

namespace dsnn::bench {

PlainNetwork::PlainNetwork(const Dataset& dataset, const std::string& model, const Config& config)
    : config_(config), features_(dense_features(dataset)) {
  const testing::PlainBaseline& plain = testing::plain_baselines().at(model);
  for (const at::Tensor& matrix : plain.prepare(testing::dense_arcs(dataset.graph), config)) {
    const bool is_square = matrix.dim() == 2 && matrix.is_floating_point();
    matrices_.push_back(is_square                    ? matrix.to(at::kFloat).to_sparse().coalesce()
                        : matrix.is_floating_point() ? matrix.to(at::kFloat)
                                                     : matrix);
  }
  // The same weights as the model's, under the same names.
  const auto made =
      nn::make_model(model, config, {features_.size(1), dataset.num_classes}, /*seed=*/0);
  std::vector<at::Tensor> leaves;
  const at::Tensor numbers = at::tensor(made->weights().initial(), at::kFloat);
  for (const engine::Weight& weight : made->weights().all()) {
    leaves.push_back(numbers.narrow(0, weight.offset, engine::num_numbers(weight.shape))
                         .view(weight.shape)
                         .clone()
                         .requires_grad_());
    weights_[weight.name] = leaves.back();
  }
  const auto logits = plain.logits;
  training_ = std::make_unique<LibtorchTraining>(dataset, leaves, [this, logits](bool training) {
    return logits(
        {matrices_, features_, weights_, config_,
         [training](const at::Tensor& x, double p) { return at::dropout(x, p, training); }});
  });
}

}  // namespace dsnn::bench
