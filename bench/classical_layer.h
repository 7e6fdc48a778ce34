#pragma once

#include "classical_sheaf.h"
#include "libtorch_comparison.h"

#include <ATen/core/Tensor.h>

namespace dsnn::bench {

/// ClassicalSheaf, forward and backward, with the same inputs as the engine's operators.
class ClassicalLayer final : public LibtorchLayer {
 public:
  ClassicalLayer(const DirectedGraph& graph, MapFamily family, const LayerArguments& arguments);

  void run() override;
  LayerResults results() const override;

 private:
  ClassicalSheaf sheaf_;
  at::Tensor x_, weight_, grad_;
  at::Tensor y_, grad_x_, grad_weight_;
};

}  // namespace dsnn::bench
