#pragma once

#include "dsnn/engine/operator.h"

#include <functional>
#include <string>
#include <vector>

namespace dsnn::testing {

/// An operator with arguments that suit it.
struct OperatorCase {
  std::string name;
  engine::OperatorPtr op;
  engine::Shapes shapes;                     ///< of the arguments
  std::vector<std::vector<double>> numbers;  ///< of each argument; empty where it is left out
  /// Of the operator's gradient, only the parts along these arguments' directions may be compared:
  /// maps of the orthogonal family, whose gradient holds along orthogonal maps alone.
  std::vector<int> not_free = {};
};

/// Every operator of the engine, with all kinds of arguments; large ones for tests of threads.
std::vector<OperatorCase> operator_cases(bool is_large);

/// The operators whose loops depend on the number of channels or on the stalk dimension, with
/// numbers around those that vectors have and those that loops are written for.
std::vector<OperatorCase> shape_cases();

}  // namespace dsnn::testing
