#include "cli/cli_test.h"

#include <gtest/gtest.h>

#include <string>

namespace dsnn::testing {
namespace {

class FitTest : public CliTest {
 protected:
  /// Sixty people of two teams; those of "blue" call those of "red". Every tenth has no team.
  Words files() {
    std::string people = "name,age,team\n", calls = "from,to\n";
    for (int i = 0; i < 60; ++i) {
      const bool is_blue = i % 2 == 0;
      people += fmt::format("p{},{},{}\n", i, 20 + i, i % 10 == 9 ? "" : is_blue ? "blue" : "red");
      for (int k = 1; k < 8; k += 2) {
        const int other = (i + k) % 60;
        calls += fmt::format("p{},p{}\n", is_blue ? i : other, is_blue ? other : i);
      }
    }
    return {"--edges",        write("calls.csv", calls),
            "--nodes",        write("people.csv", people),
            "--label-column", "team"};
  }
};

TEST_F(FitTest, PredictsWhatHasNoLabel) {
  const Outcome outcome = run_dsnn(Words{"fit"} + files() +
                                   Words{"--trials", "3", "--members", "2", "--out", path("f")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "features: 1 column standardised (age); out-degree"));
  EXPECT_TRUE(contains(outcome.out, "3 trials in "));
  EXPECT_TRUE(contains(outcome.out, "ensemble of 2 members: validation accuracy "));
  EXPECT_TRUE(contains(outcome.out, "dsnn predict " + path("f") + " -o predictions.csv"));
  ASSERT_EQ(run_dsnn({"predict", path("f"), "--only-unlabelled", "-o", path("p.csv")}).code, 0);
  const Words rows = lines_of(read("p.csv"));
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0], "id,label,p_blue,p_red");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_TRUE(rows[i].starts_with(fmt::format("p{},red,", 10 * i - 1))) << rows[i];
  }
  ASSERT_EQ(run_dsnn({"predict", path("f"), "-o", path("all.csv")}).code, 0);
  EXPECT_EQ(lines_of(read("all.csv")).size(), 61u);
  // Another graph, with the preparation of the first.
  write("new.csv", "name,age\nx,30\ny,41\n");
  write("new_calls.csv", "from,to\nx,y\n");
  const Outcome on_new = run_dsnn({"predict", path("f"), "--edges", path("new_calls.csv"),
                                   "--nodes", path("new.csv"), "-o", path("new_out.csv")});
  ASSERT_EQ(on_new.code, 0) << on_new.err;
  EXPECT_TRUE(contains(read("new_out.csv"), "\nx,"));
}

TEST_F(FitTest, ContinuesAndSaysWhatIsWrong) {
  const Words fit = Words{"fit"} + files() + Words{"--members", "1", "--out", path("f")};
  ASSERT_EQ(run_dsnn(fit + Words{"--trials", "1"}).code, 0);
  EXPECT_TRUE(
      contains(run_dsnn(fit + Words{"--trials", "2"}).err,
               "contains a fit already; continue it with --resume, or choose another folder"));
  const Json json = Json::parse(run_dsnn(fit + Words{"--trials", "2", "--resume", "--json"}).out);
  EXPECT_EQ(json["trials"], 2);
  EXPECT_EQ(json["members"].size(), 1u);
  EXPECT_EQ(run_dsnn(fit + Words{"--trials", "2", "--time", "3s"}).code, 2);
  EXPECT_TRUE(failed_with(run_dsnn({"fit", write("e.txt", "0 1\n"), "--out", path("g")}),
                          {"has no labels"}));
  EXPECT_FALSE(exists("g"));
}

TEST_F(FitTest, AnyModelHasMembers) {
  const Words train =
      Words{"train"} + files() +
      Words{"--model", "orth-dsnn", "--set", "epochs=5", "--splits", "0-1", "--members", "3"};
  EXPECT_TRUE(contains(run_dsnn(train).err, "--out"));
  const Outcome outcome = run_dsnn(train + Words{"--out", path("r")});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, " % (ensemble of 3 members), "));
  EXPECT_TRUE(exists("r/member-3/result.json"));
  const Outcome predicted =
      run_dsnn(Words{"predict", path("r")} + files() + Words{"-o", path("p.csv")});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(lines_of(read("p.csv")).size(), 61u);
}

}  // namespace
}  // namespace dsnn::testing
