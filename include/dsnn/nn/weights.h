#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/export.h"
#include "dsnn/util/random.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsnn::nn {

/// How training treats a weight: its weight decay, or that it stays as drawn.
enum class WeightGroup { kModel, kSheaf, kUndecayed, kFixed };

/// The range [begin, end) of the array of all weights.
struct WeightPiece {
  std::int64_t begin = 0, end = 0;
  WeightGroup group = WeightGroup::kModel;
};

/// The weights of a model and their initial values. All weights are stored in one array, so that an
/// optimiser step, a copy of the best model or a checkpoint is one loop over one array. The trainer
/// owns that array.
class DSNN_API Weights {
 public:
  /// Adds a weight with these initial values.
  engine::Weight add(std::string name, engine::Shape shape, const std::vector<double>& initial,
                     WeightGroup group = WeightGroup::kModel);

  const std::vector<engine::Weight>& all() const { return weights_; }
  std::int64_t size() const { return static_cast<std::int64_t>(initial_.size()); }
  /// The initial values of all weights, [size].
  const std::vector<double>& initial() const { return initial_; }
  std::vector<double>& initial() { return initial_; }
  /// The ranges of equal group, as long as possible.
  const std::vector<WeightPiece>& pieces() const { return pieces_; }

 private:
  std::vector<engine::Weight> weights_;
  std::vector<double> initial_;
  std::vector<WeightPiece> pieces_;
};

// --- initial values ---

/// Uniform in +-1/sqrt(inputs), as in PyTorch's Linear.
DSNN_API std::vector<double> linear_init(std::int64_t size, std::int64_t inputs, Random& random);
/// Zeros.
DSNN_API std::vector<double> zero_init(std::int64_t size);
/// `count` identities of size x size.
DSNN_API std::vector<double> identity_init(std::int64_t count, std::int64_t size);
/// `count` random orthogonal matrices of size x size, times the gain.
DSNN_API std::vector<double> orthogonal_init(std::int64_t count, std::int64_t size, double gain,
                                             Random& random);

}  // namespace dsnn::nn
