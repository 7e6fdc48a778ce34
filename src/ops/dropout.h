#pragma once

#include "kernels/dropout.h"
#include "ops/checks.h"

#include <cstdint>

namespace dsnn::ops {

/// Dropout on x as kernels take it, with the planes in x's first axis.
kernels::Dropout checked_dropout(const Checks& checks, const at::Tensor& x, double probability,
                                 std::int64_t seed, bool merged_planes);

}  // namespace dsnn::ops
