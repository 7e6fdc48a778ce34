#include "cli/cli_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace dsnn {
namespace {

using testing::CliTest;
using testing::contains;
using testing::ends_with;
using testing::Json;
using testing::lines_of;
using testing::Outcome;
using testing::run_dsnn;
using testing::succeeded;
using testing::Words;
using testing::operator+;

class VerifyTest : public CliTest {
 protected:
  std::string mixed() { return write("mixed.txt", "0 1\n1 2\n2 1\n2 3\n3 0\n"); }
  std::string weighted() { return write("weighted.txt", "0 1 2.5\n1 2 -1\n2 1 0.5\n2 0 3\n"); }
};

TEST_F(VerifyTest, PassesOnSmallGraphs) {
  const std::string heavy = write("heavy.txt", "0 1 1e7\n1 2 0.3\n2 0 7\n3 0 -1e6\n0 3 2\n");
  for (const std::string& graph : {mixed(), weighted(), heavy}) {
    const Outcome outcome = run_dsnn({"verify", graph});
    EXPECT_TRUE(succeeded(outcome)) << outcome.out;
    const Words lines = lines_of(outcome.out);
    ASSERT_GE(lines.size(), 10u);
    for (std::size_t i = 1; i < lines.size(); ++i) EXPECT_TRUE(ends_with(lines[i], "  pass"));
    for (const char* label :
         {"theorem 1", "theorem 2", "theorem 3", "theorem 4", "theorem 5", "note"}) {
      EXPECT_TRUE(contains(outcome.out, fmt::format("\n{} ", label)));
    }
  }
}

TEST_F(VerifyTest, SaysTheSameInTextAndJson) {
  const Words lines = lines_of(run_dsnn({"verify", weighted()}).out);
  const Json json = json_of({"verify", weighted()});
  EXPECT_EQ(json["passed"], true);
  ASSERT_EQ(json["claims"].size() + 1, lines.size());
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const Json& claim = json["claims"][i];
    EXPECT_TRUE(lines[i + 1].starts_with(claim["label"].get<std::string>()));
    EXPECT_TRUE(contains(lines[i + 1], fmt::format(" {} ", claim["statement"].get<std::string>())));
    EXPECT_TRUE(
        ends_with(lines[i + 1], fmt::format(" {:.1e}  pass", claim["deviation"].get<double>())));
    EXPECT_EQ(claim["passed"], true);
    EXPECT_LE(claim["deviation"].get<double>(), claim["tolerance"].get<double>());
  }
}

TEST_F(VerifyTest, TakesDimensionTrialsAndSeed) {
  const Words command = {"verify", mixed()};
  EXPECT_TRUE(succeeded(run_dsnn(command + Words{"--d", "1", "--trials", "3"})));
  EXPECT_TRUE(succeeded(run_dsnn(command + Words{"--d", "6", "--trials", "2"})));
  const std::string with_seed = run_dsnn(command + Words{"--seed", "7"}).out;
  EXPECT_EQ(run_dsnn(command + Words{"--seed", "7"}).out, with_seed);
  EXPECT_NE(run_dsnn(command + Words{"--seed", "8"}).out, with_seed);
}

TEST_F(VerifyTest, ExitsWithOneIfAClaimFails) {
#ifdef DSNN_FAILING_THEOREMS
  if (testing::kIsSanitized) GTEST_SKIP() << "nothing can be loaded before the sanitizer";
  const testing::ProcessOptions preload = {.environment = {{"LD_PRELOAD", DSNN_FAILING_THEOREMS}}};
  const Outcome text = run_dsnn({"verify", mixed()}, preload);
  EXPECT_EQ(text.code, 1);
  EXPECT_EQ(text.err, "");
  const Words lines = lines_of(text.out);
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_TRUE(ends_with(lines[1], "1.0e-15  pass"));
  EXPECT_TRUE(ends_with(lines[2], "5.0e-01  FAIL"));
  EXPECT_TRUE(ends_with(lines[3], "nan  FAIL"));

  const Outcome as_json = run_dsnn({"verify", mixed(), "--json"}, preload);
  EXPECT_EQ(as_json.code, 1);
  const Json json = Json::parse(as_json.out);
  EXPECT_EQ(json["passed"], false);
  EXPECT_EQ(json["claims"][0]["passed"], true);
  EXPECT_EQ(json["claims"][1]["passed"], false);
  EXPECT_EQ(json["claims"][2]["passed"], false);
  EXPECT_TRUE(json["claims"][2]["deviation"].is_null());
#else
  GTEST_SKIP() << "the library is not a shared one";
#endif
}

}  // namespace
}  // namespace dsnn
