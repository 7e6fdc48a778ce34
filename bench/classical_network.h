#pragma once

#include "dsnn/data/dataset.h"

#include "classical_sheaf.h"
#include "libtorch_comparison.h"
#include "libtorch_training.h"

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

namespace dsnn::bench {

/// A directed sheaf network and its training, implemented like published code but without Python:
/// dense features, ClassicalSheaf in every layer, LibTorch's dropout, products, cross-entropy,
/// gradients and Adam.
class ClassicalNetwork final : public LibtorchNetwork {
 public:
  ClassicalNetwork(const Dataset& dataset, const ClassicalOptions& options);

  double run_epoch() override { return training_->run_epoch(); }

 private:
  struct Layer {
    at::Tensor learner, left, right, eps;
  };
  at::Tensor forward(bool is_training) const;

  ClassicalSheaf sheaf_;
  std::int64_t stalk_dim_, channels_;
  double dropout_;
  at::Tensor features_;
  at::Tensor input_weight_, input_bias_, output_weight_, output_bias_;
  std::vector<Layer> layers_;
  std::unique_ptr<LibtorchTraining> training_;
};

}  // namespace dsnn::bench
