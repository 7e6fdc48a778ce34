#include "dsnn/train/arithmetic.h"

#include "kernels/simd.h"

namespace dsnn {

Arithmetic Arithmetic::current() {
  return {kArithmeticVersion, kernels::has_fused_multiply_add() ? "fused" : "separate"};
}

Arithmetic Arithmetic::joined_with(const Arithmetic& other) const {
  return {version == other.version ? version : 0,
          rounding == other.rounding ? rounding : "several"};
}

}  // namespace dsnn
