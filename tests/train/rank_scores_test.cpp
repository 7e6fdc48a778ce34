#include "dsnn/train/scores.h"
#include "dsnn/util/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

namespace dsnn {
namespace {

/// Hits@K of the Open Graph Benchmark: the share of positives above the K-th largest negative.
double plain_hits(const std::vector<double>& positives, std::vector<double> negatives,
                  std::size_t k) {
  if (negatives.size() < k) return 1;
  std::ranges::sort(negatives, std::greater());
  double above = 0;
  for (const double p : positives) above += p > negatives[k - 1] ? 1 : 0;
  return above / static_cast<double>(positives.size());
}

/// MRR of the Open Graph Benchmark: the mean of an optimistic and a pessimistic rank.
double plain_mrr(const std::vector<double>& positives, const std::vector<double>& negatives) {
  double sum = 0;
  for (const double p : positives) {
    double above = 0, not_below = 0;
    for (const double n : negatives) above += n > p, not_below += n >= p;
    sum += 1 / ((above + not_below) / 2 + 1);
  }
  return sum / static_cast<double>(positives.size());
}

/// sum_n (R_n - R_n-1) P_n over all thresholds, as in scikit-learn.
double plain_precision(const std::vector<double>& positives, const std::vector<double>& negatives) {
  std::set<double, std::greater<>> thresholds(positives.begin(), positives.end());
  thresholds.insert(negatives.begin(), negatives.end());
  double sum = 0, last_recall = 0;
  for (const double t : thresholds) {
    const auto reaches = [&](double s) { return s >= t; };
    const auto hits = static_cast<double>(std::ranges::count_if(positives, reaches));
    const auto others = static_cast<double>(std::ranges::count_if(negatives, reaches));
    const double recall = hits / static_cast<double>(positives.size());
    sum += (recall - last_recall) * hits / (hits + others);
    last_recall = recall;
  }
  return sum;
}

double plain_auc(const std::vector<double>& positives, const std::vector<double>& negatives) {
  double wins = 0;
  for (const double p : positives) {
    for (const double n : negatives) wins += p > n ? 1 : p == n ? 0.5 : 0;
  }
  return wins / static_cast<double>(positives.size() * negatives.size());
}

TEST(RankScores, AreThoseOfTheirDefinitions) {
  Random random(3);
  for (int trial = 0; trial < 300; ++trial) {
    const bool has_ties = trial % 2 == 0;
    const auto draw = [&](std::uint64_t most) {
      std::vector<double> scores(1 + random.below(most));
      for (double& s : scores) {
        s = has_ties ? static_cast<double>(random.below(12)) : random.uniform(-1, 1);
      }
      return scores;
    };
    const std::vector<double> positives = draw(40), negatives = draw(180);
    const auto ranks = rank_scores(positives, negatives);
    ASSERT_TRUE(ranks.has_value());
    EXPECT_NEAR(ranks->roc_auc, plain_auc(positives, negatives), 1e-12);
    EXPECT_NEAR(ranks->average_precision, plain_precision(positives, negatives), 1e-12);
    EXPECT_NEAR(ranks->mrr, plain_mrr(positives, negatives), 1e-12);
    for (std::size_t i = 0; i < kHits.size(); ++i) {
      EXPECT_NEAR(ranks->hits[i],
                  plain_hits(positives, negatives, static_cast<std::size_t>(kHits[i])), 1e-12);
    }
  }
}

// Many scores are sorted in another way: of both signs, zeros of both signs, infinite, with ties,
// as floats or with all their digits.
TEST(RankScores, OfManyAsOfFew) {
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    const auto draw = [&](std::size_t count) {
      std::vector<double> scores = {0.0, -0.0, std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity()};
      while (scores.size() < count) {
        const double z = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(20)));
        scores.push_back(round % 3 == 0   ? z
                         : round % 3 == 1 ? static_cast<double>(static_cast<float>(z))
                                          : std::round(z));
      }
      return scores;
    };
    const std::vector<double> positives = draw(300), negatives = draw(257);
    const auto ranks = rank_scores(positives, negatives);
    ASSERT_TRUE(ranks.has_value());
    EXPECT_NEAR(ranks->roc_auc, plain_auc(positives, negatives), 1e-12) << round;
    EXPECT_NEAR(ranks->average_precision, plain_precision(positives, negatives), 1e-12) << round;
    EXPECT_NEAR(ranks->mrr, plain_mrr(positives, negatives), 1e-12) << round;
    for (std::size_t i = 0; i < kHits.size(); ++i) {
      EXPECT_NEAR(ranks->hits[i],
                  plain_hits(positives, negatives, static_cast<std::size_t>(kHits[i])), 1e-12);
    }
  }
}

TEST(RankScores, NothingToRank) {
  const std::vector<double> some = {1, 2}, none;
  EXPECT_FALSE(rank_scores(some, none).has_value());
  EXPECT_FALSE(rank_scores(none, some).has_value());
  EXPECT_FALSE(rank_scores(some, std::vector{std::nan("")}).has_value());
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(rank_scores(std::vector{infinity}, some)->roc_auc, 1);
}

}  // namespace
}  // namespace dsnn
