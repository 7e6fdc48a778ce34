#include "kernels/simd.h"

#include <gtest/gtest.h>

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

TEST(Simd, IsHeldBackByTheEnvironment) {
  const char* value = std::getenv("DSNN_SIMD");
  const std::string wanted = value == nullptr ? "avx512" : value;
  SimdLevel highest = SimdLevel::kAvx512;
  if (wanted == "avx2") highest = SimdLevel::kAvx2;
  if (wanted == "baseline") highest = SimdLevel::kBaseline;
  EXPECT_LE(simd_level(), highest);
}

}  // namespace
}  // namespace dsnn::kernels
