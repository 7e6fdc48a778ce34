#pragma once

#include "dsnn/engine/operator.h"

#include <functional>
#include <string>
#include <vector>

namespace dsnn::testing {

/// An operator with suitable arguments.
struct OperatorCase {
  std::string name;
  engine::OperatorPtr op;
  engine::Shapes shapes;                     ///< of the arguments
  std::vector<std::vector<double>> numbers;  ///< of each argument; empty if omitted
  /// For these arguments, only gradients along allowed directions may be compared: maps of the
  /// orthogonal family, whose gradient is valid only along orthogonal maps.
  std::vector<int> not_free = {};
};

/// Every operator of the engine, with all kinds of arguments; large ones for tests of threads.
std::vector<OperatorCase> operator_cases(bool is_large);

/// The operators whose loops depend on the number of channels or the stalk dimension, with sizes
/// around the vector widths and the specialised dimensions.
std::vector<OperatorCase> shape_cases();

/// The same with sizes around the warps and blocks of a GPU, and with nodes of high degree.
std::vector<OperatorCase> gpu_shape_cases();

}  // namespace dsnn::testing
