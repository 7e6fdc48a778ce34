#pragma once

#include "dsnn/export.h"

#include "util/random.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dsnn::nn {

/// Which weight decay a weight gets.
enum class WeightGroup { kModel, kSheaf, kUndecayed };

struct Weight {
  std::string name;
  at::Tensor tensor;
  WeightGroup group;
};

/// The numbers [begin, end) of all weights, one behind the other.
struct WeightPiece {
  std::int64_t begin = 0, end = 0;
  WeightGroup group = WeightGroup::kModel;
};

/// The weights of a model. Once finish() is called they lie one behind the other in one array, and
/// their gradients in another: an optimiser step, a copy of the best model or a checkpoint is one
/// loop over one array, whatever the number of weights.
class DSNN_API Weights {
 public:
  /// Adds a weight with these initial numbers (in double, turned into the model's precision).
  at::Tensor add(std::string name, at::IntArrayRef shape, const std::vector<double>& initial,
                 WeightGroup group = WeightGroup::kModel);
  /// Moves all of them into one array. No weight can be added afterwards.
  void finish(at::ScalarType dtype);

  const std::vector<Weight>& all() const { return weights_; }
  std::int64_t size() const { return values_.numel(); }
  const at::Tensor& values() const { return values_; }        ///< [size]
  const at::Tensor& gradients() const { return gradients_; }  ///< [size]
  /// All numbers, in pieces as long as can be.
  std::vector<WeightPiece> pieces() const;

 private:
  std::vector<Weight> weights_;
  at::Tensor values_, gradients_;
};

// --- initial numbers ---

/// Uniform in +-1/sqrt(inputs), as PyTorch's Linear has it.
std::vector<double> linear_init(std::int64_t size, std::int64_t inputs, Random& random);
/// `count` identities of size x size.
std::vector<double> identity_init(std::int64_t count, std::int64_t size);
/// `count` random orthogonal matrices of size x size, times the gain.
std::vector<double> orthogonal_init(std::int64_t count, std::int64_t size, double gain,
                                    Random& random);

}  // namespace dsnn::nn
