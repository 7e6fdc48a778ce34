#include "dsnn/util/random.h"

#include "cli/cli_test.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <set>

namespace dsnn::testing {
namespace {

class SweepTest : public CliTest {
 protected:
  void SetUp() override {
    CliTest::SetUp();
    run_dsnn({"generate", "dsbm", "-n", "90", "-C", "3", "--alpha-in", "0.2", "--alpha-out", "0.2",
              "--beta", "0.05", "-o", path("dsbm.npz")});
    write("space.toml",
          "method = \"halving\"\nrungs = [{ splits = 1, epochs = 10 }, { splits = 3 }]\n"
          "[parameters]\nlayers = [1, 2]\nlr = { from = 0.005, to = 0.05, scale = \"log\" }\n"
          "dropout = { from = 0.0, to = 0.5 }\n");
  }
  Words sweep(const std::string& folder, const Words& more = {},
              const std::string& epochs = "epochs=40") {
    return Words{
               "sweep", path("space.toml"), "--dataset", path("dsbm.npz"), "--model",  "diag-dsnn",
               "--set", "channels=4",       "--set",     epochs,           "--trials", "9",
               "--out", path(folder)} +
           more;
  }
  /// A sweep that takes seconds, not counting the start of a process.
  Words long_sweep(const std::string& folder, const Words& more = {}) {
    return sweep(folder, Words{"--set", "patience=400"} + more, "epochs=400");
  }
  /// A sweep with shorter trainings.
  Words busy_sweep(const std::string& folder, const Words& more = {}) {
    return sweep(folder, Words{"--set", "patience=100"} + more, "epochs=100");
  }
  /// Waits until a process is working that was not working at the time of `before`.
  std::set<std::string> wait_for_worker(Process& process, const std::string& folder,
                                        const std::set<std::string>& before) {
    for (std::set<std::string> now = workers(folder);; now = workers(folder)) {
      const bool is_new =
          std::ranges::any_of(now, [&](const std::string& name) { return !before.contains(name); });
      if (is_new || !process.is_running()) return now;
      ::usleep(1'000);
    }
  }
  std::set<std::string> workers(const std::string& folder) const {
    std::set<std::string> names;
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(path(folder), ignored)) {
      if (file.path().extension() == ".lock") names.insert(file.path().filename().string());
    }
    return names;
  }
  /// Trials and their scores, without the times and who trained them.
  Json scores(const std::string& folder) { return scores_of(sweep(folder, {"--resume"})); }
  static Json scores_of(const Words& words) {
    Json result = json_of(words);
    result.erase("trained_here");
    for (Json& trial : result["trials"]) trial.erase("seconds");
    return result;
  }
};

TEST_F(SweepTest, FindsABestTrialThatTrainsAlone) {
  const Outcome outcome = run_dsnn(sweep("s", {"--jobs", "2"}));
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_TRUE(contains(outcome.out, "  validation    rung  splits  ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, " %  2 of 2       3  ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, " %  1 of 2       1  ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "9 trials\nbest: dsnn train " + path("dsbm.npz") +
                                        " --config " + path("s/best.toml") + "\n"));
  EXPECT_TRUE(exists("s/best.toml"));
  for (const auto& file : std::filesystem::directory_iterator(path("s"))) {
    EXPECT_NE(file.path().extension(), ".lock") << file.path();
  }
  const Json trials = scores("s")["trials"];
  EXPECT_EQ(trials.front()["splits"], 3);
  EXPECT_EQ(trials.back()["splits"], 1);
  const auto train = [&](const Json& trial, const Words& more) {
    return Words{"train", path("dsbm.npz"), "--config",
                 path(fmt::format("s/trial-{}.toml", trial["trial"].get<int>()))} +
           more;
  };
  const auto expect_same = [&](const Json& trial, const Words& rung) {
    const Json alone = json_of(train(trial, rung));
    for (const char* score : {"val_accuracy_mean", "test_accuracy_mean"}) {
      EXPECT_NEAR(alone[score].get<double>(), trial[score].get<double>(), 1e-9) << score;
    }
  };
  expect_same(trials.front(), {"--splits", "0-2"});
  expect_same(trials.back(), {"--splits", "0", "--set", "epochs=10"});
  const Words other_splits = {"--split", "50/25/25", "--set", "epochs=1"};
  EXPECT_TRUE(contains(run_dsnn(train(trials.front(), other_splits)).err,
                       "dsnn: warning: dsbm is not the dataset that "));
}

// Until a trial has finished the second rung, so that all phases of a sweep are interrupted.
TEST_F(SweepTest, KilledTwentyTimesItEndsAsAnyOther) {
  ASSERT_TRUE(succeeded(run_dsnn(busy_sweep("whole"))));
  const auto is_at_second_rung = [&] {
    const Words look = busy_sweep("cut", {"--resume", "--budget", "0.000001s"});
    const Json trials = json_of(look)["trials"];
    return !trials.empty() && trials.front()["splits"] == 3;
  };
  Random random(1);
  int killed = 0;
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 20 || (i < 100 && !is_at_second_rung()); ++i) {
    Process process(dsnn_command(busy_sweep("cut", {"--resume", "--jobs", "2"})),
                    {.folder = dir_.path()});
    seen = wait_for_worker(process, "cut", seen);
    ::usleep(static_cast<useconds_t>(random.below(40'000 + 3'000 * i)));
    process.send(SIGKILL);
    killed += process.wait().code == -SIGKILL ? 1 : 0;
  }
  EXPECT_GE(killed, 5) << "the others had nothing left to do";
  EXPECT_TRUE(is_at_second_rung());
  EXPECT_EQ(scores_of(busy_sweep("cut", {"--resume"})),
            scores_of(busy_sweep("whole", {"--resume"})));
}

TEST_F(SweepTest, ProcessesShareASweep) {
  const auto trained_here = [](const Json& sweep) {
    return sweep["trained_here"].get<std::int64_t>();
  };
  const std::int64_t total = trained_here(json_of(long_sweep("whole")));
  const Words words = long_sweep("shared", {"--resume", "--jobs", "1", "--json"});
  Process first(dsnn_command(words), {.folder = dir_.path()});
  Process second(dsnn_command(words), {.folder = dir_.path()});
  std::size_t at_once = 0;
  while (first.is_running() && second.is_running()) {
    at_once = std::max(at_once, workers("shared").size());
    ::usleep(1'000);
  }
  EXPECT_EQ(at_once, 2u);
  const std::array outcomes = {first.wait(), second.wait()};
  std::int64_t sum = 0;
  for (const Outcome& outcome : outcomes) {
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const std::int64_t here = trained_here(Json::parse(outcome.out));
    EXPECT_GT(here, 0) << "the other did it all";
    sum += here;
  }
  EXPECT_EQ(sum, total) << "lost, or trained twice";
  EXPECT_EQ(scores_of(long_sweep("shared", {"--resume"})),
            scores_of(long_sweep("whole", {"--resume"})));
}

TEST_F(SweepTest, CtrlCKeepsWhatIsDone) {
  Process process(dsnn_command(long_sweep("s", {"--jobs", "1"})), {.folder = dir_.path()});
  for (int i = 0; i < 2000 && !exists("s/trial-2.toml"); ++i) ::usleep(10'000);
  process.send(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_TRUE(contains(outcome.err, "cancelled; continue with --out")) << outcome.err;
  const Words budget = {"--resume", "--budget", "0.000001s"};
  const Json cut = json_of(long_sweep("s", budget));
  EXPECT_GE(cut["trials"].size(), 2u);
  EXPECT_EQ(cut["is_complete"], false);
  EXPECT_TRUE(contains(run_dsnn(long_sweep("s", budget)).out,
                       "incomplete; continue with --out " + path("s") + " --resume\n"));
  const Json whole = scores_of(long_sweep("s", {"--resume"}));
  EXPECT_EQ(whole["trials"].size(), 9u);
  EXPECT_EQ(whole["is_complete"], true);
}

TEST_F(SweepTest, BadInputIsASentence) {
  ASSERT_TRUE(succeeded(run_dsnn(sweep("s", {"--jobs", "2"}))));
  EXPECT_TRUE(
      contains(run_dsnn(sweep("s")).err, "contains a sweep already; continue it with --resume"));
  EXPECT_TRUE(contains(run_dsnn(sweep("s", {"--resume", "--seed", "5"})).err,
                       "contains a sweep with a different seed: '0', now '5'"));
  Words other = sweep("s", {"--resume"});
  other[5] = "orth-dsnn";
  EXPECT_TRUE(
      failed_with(run_dsnn(other), {"contains a sweep with a different model: 'diag-dsnn'"}));
  EXPECT_TRUE(failed_with(run_dsnn(sweep("s", {"--resume", "--set", "channels=8"})),
                          {"with a different configuration: 'channels=4', now 'channels=8'"}));
  const std::string space = read("space.toml");
  write("space.toml", space + "q = [0.1]\n");
  EXPECT_TRUE(failed_with(run_dsnn(sweep("s", {"--resume"})),
                          {"with a different space: q is not searched, now [0.1]"}));
  write("space.toml", "keep = 4\n" + space);
  EXPECT_TRUE(failed_with(run_dsnn(sweep("s", {"--resume"})),
                          {"with a different space: keep is 3, now 4"}));
  write("space.toml", space);
  EXPECT_TRUE(contains(run_dsnn(sweep("other", {"--resume", "--budget", "0.000001s"})).err,
                       "other contains no sweep to continue; starting a new one\n"));
  Words fewer = sweep("s", {"--resume"});
  fewer[11] = "5";
  EXPECT_TRUE(
      failed_with(run_dsnn(fewer), {"contains 9 trials, expected at least as many, not 5"}));
  for (const char* count : {"0", "-3", "99999999999999999999"}) {
    Words wrong = sweep("t");
    wrong[11] = count;
    EXPECT_TRUE(contains(run_dsnn(wrong).err, "expected an integer from 1 to 1000000")) << count;
  }
  EXPECT_TRUE(failed_with(run_dsnn(sweep("t", {"--set", "lr=0.1"})),
                          {"--set lr=0.1: lr is already searched by ", "space.toml"}));
  EXPECT_TRUE(contains(run_dsnn(sweep("t", {"--budget", "soon"})).err,
                       "'soon', expected a duration such as 90s, 30m or 2h"));
  // A damaged trial file: training with it fails; the sweep does not need it and rewrites it.
  const std::string trial = read("s/trial-0.toml");
  write("s/trial-0.toml", "model = \"diag-");
  const Outcome refused = run_dsnn({"train", path("dsbm.npz"), "--config", path("s/trial-0.toml")});
  EXPECT_NE(refused.code, 0);
  EXPECT_TRUE(contains(refused.err, "trial-0.toml:1: ")) << refused.err;
  EXPECT_EQ(run_dsnn(sweep("s", {"--resume"})).code, 0);
  EXPECT_EQ(read("s/trial-0.toml"), trial);
  // The file that contains everything.
  write("s/sweep.sqlite", std::string(5000, 'x'));
  const Outcome damaged = run_dsnn(sweep("s", {"--resume"}));
  EXPECT_NE(damaged.code, 0);
  EXPECT_TRUE(contains(damaged.err, "sweep.sqlite: file is not a database")) << damaged.err;
}

TEST_F(SweepTest, TellsWhatFailed) {
  write("space.toml", "method = \"grid\"\n[parameters]\nstalk_dim = [3, 4, 5]\n");
  Words words = sweep("s", {"--set", "orth_map=euler"});
  words[5] = "orth-dsnn";
  words[9] = "epochs=3";
  const Outcome some = run_dsnn(words);
  ASSERT_EQ(some.code, 0) << some.err;
  EXPECT_EQ(some.err, "dsnn: note: the grid has only 3 combinations; running 3 trials\n");
  EXPECT_TRUE(contains(some.out,
                       "3 trials\n2 failed; trial 1: stalk_dim is 4, expected 1 to 3 with orth_map "
                       "euler\nbest: "));
  write("space.toml", "method = \"grid\"\n[parameters]\nstalk_dim = [4]\n");
  words[11] = "1";
  words[13] = path("t");
  const Outcome all = run_dsnn(words);
  ASSERT_TRUE(succeeded(all));
  EXPECT_TRUE(contains(all.out, "1 failed; trial 0: "));
  EXPECT_TRUE(contains(all.out, "\nno trial has a score\n"));
  EXPECT_FALSE(exists("t/best.toml"));
}

TEST_F(SweepTest, IsRandomUnlessTheSpaceSaysOtherwise) {
  write("space.toml", "[parameters]\nlr = { from = 0.005, to = 0.05, scale = \"log\" }\n");
  Words words = sweep("s", {}, "epochs=2");
  words[11] = "3";
  const Json trials = json_of(words)["trials"];
  ASSERT_EQ(trials.size(), 3u);
  std::set<double> rates;
  for (const Json& trial : trials) {
    EXPECT_EQ(trial["splits"], 10);
    rates.insert(trial["parameters"]["lr"].get<double>());
  }
  EXPECT_EQ(rates.size(), 3u);
  EXPECT_TRUE(*rates.begin() >= 0.005 && *rates.rbegin() <= 0.05);
}

// Running out of memory also fails only one trial.
TEST_F(SweepTest, ATrialThatIsTooLargeFailsAlone) {
  if (kIsSanitized) GTEST_SKIP() << "needs more address space than it is given";
  write("space.toml", "method = \"grid\"\n[parameters]\nchannels = [65536, 4]\n");
  const Words words = {"sweep", path("space.toml"), "--dataset", path("dsbm.npz"), "--model", "mlp",
                       "--set", "layers=3",         "--set",     "epochs=3",       "--jobs",  "1",
                       "--out", path("s")};
  const Outcome outcome = run_dsnn(words, {.memory_bytes = rlim_t{8} << 30});
  ASSERT_TRUE(succeeded(outcome));
  EXPECT_TRUE(contains(outcome.out, "2 trials\n1 failed; trial 0: ")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "memory")) << outcome.out;
}

TEST_F(SweepTest, ChoosesByNodesThatValidate) {
  const Outcome outcome = run_dsnn(sweep("s", {"--split", "80/0/20"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(outcome.err, "dsbm: split 0 has no validation nodes with a label"));
  // Without test nodes there is no test score.
  const Json result =
      Json::parse(run_dsnn(sweep("t", {"--split", "60/40/0", "--num-splits", "3", "--json"})).out);
  EXPECT_TRUE(result["trials"][0]["test_accuracy_mean"].is_null());
  EXPECT_GT(result["trials"][0]["val_accuracy_mean"], 0);
}

TEST_F(SweepTest, TheCommandOfTheBestHasTheSameData) {
  const Outcome outcome = run_dsnn(sweep("a folder", {"--split", "50/25/25", "--split-seed", "3"}));
  ASSERT_TRUE(outcome.code == 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, fmt::format("best: dsnn train {} --split 50/25/25 --split-seed "
                                                "3 --config '{}'\n",
                                                path("dsbm.npz"), path("a folder/best.toml"))))
      << outcome.out;
}

// Files in the folder of a sweep whose database was deleted do not belong to the new sweep.
TEST_F(SweepTest, FilesOfTrialsAreThoseOfTheSweep) {
  ASSERT_TRUE(succeeded(run_dsnn(sweep("s"))));
  const std::string before = read("s/trial-0.toml");
  std::filesystem::remove(dir_ / "s/sweep.sqlite");
  ASSERT_TRUE(succeeded(run_dsnn(sweep("s", {"--seed", "9"}))));
  EXPECT_NE(read("s/trial-0.toml"), before);
}

TEST_F(SweepTest, HasAReport) {
  EXPECT_TRUE(failed_with(run_dsnn({"sweep-report", path("none")}), {"none: not a sweep"}));
  write("begun/sweep.sqlite", "");
  EXPECT_TRUE(
      failed_with(run_dsnn({"sweep-report", path("begun")}), {"begun: the sweep has not started"}));
  ASSERT_TRUE(succeeded(run_dsnn(sweep("s"))));
  ASSERT_TRUE(succeeded(run_dsnn({"sweep-report", path("s")})));
  EXPECT_TRUE(contains(read("s/report.html"), "<html"));
}

TEST_F(SweepTest, ABudgetEndsIt) {
  Words words = sweep("s", {"--budget", "2s"});
  words.erase(words.begin() + 10, words.begin() + 12);  // without --trials
  const Json result = json_of(words);
  EXPECT_GE(result["trials"].size(), 1u);
  EXPECT_TRUE(exists("s/best.toml"));
}

}  // namespace
}  // namespace dsnn::testing
