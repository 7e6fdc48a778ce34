#include "dsnn/data/splits.h"

#include "dsnn/util/error.h"

#include "support/expect_error.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

namespace dsnn {
namespace {

using testing::expect_error;

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

TEST(Splits, TakeSoManyOfEachClass) {
  std::vector<std::int64_t> labels(40, 0);
  for (int i = 0; i < 4; ++i) labels.push_back(1);  // a class that is too small
  labels.push_back(-1);
  for (const Split& split : per_class_splits(labels, 2, {.train = 3, .validation = 5}, 4, 7)) {
    std::array<std::array<int, 3>, 2> counts{};  // class, part
    for (std::size_t u = 0; u < 44; ++u) {
      auto& parts = counts[static_cast<std::size_t>(labels[u])];
      parts[0] += split.train[u];
      parts[1] += split.validation[u];
      parts[2] += split.test[u];
    }
    EXPECT_EQ(counts[0], (std::array<int, 3>{3, 5, 32}));
    EXPECT_EQ(counts[1], (std::array<int, 3>{3, 1, 0}));
    EXPECT_EQ(split.train[44] + split.validation[44] + split.test[44], 0);
  }
  EXPECT_TRUE(testing::contains(testing::message_of<Error>([&] {
                                  per_class_splits(labels, 2, {-1, 3}, 1, 0);
                                }),
                                "-1 and 3 nodes per class, expected 0 or more"));
}

// Six nodes of classes 0, 0, 1, 1, 2 and none.
class SplitChecks : public ::testing::Test {
 protected:
  SplitChecks() {
    dataset_.graph = DirectedGraph::from_arcs(6, {});
    dataset_.labels = {0, 0, 1, 1, 2, -1};
    dataset_.num_classes = 3;
  }
  // A letter a node: t, v, x for test, b for both train and test, - for none.
  void add(std::string_view parts) {
    Split split;
    for (const char c : parts) {
      split.train.push_back(c == 't' || c == 'b');
      split.validation.push_back(c == 'v');
      split.test.push_back(c == 'x' || c == 'b');
    }
    dataset_.splits.push_back(split);
  }
  std::vector<std::string> problems() const {
    std::vector<std::string> texts;
    for (const SplitProblem& problem : check_splits(dataset_)) {
      texts.push_back((problem.is_error ? "error: " : "warning: ") + problem.text);
    }
    return texts;
  }

  Dataset dataset_;
};

TEST_F(SplitChecks, FindNothingWhereNothingIs) {
  EXPECT_TRUE(problems().empty());
  dataset_.labels = {0, 0, 1, 1, -1, -1};
  add("tvtx--");
  EXPECT_TRUE(problems().empty());
}

TEST_F(SplitChecks, SayHowManyNodes) {
  add("bbtxt-");
  EXPECT_EQ(problems(),
            (std::vector<std::string>{
                "error: split 0: 2 nodes are in more than one of training, validation and test",
                "warning: split 0: no validation nodes"}));
  dataset_.splits.clear();
  add("------");
  EXPECT_EQ(problems(), (std::vector<std::string>{"error: split 0: no training nodes with a label",
                                                  "error: split 0: no test nodes",
                                                  "warning: split 0: no validation nodes"}));
  dataset_.splits.clear();
  add("ttvxxx");
  EXPECT_EQ(problems(),
            (std::vector<std::string>{
                "warning: split 0: 1 nodes have no label",
                "warning: split 0: 3 nodes belong to classes without a training node"}));
}

// As a program may build it without reading a file.
TEST_F(SplitChecks, RefuseLabelsThatDoNotFit) {
  add("tvtxt-");
  dataset_.num_classes = 2;
  expect_error([&] { problems(); }, "labels: node 4 has label 2, expected less than 2");
  dataset_.num_classes = -1;
  expect_error([&] { problems(); }, "labels: -1 classes, expected 0 or more");
  dataset_.num_classes = 3;
  dataset_.labels.pop_back();
  expect_error([&] { problems(); }, "labels: 5 labels for 6 nodes, expected one per node");
  dataset_.labels.clear();
  EXPECT_TRUE(problems().empty());
}

TEST_F(SplitChecks, JoinTheSameTroubleOfManySplits) {
  add("tvtxt-");
  add("ttvxx-");
  add("ttvv-x");
  EXPECT_EQ(problems(),
            (std::vector<std::string>{
                "warning: split 2: 1 nodes have no label",
                "warning: 2 of 3 splits (the first is 1): up to 3 nodes belong to classes without "
                "a training node"}));
  dataset_.splits[0].train.pop_back();
  EXPECT_EQ(problems()[0], "error: split 0: masks of 5, 6 and 6 nodes, expected 6");
}

}  // namespace
}  // namespace dsnn
