#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/export.h"
#include "dsnn/util/random.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dsnn::nn {

/// Which weight decay a weight gets.
enum class WeightGroup { kModel, kSheaf, kUndecayed };

/// The numbers [begin, end) of all weights, one behind the other.
struct WeightPiece {
  std::int64_t begin = 0, end = 0;
  WeightGroup group = WeightGroup::kModel;
};

/// What a model learns, and what it starts from. All weights lie one behind the other in one array:
/// an optimiser step, a copy of the best model or a checkpoint is one loop over one array, whatever
/// their number. Who trains brings that array.
class DSNN_API Weights {
 public:
  /// Adds a weight with these initial numbers.
  engine::Weight add(std::string name, engine::Shape shape, const std::vector<double>& initial,
                     WeightGroup group = WeightGroup::kModel);

  const std::vector<engine::Weight>& all() const { return weights_; }
  std::int64_t size() const { return static_cast<std::int64_t>(initial_.size()); }
  /// The numbers that all of them start from, [size].
  const std::vector<double>& initial() const { return initial_; }
  std::vector<double>& initial() { return initial_; }
  /// All numbers, in pieces as long as can be.
  const std::vector<WeightPiece>& pieces() const { return pieces_; }

 private:
  std::vector<engine::Weight> weights_;
  std::vector<double> initial_;
  std::vector<WeightPiece> pieces_;
};

// --- initial numbers ---

/// Uniform in +-1/sqrt(inputs), as PyTorch's Linear has it.
DSNN_API std::vector<double> linear_init(std::int64_t size, std::int64_t inputs, Random& random);
/// Zeros.
DSNN_API std::vector<double> zero_init(std::int64_t size);
/// `count` identities of size x size.
DSNN_API std::vector<double> identity_init(std::int64_t count, std::int64_t size);
/// `count` random orthogonal matrices of size x size, times the gain.
DSNN_API std::vector<double> orthogonal_init(std::int64_t count, std::int64_t size, double gain,
                                             Random& random);

}  // namespace dsnn::nn
