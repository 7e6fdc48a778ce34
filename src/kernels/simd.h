#pragma once

#include "util/internal_api.h"

#include <string>

namespace dsnn::kernels {

/// Instruction sets that kernels are compiled for. The baseline is what the compiler may use
/// everywhere; on arm64 that is NEON.
enum class SimdLevel { kBaseline, kAvx2, kAvx512 };

/// The best that this machine has; the environment variable DSNN_SIMD=baseline|avx2|avx512 holds it
/// back. Throws Error for another value. Decided once.
DSNN_INTERNAL_API SimdLevel simd_level();

/// Its name, for people: "AVX-512", "AVX2", "NEON", "baseline".
DSNN_INTERNAL_API std::string simd_name();

}  // namespace dsnn::kernels
