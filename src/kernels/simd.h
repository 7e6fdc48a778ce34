#pragma once

#include "util/internal_api.h"

#include <string>

namespace dsnn::kernels {

/// Instruction sets that kernels are compiled for. The baseline is what the compiler may use
/// everywhere; on arm64 that is NEON.
enum class SimdLevel { kBaseline, kAvx2, kAvx512 };

/// The best that this machine has, or what the environment variable DSNN_SIMD=baseline|avx2|avx512
/// says. Throws Error for another value, and for what the machine does not have. Decided once.
DSNN_INTERNAL_API SimdLevel simd_level();

/// Its name, for people: "AVX-512", "AVX2", "NEON", "baseline".
DSNN_INTERNAL_API std::string simd_name();

/// Whether kernels round a product and a sum once. All machines with it give the same numbers.
DSNN_INTERNAL_API bool has_fused_multiply_add();

}  // namespace dsnn::kernels
