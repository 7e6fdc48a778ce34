#pragma once

#include "dsnn/nn/model.h"

#include "util/random.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dsnn::nn {

/// What a model is made from.
struct ModelSetup {
  const Config& config;
  ModelShape shape;
  at::ScalarType dtype;  ///< of the weights
  Random& random;        ///< of their initial numbers
};

/// A model as its file defines it. The registry adds the parameters of training.
struct ModelDefinition {
  ModelEntry entry;
  /// Of training, where they are not those of all models: {"lr", 0.005}.
  std::vector<std::pair<std::string, Value>> training_defaults = {};
  std::function<std::unique_ptr<Model>(const ModelSetup&)> make;
};

/// How to make a Model that is constructed from a setup.
template <class T>
std::function<std::unique_ptr<Model>(const ModelSetup&)> maker() {
  return [](const ModelSetup& setup) { return std::make_unique<T>(setup); };
}

}  // namespace dsnn::nn
