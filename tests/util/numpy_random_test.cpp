#include "util/numpy_random.h"

#include <gtest/gtest.h>

#include <numeric>

// The expected numbers are from NumPy 1.24, in Python:
//   hex(np.random.default_rng(seed).bit_generator.random_raw()), default_rng(seed).permutation(12)

namespace dsnn {
namespace {

std::vector<int> range(int size) {
  std::vector<int> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(NumpyRandom, YieldsTheNumbersOfPcg64) {
  struct Case {
    std::uint64_t seed, first, second;
  };
  for (const Case& c : {Case{0, 0xa30febcfd9c2825f, 0x4510bdf882d9d721},
                        {1, 0x8306bdf37922e4ff, 0xf35196bbc152a866},
                        {9, 0xdec8a6de6bea8721, 0x496cda44f6070420},
                        {12345678901234567, 0x570bdf409a6934c3, 0xe59712d10496fc19}}) {
    NumpyRandom random(c.seed);
    EXPECT_EQ(random.next64(), c.first) << c.seed;
    EXPECT_EQ(random.next64(), c.second) << c.seed;
  }
}

TEST(NumpyRandom, HandsOutTheLowerHalfFirst) {
  NumpyRandom random(0);
  EXPECT_EQ(random.next32(), 0xd9c2825f);
  EXPECT_EQ(random.next32(), 0xa30febcf);
  EXPECT_EQ(random.next32(), 0x82d9d721);
}

TEST(NumpyRandom, PermutesAsNumpyDoes) {
  EXPECT_EQ(NumpyRandom(0).permutation(range(12)),
            (std::vector{9, 2, 7, 4, 5, 11, 0, 3, 6, 10, 8, 1}));
  EXPECT_EQ(NumpyRandom(1).permutation(range(12)),
            (std::vector{8, 11, 4, 7, 5, 0, 1, 9, 2, 10, 6, 3}));
  EXPECT_EQ(NumpyRandom(12345678901234567).permutation(range(12)),
            (std::vector{8, 6, 2, 7, 11, 10, 4, 5, 1, 9, 0, 3}));
  std::vector<int> thousand = NumpyRandom(9).permutation(range(1000));
  thousand.resize(5);
  EXPECT_EQ(thousand, (std::vector{49, 340, 77, 789, 732}));
}

// An unused half of one permutation is the first of the next.
TEST(NumpyRandom, GoesOnWhereItStopped) {
  NumpyRandom random(3);
  EXPECT_EQ(random.permutation(std::vector{10, 20, 30}), (std::vector{30, 20, 10}));
  EXPECT_EQ(random.permutation(std::vector{5, 6, 7, 8}), (std::vector{7, 5, 8, 6}));
  EXPECT_EQ(random.permutation(range(1)), range(1));
  EXPECT_EQ(random.permutation(range(0)), range(0));
  EXPECT_EQ(random.permutation(range(5)), (std::vector{3, 0, 2, 1, 4}));
}

}  // namespace
}  // namespace dsnn
