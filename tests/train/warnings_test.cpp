#include "dsnn/train/train.h"

#include "support/communities.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dsnn {
namespace {

using testing::communities;
using testing::options_of;

bool has(const std::vector<std::string>& warnings, const std::string& part) {
  return std::ranges::any_of(
      warnings, [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

/// The features, times a factor, and a column of ones.
Dataset with_scale(float factor) {
  Dataset dataset = communities();
  const Features degrees = dataset.features;
  dataset.features = Features::dense(150, 2, {});
  for (const float degree : degrees.values) {
    dataset.features.values.push_back(factor * degree);
    dataset.features.values.push_back(1);
  }
  return dataset;
}

TEST(Warnings, NoneWhereAllIsWell) {
  const TrainOptions options = options_of({"epochs=60", "normalise_features=standard"});
  EXPECT_TRUE(data_warnings(communities(), options).empty());
  EXPECT_TRUE(training_warnings(train(communities(), options)).empty());
}

TEST(Warnings, OfClassesWithFewTrainingNodes) {
  Dataset dataset = communities();
  dataset.label_names = {"red", "green", "blue"};
  int num_green = 0;
  for (std::size_t u = 0; u < 150; ++u) {
    const bool is_green = dataset.labels[u] == 1;
    if (is_green && dataset.splits[0].train[u] != 0 && ++num_green > 4) {
      dataset.splits[0].train[u] = 0;
    }
  }
  const auto warnings = data_warnings(dataset, options_of({}));
  EXPECT_TRUE(has(warnings, "fewer than 5 training nodes in split 0: 'green' (4); "));
  EXPECT_TRUE(has(warnings, "--split 70/15/15"));
}

TEST(Warnings, OfFeaturesOfDifferentScale) {
  EXPECT_TRUE(has(data_warnings(with_scale(1e4f), options_of({"normalise_features=none"})),
                  "--scale standard"));
  EXPECT_TRUE(data_warnings(with_scale(1e4f), options_of({"normalise_features=standard"})).empty());
  EXPECT_TRUE(data_warnings(with_scale(1), options_of({"normalise_features=none"})).empty());
}

TEST(Warnings, OfALossThatStartsTooHigh) {
  const auto warnings = training_warnings(
      train(with_scale(1e4f), options_of({"normalise_features=none", "epochs=2"}, "mlp")));
  EXPECT_TRUE(has(warnings, "the initial loss is "));
}

TEST(Warnings, OfATrainingThatLearnsNothing) {
  Dataset dataset = communities();
  std::ranges::fill(dataset.features.values, 1.0f);
  const auto warnings = training_warnings(train(dataset, options_of({"epochs=20"}, "mlp")));
  EXPECT_TRUE(has(warnings, "mlp learned nothing: its training accuracy is at most "));
  EXPECT_TRUE(has(warnings, "'dsnn fit', which tries several"));
}

}  // namespace
}  // namespace dsnn
