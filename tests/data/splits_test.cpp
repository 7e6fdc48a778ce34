#include "dsnn/data/splits.h"

#include "dsnn/util/error.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

#include <array>

namespace dsnn {
namespace {

TEST(Splits, ShareEveryClassAndNothingOverlaps) {
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 300; ++i) labels.push_back(i % 10 == 0 ? -1 : i % 3);
  const std::vector<Split> splits =
      stratified_splits(labels, 3, {.train = 0.8, .validation = 0.05}, 10, 1);
  ASSERT_EQ(splits.size(), 10U);
  for (const Split& split : splits) {
    std::array<std::array<int, 3>, 3> counts{};  // class, part
    for (std::size_t u = 0; u < labels.size(); ++u) {
      const int in = split.train[u] + split.validation[u] + split.test[u];
      ASSERT_EQ(in, labels[u] < 0 ? 0 : 1);
      if (labels[u] < 0) continue;
      ++counts[static_cast<std::size_t>(labels[u])][split.train[u] != 0        ? 0
                                                    : split.validation[u] != 0 ? 1
                                                                               : 2];
    }
    // 90 of each class: round(72), round(4.5), the rest
    for (const auto& parts : counts) EXPECT_EQ(parts, (std::array<int, 3>{72, 5, 13}));
  }
  EXPECT_NE(splits[0].train, splits[1].train);
  const auto again = stratified_splits(labels, 3, {.train = 0.8, .validation = 0.05}, 10, 1);
  EXPECT_EQ(splits[9].test, again[9].test);
  const auto other = stratified_splits(labels, 3, {.train = 0.8, .validation = 0.05}, 10, 2);
  EXPECT_NE(splits[0].train, other[0].train);
}

TEST(Splits, RefuseSharesAboveOneAndUnknownClasses) {
  const std::vector<std::int64_t> labels = {0, 3};
  EXPECT_TRUE(testing::contains(testing::message_of<Error>([&] {
                                  stratified_splits(labels, 4, {.train = 0.8, .validation = 0.3}, 1,
                                                    0);
                                }),
                                "shares 0.8 and 0.3"));
  EXPECT_TRUE(
      testing::contains(testing::message_of<Error>([&] { stratified_splits(labels, 2, {}, 1, 0); }),
                        "node 1 has label 3"));
}

}  // namespace
}  // namespace dsnn
