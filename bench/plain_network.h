#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/dataset.h"

#include "libtorch_comparison.h"
#include "libtorch_training.h"
#include "support/plain_baselines.h"

#include <memory>
#include <string>
#include <vector>

namespace dsnn::bench {

/// One of the models of src/nn/baselines and its training in a few lines of LibTorch: dense
/// features, sparse matrices for neighbours, its own Adam.
class PlainNetwork final : public LibtorchNetwork {
 public:
  PlainNetwork(const Dataset& dataset, const std::string& model, const Config& config);

  double run_epoch() override { return training_->run_epoch(); }

 private:
  Config config_;
  at::Tensor features_;
  std::vector<at::Tensor> matrices_;
  testing::PlainWeights weights_;
  std::unique_ptr<LibtorchTraining> training_;
};

}  // namespace dsnn::bench
