#include "libtorch_training.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/optim/adam.h>

#include <utility>

namespace dsnn::bench {

at::Tensor dense_features(const Dataset& dataset) {
  const Features dense = dataset.features.to_dense();
  return at::tensor(dense.values).view({dense.num_rows, dense.num_columns});
}

LibtorchTraining::LibtorchTraining(const Dataset& dataset, const std::vector<at::Tensor>& weights,
                                   Forward forward)
    : labels_(at::tensor(dataset.labels, at::kLong)),
      forward_(std::move(forward)),
      adam_(std::make_unique<torch::optim::Adam>(
          weights, torch::optim::AdamOptions(0.01).weight_decay(5e-4))) {
  std::vector<std::int64_t> nodes;
  for (std::size_t u = 0; u < dataset.splits[0].train.size(); ++u) {
    if (dataset.splits[0].train[u] != 0) nodes.push_back(static_cast<std::int64_t>(u));
  }
  train_nodes_ = at::tensor(nodes, at::kLong);
}

LibtorchTraining::~LibtorchTraining() = default;

double LibtorchTraining::run_epoch() {
  adam_->zero_grad();
  const at::Tensor logits = forward_(true);
  const at::Tensor loss = at::nll_loss(at::log_softmax(logits.index_select(0, train_nodes_), 1),
                                       labels_.index_select(0, train_nodes_));
  loss.backward();
  adam_->step();
  const at::NoGradGuard no_gradients;
  const at::Tensor predicted = forward_(false).argmax(1);
  predicted.eq(labels_).sum().item<std::int64_t>();
  return loss.item<double>();
}

}  // namespace dsnn::bench
