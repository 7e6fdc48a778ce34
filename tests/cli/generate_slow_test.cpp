#include "cli/cli_test.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dsnn {
namespace {

using testing::CliTest;
using testing::Json;
using testing::Outcome;
using testing::run_dsnn;

class GenerateSlowTest : public CliTest {};

// A million nodes of average degree 20: time and memory follow the edges, not the pairs.
TEST_F(GenerateSlowTest, MakesAMillionNodes) {
  constexpr double kPairs = 1e6 * (1e6 - 1) / 2;
  constexpr double kShare = 2e-5;
  const Outcome outcome =
      run_dsnn({"generate", "dsbm", "-n", "1000000", "-C", "5", "--alpha-in", "2e-5", "--alpha-out",
                "2e-5", "--beta", "0.2", "-o", path("g.npz")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_LT(outcome.seconds, 60);
  const Outcome described = run_dsnn({"info", path("g.npz"), "--json"});
  EXPECT_EQ(described.code, 0) << described.err;
  const Json info = Json::parse(described.out);
  EXPECT_EQ(info["nodes"], 1000000);
  EXPECT_NEAR(info["arcs"].get<double>(), kPairs * kShare, 6 * std::sqrt(kPairs * kShare));
  EXPECT_EQ(info["labels"]["class_sizes"], (Json{200000, 200000, 200000, 200000, 200000}));
  EXPECT_EQ(info["splits"]["train"], (Json{800000, 800000}));
}

}  // namespace
}  // namespace dsnn
