#pragma once

namespace dsnn::engine {

/// Functions of one number [eq:elementwise].
enum class Function {
  kRelu,
  kLeakyRelu,  ///< x, or 0.2 x where it is negative
  kElu,        ///< x, or exp(x) - 1 where it is negative
  kTanh,
  kSoftplus  ///< log(1 + exp(x))
};

}  // namespace dsnn::engine
