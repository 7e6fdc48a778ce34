#pragma once

#include "util/internal_api.h"

#include <string>

namespace dsnn::kernels {

/// Instruction sets that kernels are compiled for. The baseline works on every machine; on arm64 it
/// is NEON.
enum class SimdLevel { kBaseline, kAvx2, kAvx512 };

/// The best instruction set of this machine, or the one given by the environment variable
/// DSNN_SIMD=baseline|avx2|avx512. Throws Error for an unknown or unsupported value. Decided once.
DSNN_INTERNAL_API SimdLevel simd_level();

/// Its name for display: "AVX-512", "AVX2", "NEON", "baseline".
DSNN_INTERNAL_API std::string simd_name();

/// Whether kernels use fused multiply-add. All machines with it give the same results.
DSNN_INTERNAL_API bool has_fused_multiply_add();

}  // namespace dsnn::kernels
