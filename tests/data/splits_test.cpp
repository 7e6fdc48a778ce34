#include "dsnn/data/splits.h"

#include "dsnn/util/error.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

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

// Of two classes with 3 and 2 nodes; in Python, with nodes = [0, 2, 4] and then [1, 3]:
//   rng = np.random.default_rng(i); rng.permutation(nodes) for each class
TEST(Splits, AreDrawnAsNumpyDrawsThem) {
  const std::vector<std::int64_t> labels = {0, 1, 0, 1, 0};
  const auto splits = numpy_stratified_splits(labels, 2, {.train = 0.5, .validation = 0.25}, 2);
  ASSERT_EQ(splits.size(), 2U);
  using Mask = std::vector<std::uint8_t>;
  // default_rng(0): [4, 0, 2] and [3, 1]; of 3 nodes round(1.5) train and round(0.75) validate, of
  // 2 one and round(0.5), which is 0 where halves go to even.
  EXPECT_EQ(splits[0].train, (Mask{1, 0, 0, 1, 1}));
  EXPECT_EQ(splits[0].validation, (Mask{0, 0, 1, 0, 0}));
  EXPECT_EQ(splits[0].test, (Mask{0, 1, 0, 0, 0}));
  EXPECT_EQ(splits[1].train, (Mask{1, 1, 1, 0, 0}));
}

TEST(Splits, OfCiteseerAreThoseOfItsRecipe) {
  const char* folder = std::getenv("DSNN_DATA");
  if (folder == nullptr) GTEST_SKIP() << "DSNN_DATA is not set";
  const Dataset dataset = read_dataset(find_dataset("citeseer", folder));
  ASSERT_EQ(dataset.splits.size(), 10U);
  const auto splits = numpy_stratified_splits(dataset.labels, dataset.num_classes, {}, 10);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    EXPECT_EQ(splits[i].train, dataset.splits[i].train) << i;
    EXPECT_EQ(splits[i].validation, dataset.splits[i].validation) << i;
    EXPECT_EQ(splits[i].test, dataset.splits[i].test) << i;
  }
}

}  // namespace
}  // namespace dsnn
