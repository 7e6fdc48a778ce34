#include "dsnn/graph/dsbm.h"

#include "dsnn/util/error.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace dsnn {
namespace {

/// Within six standard deviations of a binomial count.
void expect_binomial(double count, double trials, double p) {
  EXPECT_NEAR(count, trials * p, 6 * std::sqrt(trials * p * (1 - p)) + 1e-9);
}

TEST(Dsbm, DensitiesAndDirectionsFollowTheModel) {
  DsbmOptions options;
  options.num_nodes = 1000;
  options.num_communities = 4;
  options.alpha_in = 0.1;
  options.alpha_out = 0.03;
  options.beta = 0.2;
  for (options.seed = 0; options.seed < 5; ++options.seed) {
    const std::vector<std::int64_t> community = dsbm_communities(options);
    std::map<std::pair<std::int64_t, std::int64_t>, double> counts;
    double within = 0, between = 0, forward = 0, upward = 0;
    std::set<std::pair<NodeId, NodeId>> pairs;
    for (const Arc& arc : sample_dsbm(options)) {
      const auto i = community[static_cast<std::size_t>(arc.source)];
      const auto j = community[static_cast<std::size_t>(arc.target)];
      EXPECT_NE(arc.source, arc.target);
      EXPECT_TRUE(pairs.insert(std::minmax(arc.source, arc.target)).second)
          << "a pair joined twice";
      if (i == j) {
        within += 1;
        upward += arc.source < arc.target ? 1 : 0;
      } else {
        between += 1;
        forward += i < j ? 1 : 0;
        counts[std::minmax(i, j)] += 1;
      }
    }
    expect_binomial(within, 4 * 250.0 * 249 / 2, options.alpha_in);
    expect_binomial(upward, within, 0.5);
    expect_binomial(between, 6 * 250.0 * 250, options.alpha_out);
    expect_binomial(forward, between, options.beta);
    for (const auto& [pair, count] : counts) expect_binomial(count, 250.0 * 250, options.alpha_out);
  }
}

TEST(Dsbm, EveryPairIsEquallyLikely) {
  DsbmOptions options;
  options.num_nodes = 7;
  options.num_communities = 2;
  options.alpha_in = 0.3;
  options.alpha_out = 0.6;
  const std::vector<std::int64_t> community = dsbm_communities(options);
  std::map<std::pair<NodeId, NodeId>, double> counts;
  constexpr int kSamples = 4000;
  for (options.seed = 0; options.seed < kSamples; ++options.seed) {
    for (const Arc& arc : sample_dsbm(options)) counts[std::minmax(arc.source, arc.target)] += 1;
  }
  EXPECT_EQ(counts.size(), 21U);
  for (const auto& [pair, count] : counts) {
    const bool is_within = community[static_cast<std::size_t>(pair.first)] ==
                           community[static_cast<std::size_t>(pair.second)];
    expect_binomial(count, kSamples, is_within ? options.alpha_in : options.alpha_out);
  }
}

TEST(Dsbm, ProbabilitiesZeroAndOne) {
  DsbmOptions options;
  options.num_nodes = 50;
  options.num_communities = 3;
  EXPECT_TRUE(sample_dsbm(options).empty());
  options.alpha_in = options.alpha_out = options.beta = 1;
  const std::vector<Arc> complete = sample_dsbm(options);
  EXPECT_EQ(complete.size(), 50U * 49 / 2);
  const std::vector<std::int64_t> community = dsbm_communities(options);
  for (const Arc& arc : complete) {
    EXPECT_LE(community[static_cast<std::size_t>(arc.source)],
              community[static_cast<std::size_t>(arc.target)]);
  }
}

TEST(Dsbm, CommunitiesDifferByOneNodeAtMost) {
  DsbmOptions options;
  options.num_nodes = 11;
  options.num_communities = 4;
  EXPECT_EQ(dsbm_communities(options),
            (std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3}));
}

TEST(Dsbm, SameSeedSameGraph) {
  DsbmOptions options;
  options.num_nodes = 300;
  options.num_communities = 3;
  options.alpha_in = 0.1;
  options.alpha_out = 0.1;
  const auto sample = [&](std::uint64_t seed) {
    options.seed = seed;
    std::vector<std::pair<NodeId, NodeId>> arcs;
    for (const Arc& arc : sample_dsbm(options)) arcs.emplace_back(arc.source, arc.target);
    return arcs;
  };
  EXPECT_EQ(sample(7), sample(7));
  EXPECT_NE(sample(7), sample(8));
}

TEST(Dsbm, ASeedMeansTheSameGraphForGood) {
  DsbmOptions options;
  options.num_nodes = 500;
  options.num_communities = 4;
  options.alpha_in = 0.05;
  options.alpha_out = 0.02;
  options.beta = 0.3;
  options.seed = 42;
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const Arc& arc : sample_dsbm(options)) {
    for (const NodeId node : {arc.source, arc.target}) {
      hash = (hash ^ static_cast<std::uint64_t>(node)) * 1099511628211ULL;
    }
  }
  EXPECT_EQ(hash, 7811874562823812439ULL) << "published graphs could not be made again";
}

TEST(Dsbm, RefusesWhatIsNoModel) {
  const auto error_of = [](auto change) {
    DsbmOptions options;
    options.num_nodes = 10;
    options.num_communities = 2;
    change(options);
    return testing::message_of<Error>([&] { sample_dsbm(options); });
  };
  EXPECT_TRUE(testing::contains(error_of([](auto& o) { o.alpha_in = 1.5; }), "alpha_in is 1.5"));
  EXPECT_TRUE(testing::contains(error_of([](auto& o) { o.alpha_out = -1; }), "alpha_out is -1"));
  EXPECT_TRUE(testing::contains(error_of([](auto& o) { o.beta = std::nan(""); }), "beta is nan"));
  EXPECT_TRUE(
      testing::contains(error_of([](auto& o) { o.num_nodes = 0; }), "number of nodes is 0"));
  EXPECT_TRUE(
      testing::contains(error_of([](auto& o) { o.num_communities = 11; }), "expected 1 to 10"));
}

}  // namespace
}  // namespace dsnn
