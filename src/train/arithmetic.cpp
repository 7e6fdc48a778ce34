#include "dsnn/train/arithmetic.h"

#include "kernels/simd.h"

namespace dsnn {

Arithmetic Arithmetic::current() {
  return {kArithmeticVersion, kernels::has_fused_multiply_add() ? "fused" : "separate"};
}

Arithmetic Arithmetic::of(bool is_gpu) {
  return is_gpu ? Arithmetic{kArithmeticVersion, "cuda"} : current();
}

Arithmetic Arithmetic::joined_with(const Arithmetic& other) const {
  return {version == other.version ? version : 0,
          rounding == other.rounding ? rounding : "several"};
}

}  // namespace dsnn
