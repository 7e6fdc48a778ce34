#pragma once

#include "dsnn/data/dataset.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

namespace torch::optim {
class Adam;
}

namespace dsnn::bench {

/// The features as a dense matrix [n, features].
at::Tensor dense_features(const Dataset& dataset);

/// Training with LibTorch's cross-entropy, gradients and Adam.
class LibtorchTraining {
 public:
  /// Logits of all nodes.
  using Forward = std::function<at::Tensor(bool is_training)>;

  LibtorchTraining(const Dataset& dataset, const std::vector<at::Tensor>& weights, Forward forward);
  ~LibtorchTraining();

  /// One training step on split 0 and one evaluation; returns the loss.
  double run_epoch();

 private:
  at::Tensor labels_, train_nodes_;
  Forward forward_;
  std::unique_ptr<torch::optim::Adam> adam_;
};

}  // namespace dsnn::bench
