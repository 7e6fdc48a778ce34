#include "kernels/simd.h"

#include "dsnn/util/error.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace dsnn::kernels {
namespace {

// Run again with DSNN_SIMD set, to valid values and an invalid one: see CMakeLists.txt.

TEST(Simd, HasAKnownName) {
  const std::string name = simd_name();
  switch (simd_level()) {
    case SimdLevel::kAvx512:
      EXPECT_EQ(name, "AVX-512");
      break;
    case SimdLevel::kAvx2:
      EXPECT_EQ(name, "AVX2");
      break;
    case SimdLevel::kBaseline:
      EXPECT_TRUE(name == "baseline" || name == "NEON") << name;
  }
}

/// The best instruction set of this machine, or the only one that kernels are compiled for.
SimdLevel best_level() {
#if defined(DSNN_ONE_SIMD_TARGET) && defined(__x86_64__)
  return SimdLevel::kAvx2;
#elif defined(__x86_64__)
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx512) return SimdLevel::kAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return SimdLevel::kAvx2;
#endif
  return SimdLevel::kBaseline;
}

TEST(Simd, IsWhatTheEnvironmentSaysOrTheBest) {
  const char* value = std::getenv("DSNN_SIMD");
  const std::string wanted = value == nullptr ? "" : value;
  SimdLevel level = best_level();
  if (wanted == "avx512") level = SimdLevel::kAvx512;
  if (wanted == "avx2") level = SimdLevel::kAvx2;
  if (wanted == "baseline") level = SimdLevel::kBaseline;
  if (level > best_level()) {
    EXPECT_THROW(simd_level(), Error);
  } else {
    EXPECT_EQ(simd_level(), level);
  }
}

}  // namespace
}  // namespace dsnn::kernels
