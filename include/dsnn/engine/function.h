#pragma once

namespace dsnn::engine {

/// Elementwise functions [eq:elementwise].
enum class Function {
  kRelu,
  kLeakyRelu,  ///< x, or 0.2 x if x is negative
  kElu,        ///< x, or exp(x) - 1 if x is negative
  kTanh,
  kSoftplus  ///< log(1 + exp(x))
};

}  // namespace dsnn::engine
