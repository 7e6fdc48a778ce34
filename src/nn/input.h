#pragma once

#include "dsnn/nn/model.h"
#include "dsnn/ops/sparse.h"

#include <ATen/core/Tensor.h>

#include <optional>

namespace dsnn::nn {

/// One of the two is there.
struct Input::Data {
  std::optional<ops::SparseMatrix> sparse;
  at::Tensor dense;  ///< [n, features]
};

}  // namespace dsnn::nn
