#include "kernels/simd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace dsnn::kernels {
namespace {

// Run again with DSNN_SIMD set, to right values and a wrong one: see CMakeLists.txt.

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

/// The best that this machine could do.
SimdLevel best_level() {
#if defined(__x86_64__)
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_avx512) return SimdLevel::kAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return SimdLevel::kAvx2;
#endif
  return SimdLevel::kBaseline;
}

TEST(Simd, IsTheBestThatTheEnvironmentAllows) {
  const char* value = std::getenv("DSNN_SIMD");
  const std::string wanted = value == nullptr ? "avx512" : value;
  SimdLevel highest = SimdLevel::kAvx512;
  if (wanted == "avx2") highest = SimdLevel::kAvx2;
  if (wanted == "baseline") highest = SimdLevel::kBaseline;
  EXPECT_EQ(simd_level(), std::min(highest, best_level()));
}

}  // namespace
}  // namespace dsnn::kernels
