#include "cli/cli_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace dsnn {
namespace {

using testing::CliTest;
using testing::failed_with;
using testing::joined;
using testing::Json;
using testing::Outcome;
using testing::run_dsnn;
using testing::succeeded;
using testing::Words;
using testing::operator+;
using Integers = std::vector<std::int64_t>;
using Masks = Array<std::uint8_t>;

class GenerateTest : public CliTest {
 protected:
  Words command(int nodes, int communities, double alpha_in, double alpha_out, double beta,
                const std::string& output) {
    return {"generate",    "dsbm",
            "-n",          fmt::format("{}", nodes),
            "-C",          fmt::format("{}", communities),
            "--alpha-in",  fmt::format("{}", alpha_in),
            "--alpha-out", fmt::format("{}", alpha_out),
            "--beta",      fmt::format("{}", beta),
            "-o",          path(output)};
  }
  NpzReader generate(int nodes, int communities, double alpha_in, double alpha_out, double beta) {
    EXPECT_TRUE(
        succeeded(run_dsnn(command(nodes, communities, alpha_in, alpha_out, beta, "g.npz"))));
    return NpzReader(dir_ / "g.npz");
  }
  static Integers integers(const NpzReader& file, const std::string& name) {
    return file.read<std::int64_t>(name).data;
  }
};

/// Whether a count of independent events is plausible: within six standard deviations, which fails
/// by chance once in 10^9 times.
::testing::AssertionResult is_likely(double count, double trials, double probability) {
  const double mean = trials * probability;
  const double deviation = std::sqrt(trials * probability * (1 - probability));
  if (std::abs(count - mean) <= 6 * deviation) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << count << " of " << trials << ", expected about " << mean;
}

TEST_F(GenerateTest, WritesEveryArray) {
  const NpzReader file = generate(302, 3, 0.2, 0.05, 0.8);
  EXPECT_EQ(file.names(), (Words{"edges", "node_features", "node_labels", "num_nodes", "test_masks",
                                 "train_masks", "val_masks"}));
  EXPECT_EQ(file.info("edges").dtype, "<i8");
  EXPECT_EQ(file.info("node_features").dtype, "<f4");
  EXPECT_EQ(file.info("node_features").shape, (Integers{302, 1}));
  EXPECT_EQ(file.info("node_labels").dtype, "<i8");
  EXPECT_EQ(file.info("train_masks").dtype, "|b1");
  EXPECT_EQ(file.info("train_masks").shape, (Integers{10, 302}));
  EXPECT_EQ(integers(file, "num_nodes"), Integers{302});
  // Runs of 101, 101 and 100 nodes.
  const Integers labels = integers(file, "node_labels");
  for (std::size_t u = 0; u < 302; ++u) EXPECT_EQ(labels[u], u < 101 ? 0 : u < 202 ? 1 : 2);
}

TEST_F(GenerateTest, DrawsEdgesWithTheGivenProbabilities) {
  const NpzReader file = generate(300, 3, 0.2, 0.05, 0.8);
  const Integers edges = integers(file, "edges");
  std::set<std::pair<std::int64_t, std::int64_t>> pairs;
  std::vector<float> degrees(300, 0);
  double within = 0;
  double within_upwards = 0;
  double between = 0;
  double between_upwards = 0;
  for (std::size_t i = 0; i < edges.size(); i += 2) {
    const std::int64_t u = edges[i];
    const std::int64_t v = edges[i + 1];
    ASSERT_NE(u, v);
    EXPECT_TRUE(pairs.emplace(std::min(u, v), std::max(u, v)).second) << "two arcs of one pair";
    const bool is_within = u / 100 == v / 100;
    (is_within ? within : between) += 1;
    if (u < v) (is_within ? within_upwards : between_upwards) += 1;
    ++degrees[static_cast<std::size_t>(u)];
    ++degrees[static_cast<std::size_t>(v)];
  }
  EXPECT_TRUE(is_likely(within, 3 * 100 * 99 / 2, 0.2));
  EXPECT_TRUE(is_likely(between, 3 * 100 * 100, 0.05));
  EXPECT_TRUE(is_likely(within_upwards, within, 0.5));
  EXPECT_TRUE(is_likely(between_upwards, between, 0.8));
  EXPECT_EQ(file.read<float>("node_features").data, degrees);
}

TEST_F(GenerateTest, SplitsEveryCommunity) {
  const NpzReader file = generate(300, 3, 0.02, 0.02, 0.5);
  const Masks train = file.read<std::uint8_t>("train_masks");
  const Masks validation = file.read<std::uint8_t>("val_masks");
  const Masks test = file.read<std::uint8_t>("test_masks");
  std::set<std::vector<std::uint8_t>> different;
  for (std::size_t split = 0; split < 10; ++split) {
    int counts[3][3] = {};
    for (std::size_t u = 0; u < 300; ++u) {
      const std::size_t at = split * 300 + u;
      ASSERT_EQ(train.data[at] + validation.data[at] + test.data[at], 1) << "disjoint, and all";
      counts[u / 100][0] += train.data[at];
      counts[u / 100][1] += validation.data[at];
      counts[u / 100][2] += test.data[at];
    }
    for (const auto& count : counts) {
      EXPECT_EQ(count[0], 80);
      EXPECT_EQ(count[1], 5);
      EXPECT_EQ(count[2], 15);
    }
    const auto begin = train.data.begin() + static_cast<std::ptrdiff_t>(300 * split);
    different.emplace(begin, begin + 300);
  }
  EXPECT_EQ(different.size(), 10u);
}

TEST_F(GenerateTest, RepeatsItselfWithTheSameSeed) {
  const Words words = command(200, 4, 0.1, 0.05, 0.3, "a.npz");
  const auto bytes_with = [&](const Words& seed) {
    EXPECT_TRUE(succeeded(run_dsnn(words + seed)));
    return read("a.npz");
  };
  const std::string by_default = bytes_with({});
  EXPECT_EQ(bytes_with({"--seed", "0"}), by_default);
  const std::string with_seven = bytes_with({"--seed", "7"});
  EXPECT_NE(with_seven, by_default);
  EXPECT_EQ(bytes_with({"--seed", "7"}), with_seven);
  EXPECT_NE(bytes_with({"--seed", "18446744073709551615"}), with_seven);
}

TEST_F(GenerateTest, SaysTheSameInTextAndJson) {
  const Words words = command(50, 2, 0.3, 0.1, 0.3, "g.npz") + Words{"--seed", "3"};
  const std::string text = run_dsnn(words).out;
  const auto num_arcs = NpzReader(dir_ / "g.npz").info("edges").shape[0];
  EXPECT_EQ(text,
            fmt::format("{}: 50 nodes, {} arcs, 2 communities, 10 splits (80/5/15 per class)\n",
                        path("g.npz"), num_arcs));
  EXPECT_EQ(json_of(words), (Json{{"output", path("g.npz")},
                                  {"nodes", 50},
                                  {"arcs", num_arcs},
                                  {"classes", 2},
                                  {"splits", 10},
                                  {"seed", 3}}));
}

TEST_F(GenerateTest, MakesWhatInfoReads) {
  EXPECT_TRUE(succeeded(run_dsnn(command(100, 4, 0.3, 0.1, 0.3, "g.npz"))));
  const Json info = json_of({"info", path("g.npz")});
  EXPECT_EQ(info["nodes"], 100);
  EXPECT_EQ(info["two_way_edges"], 0);
  EXPECT_EQ(info["labels"]["class_sizes"], (Json{25, 25, 25, 25}));
  EXPECT_EQ(info["features"]["count"], 1);
  EXPECT_EQ(info["splits"]["count"], 10);
  EXPECT_EQ(info["splits"]["train"], (Json{80, 80}));
  EXPECT_EQ(info["splits"]["validation"], (Json{4, 4}));  // round(0.05 * 25) in each community
  EXPECT_EQ(info["splits"]["test"], (Json{16, 16}));
}

TEST_F(GenerateTest, TakesExtremeOptions) {
  EXPECT_EQ(generate(1, 1, 1, 1, 1).info("edges").shape, (Integers{0, 2}));
  EXPECT_EQ(generate(20, 4, 0, 0, 0.5).info("edges").shape, (Integers{0, 2}));
  EXPECT_EQ(generate(20, 4, 1, 1, 0.5).info("edges").shape, (Integers{190, 2}));
  EXPECT_EQ(generate(20, 4, 1, 0, 0.5).info("edges").shape, (Integers{40, 2}));
  for (const int beta : {0, 1}) {
    const Integers edges = integers(generate(10, 10, 1, 1, beta), "edges");
    EXPECT_EQ(edges.size(), 90u);
    for (std::size_t i = 0; i < edges.size(); i += 2) {
      EXPECT_EQ(edges[i] < edges[i + 1], beta == 1);
    }
  }
}

TEST_F(GenerateTest, ChecksItsOptions) {
  struct Case {
    std::string option, value, expected;
  };
  const Case cases[] = {
      {"-n", "0", "expected an integer from 1 to 2147483647"},
      {"-n", "-5", "expected an integer from 1 to 2147483647"},
      {"-n", "2147483648", "--nodes"},
      {"-n", "1e3", "--nodes"},
      {"-C", "0", "expected an integer from 1"},
      {"-C", "21", "number of communities is 21, expected 1 to 20"},
      {"--alpha-in", "1.5", "alpha_in is 1.5, expected a probability"},
      {"--alpha-in", "nan", "alpha_in is nan, expected a probability"},
      {"--alpha-out", "-0.1", "alpha_out is -0.1, expected a probability"},
      {"--alpha-out", "some", "--alpha-out"},
      {"--beta", "inf", "beta is inf, expected a probability"},
      {"--seed", "-1", "--seed"},
      {"--seed", "1.5", "--seed"},
      {"--seed", "18446744073709551616", "expected an integer from 0 to 18446744073709551615"}};
  for (const Case& c : cases) {
    Words words = command(20, 4, 0.5, 0.5, 0.5, "bad.npz") + Words{"--seed", "1"};
    *(std::find(words.begin(), words.end(), c.option) + 1) = c.value;
    EXPECT_TRUE(failed_with(run_dsnn(words), {c.expected})) << joined(words);
    EXPECT_EQ(dir_.list(), Words{});
  }
}

}  // namespace
}  // namespace dsnn
