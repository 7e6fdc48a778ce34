#include "graph/closest_pairs.h"

#include "dsnn/util/error.h"
#include "dsnn/util/random.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace dsnn {

std::ostream& operator<<(std::ostream& out, const NodePair& pair) {
  return out << pair.u << "-" << pair.v;
}

namespace {

/// All pairs, sorted by (distance, u, v).
std::vector<NodePair> plain_closest_pairs(const std::vector<double>& z, std::size_t count) {
  std::vector<std::tuple<double, NodeId, NodeId>> all;
  for (std::size_t u = 0; u < z.size() / 2; ++u) {
    for (std::size_t v = u + 1; v < z.size() / 2; ++v) {
      const double dx = z[2 * u] - z[2 * v];
      const double dy = z[2 * u + 1] - z[2 * v + 1];
      all.emplace_back(dx * dx + dy * dy, static_cast<NodeId>(u), static_cast<NodeId>(v));
    }
  }
  std::sort(all.begin(), all.end());
  all.resize(std::min(count, all.size()));
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(std::get<1>(a), std::get<2>(a)) < std::tie(std::get<1>(b), std::get<2>(b));
  });
  std::vector<NodePair> result;
  for (const auto& [distance, u, v] : all) result.push_back({u, v});
  return result;
}

/// With few positions, many points coincide and many distances are equal; 0: all different.
std::vector<double> random_points(Random& random, std::size_t num_points, std::uint64_t places) {
  std::vector<double> z(2 * num_points);
  for (double& coordinate : z) {
    coordinate = places == 0 ? random.uniform(-1, 1) : static_cast<double>(random.below(places));
  }
  return z;
}

TEST(ClosestPairs, AgreeWithAllPairsSorted) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    const std::size_t num_points = random.below(seed % 2 == 0 ? 12 : 150);
    const std::uint64_t places = std::vector<std::uint64_t>{0, 1, 2, 4, 30}[seed % 5];
    const std::vector<double> z = random_points(random, num_points, places);
    const std::uint64_t num_pairs = num_points * (num_points + 1) / 2;
    for (const std::uint64_t limit : {std::uint64_t{3}, 2 * num_points, num_pairs}) {
      const std::uint64_t count = random.below(limit + 3);  // sometimes more than exist
      EXPECT_EQ(closest_pairs(z, static_cast<std::int64_t>(count)), plain_closest_pairs(z, count))
          << "seed " << seed << ", " << count << " pairs";
    }
  }
}

TEST(ClosestPairs, ClustersOfVeryDifferentSizes) {
  Random random(1);
  std::vector<double> z;
  for (int cluster = 0; cluster < 12; ++cluster) {
    const double size = std::pow(10.0, -cluster);
    const double x = random.uniform(-5, 5);
    for (int i = 0; i < 40; ++i) {
      z.push_back(x + size * random.uniform());
      z.push_back(size * random.uniform());
    }
  }
  for (const std::size_t count : {1U, 100U, 1000U, 5000U, 50000U}) {
    EXPECT_EQ(closest_pairs(z, static_cast<std::int64_t>(count)), plain_closest_pairs(z, count))
        << count;
  }
}

TEST(ClosestPairs, OneHundredThousandPointsAtOnePlace) {
  constexpr NodeId kPoints = 100'000;
  constexpr NodeId kRows = 5;  // the pairs 0-v, 1-v, ..., 4-v
  const std::int64_t count = std::int64_t{kRows} * kPoints - kRows * (kRows + 1) / 2;
  const std::vector<NodePair> pairs = closest_pairs(std::vector<double>(2 * kPoints, 0.25), count);
  ASSERT_EQ(static_cast<std::int64_t>(pairs.size()), count);
  std::size_t i = 0;
  for (NodeId u = 0; u < kRows; ++u) {
    for (NodeId v = u + 1; v < kPoints; ++v) ASSERT_EQ(pairs[i++], (NodePair{u, v}));
  }
}

TEST(ClosestPairs, TwoPlacesWithFiftyThousandPointsEach) {
  // Even points at 0, odd ones at 1: more pairs of distance 0 than requested, or than fit in
  // memory.
  constexpr NodeId kPoints = 100'000;
  std::vector<double> z(2 * kPoints, 0);
  for (std::size_t u = 1; u < kPoints; u += 2) z[2 * u] = 1;
  for (const NodePair pair : closest_pairs(z, 300'000)) {
    ASSERT_EQ(pair.u % 2, pair.v % 2);
    ASSERT_LE(pair.u, 6);
  }
}

TEST(ClosestPairs, ManyPairsOfTheSamePositiveDistance) {
  // No two points coincide, and each has four at distance 1: ties at the bound.
  constexpr std::size_t kSide = 300;
  std::vector<double> z;
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
    z.push_back(static_cast<double>(i % kSide));
    z.push_back(static_cast<double>(i / kSide));
  }
  const std::vector<NodePair> pairs = closest_pairs(z, 1000);
  ASSERT_EQ(pairs.size(), 1000U);
  EXPECT_EQ(pairs[0], (NodePair{0, 1}));
  EXPECT_EQ(pairs[1], (NodePair{0, kSide}));
  EXPECT_LT(pairs.back().u, 502);
}

TEST(ClosestPairs, NoneToFind) {
  EXPECT_TRUE(closest_pairs({}, 5).empty());
  EXPECT_TRUE(closest_pairs(std::vector<double>{1, 2}, 5).empty());
  EXPECT_TRUE(closest_pairs(std::vector<double>{1, 2, 3, 4}, 0).empty());
}

TEST(ClosestPairs, PositionsMustBeFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(testing::message_of<Error>([&] {
              closest_pairs(std::vector<double>{1, 2, 3, nan}, 1);
            }),
            "closest pairs: the position of point 1 is nan, expected a finite value");
}

}  // namespace
}  // namespace dsnn
