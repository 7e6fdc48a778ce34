#include "kernels/simd.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <cstdlib>
#include <hwy/highway.h>
#include <string_view>

namespace dsnn::kernels {
namespace {

// CMake option DSNN_SIMD_TARGETS=one
#if HWY_ARCH_X86 && defined(HWY_COMPILE_ONLY_STATIC)
#define DSNN_ONLY_AVX2
static_assert(HWY_STATIC_TARGET == HWY_AVX2, "the kernels would have other results");
#endif

SimdLevel best_of_machine() {
#if defined(DSNN_ONLY_AVX2)
  if ((hwy::SupportedTargets() & HWY_AVX2) == 0) {
    throw Error("this build needs a processor with AVX2");
  }
  return SimdLevel::kAvx2;
#elif HWY_ARCH_X86
  const auto targets = hwy::SupportedTargets();
  if ((targets & HWY_AVX3) != 0) return SimdLevel::kAvx512;
  if ((targets & HWY_AVX2) != 0) return SimdLevel::kAvx2;
#endif
  return SimdLevel::kBaseline;
}

/// For people.
std::string name_of(SimdLevel level) {
  switch (level) {
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

/// The instruction set given by DSNN_SIMD, or the best available.
SimdLevel chosen_level() {
  const SimdLevel best = best_of_machine();
  const char* value = std::getenv("DSNN_SIMD");
  const std::string_view name = value == nullptr ? "" : value;
  if (name.empty()) return best;
  SimdLevel wanted = SimdLevel::kBaseline;
  if (name == "avx512") {
    wanted = SimdLevel::kAvx512;
  } else if (name == "avx2") {
    wanted = SimdLevel::kAvx2;
  } else if (name != "baseline") {
    throw Error(fmt::format("DSNN_SIMD is '{}', expected baseline, avx2 or avx512", name));
  }
#if defined(DSNN_ONLY_AVX2)
  if (wanted != best) {
    throw Error(fmt::format("DSNN_SIMD is '{}', but this build has kernels for AVX2 only", name));
  }
#endif
  if (wanted > best) {
    throw Error(fmt::format("DSNN_SIMD is '{}', but this machine supports at most {}", name,
                            name_of(best)));
  }
  return wanted;
}

}  // namespace

SimdLevel simd_level() {
  static const SimdLevel level = chosen_level();
  return level;
}

std::string simd_name() { return name_of(simd_level()); }

bool has_fused_multiply_add() {
#if HWY_ARCH_ARM_A64
  return true;
#else
  return simd_level() != SimdLevel::kBaseline;
#endif
}

}  // namespace dsnn::kernels
