#include "dsnn/train/scores.h"

#include "dsnn/util/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

namespace dsnn {
namespace {

// Each by its definition, over many random cases with ties.
TEST(Scores, AreThoseOfTheirDefinitions) {
  Random random(5);
  for (int trial = 0; trial < 200; ++trial) {
    const auto classes = static_cast<std::int64_t>(2 + random.below(3));
    const auto n = static_cast<std::int64_t>(1 + random.below(30));
    std::vector<float> logits;
    std::vector<std::int64_t> labels, nodes;
    for (std::int64_t u = 0; u < n; ++u) {
      for (std::int64_t c = 0; c < classes; ++c) {
        logits.push_back(static_cast<float>(random.below(5)) / 2);
      }
      labels.push_back(
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(classes))));
      if (random.uniform() < 0.8) nodes.push_back(u);
    }
    const Scores scores = score(logits, classes, labels, nodes);
    if (nodes.empty()) {
      EXPECT_EQ(scores.accuracy, 0);
      continue;
    }
    double loss = 0, hits = 0, f1 = 0;
    const auto prediction = [&](std::int64_t u) {
      std::int64_t best = 0;
      for (std::int64_t c = 1; c < classes; ++c) {
        if (logits[u * classes + c] > logits[u * classes + best]) best = c;
      }
      return best;
    };
    std::set<std::int64_t> occurring;
    for (const std::int64_t u : nodes) {
      double sum = 0;
      for (std::int64_t c = 0; c < classes; ++c) sum += std::exp(double{logits[u * classes + c]});
      loss -= std::log(std::exp(double{logits[u * classes + labels[u]]}) / sum);
      hits += prediction(u) == labels[u];
      occurring.insert({labels[u], prediction(u)});
    }
    for (const std::int64_t c : occurring) {
      double both = 0, predicted = 0, actual = 0;
      for (const std::int64_t u : nodes) {
        both += prediction(u) == c && labels[u] == c;
        predicted += prediction(u) == c;
        actual += labels[u] == c;
      }
      const double precision = predicted == 0 ? 0 : both / predicted;
      const double recall = actual == 0 ? 0 : both / actual;
      f1 += both == 0 ? 0 : 2 * precision * recall / (precision + recall);
    }
    const auto count = static_cast<double>(nodes.size());
    EXPECT_NEAR(scores.loss, loss / count, 1e-9);
    EXPECT_NEAR(scores.accuracy, hits / count, 1e-12);
    EXPECT_NEAR(scores.macro_f1, f1 / static_cast<double>(occurring.size()), 1e-12);
    double pairs = 0, wins = 0;
    for (const std::int64_t u : nodes) {
      for (const std::int64_t v : nodes) {
        if (classes != 2 || labels[u] != 1 || labels[v] != 0) continue;
        const float a = logits[u * 2 + 1] - logits[u * 2], b = logits[v * 2 + 1] - logits[v * 2];
        ++pairs;
        wins += a > b ? 1 : a == b ? 0.5 : 0;
      }
    }
    EXPECT_EQ(scores.roc_auc.has_value(), pairs > 0);
    EXPECT_NEAR(scores.roc_auc.value_or(0), pairs > 0 ? wins / pairs : 0, 1e-12);
  }
}

// They would have no order.
TEST(Scores, NumbersThatAreNotFiniteHaveNoRanks) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> logits = {nan, nan, 0, 1, 1, nan};
  const std::vector<std::int64_t> labels = {0, 1, 0}, nodes = {0, 1, 2};
  EXPECT_FALSE(score(logits, 2, labels, nodes).roc_auc.has_value());
}

TEST(Scores, MeanAndDeviationOverSplits) {
  const std::vector<double> values = {2, 4, 9};
  EXPECT_DOUBLE_EQ(mean_and_deviation(values).mean, 5);
  EXPECT_DOUBLE_EQ(mean_and_deviation(values).deviation, std::sqrt(13.0));  // (9 + 1 + 16) / 2
  EXPECT_EQ(mean_and_deviation(std::vector<double>{7}).deviation, 0);
}

}  // namespace
}  // namespace dsnn
