#include "kernels/simd.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <hwy/highway.h>
#include <string_view>

namespace dsnn::kernels {
namespace {

SimdLevel best_of_machine() {
#if HWY_ARCH_X86
  const auto targets = hwy::SupportedTargets();
  if ((targets & HWY_AVX3) != 0) return SimdLevel::kAvx512;
  if ((targets & HWY_AVX2) != 0) return SimdLevel::kAvx2;
#endif
  return SimdLevel::kBaseline;
}

SimdLevel highest_wanted() {
  const char* value = std::getenv("DSNN_SIMD");
  const std::string_view level = value == nullptr ? "" : value;
  if (level.empty() || level == "avx512") return SimdLevel::kAvx512;
  if (level == "avx2") return SimdLevel::kAvx2;
  if (level == "baseline") return SimdLevel::kBaseline;
  throw Error(fmt::format("DSNN_SIMD is '{}', expected baseline, avx2 or avx512", level));
}

}  // namespace

SimdLevel simd_level() {
  static const SimdLevel level = std::min(best_of_machine(), highest_wanted());
  return level;
}

std::string simd_name() {
  switch (simd_level()) {
    case SimdLevel::kAvx512:
      return "AVX-512";
    case SimdLevel::kAvx2:
      return "AVX2";
    case SimdLevel::kBaseline:
      break;
  }
#if HWY_ARCH_ARM_A64
  return "NEON";
#else
  return "baseline";
#endif
}

}  // namespace dsnn::kernels
