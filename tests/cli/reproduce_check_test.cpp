#include "dsnn/train/arithmetic.h"

#include "cli/reproduce_fixture.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <regex>

namespace dsnn::testing {
namespace {

class ReproduceCheckTest : public ReproduceTest {
 protected:
  /// A table and its stored results.
  void set_up_results(int epochs = 3) {
    set_up_table(epochs);
    ASSERT_EQ(run_dsnn(table({}, "runs")).code, 0);
    for (const std::string cell : {"texas/diag-dsnn", "texas/diag-nsd", "texas/gcn", "cora/gcn"}) {
      Json run = Json::parse(read("runs/seed-1/" + cell + "/result.json")), file;
      for (const char* name : {"model", "dataset", "checksum", "parameters"}) {
        file[name] = run[name];
        run.erase(name);
      }
      file["runs"].push_back(run);
      write(stored(cell), file.dump());
    }
  }
  static std::string stored(const std::string& cell) { return "results/table1/" + cell + ".json"; }
  Words check(const Words& more = {}) const {
    return Words{"reproduce", "table1",        "--check",   "--data-dir",   path("data"),
                 "--configs", path("configs"), "--results", path("results")} +
           more;
  }
  void edit_result(const std::string& cell, const std::function<void(Json&)>& edit) {
    Json json = Json::parse(read(stored(cell)));
    edit(json["runs"][0]);
    write(stored(cell), json.dump());
  }
  /// Without times.
  static std::string without_times(const std::string& text) {
    return std::regex_replace(text, std::regex(", [0-9:]+ (s|min)\\)"), ")");
  }
};

TEST_F(ReproduceCheckTest, TheSameNumbers) {
  set_up_results();
  const std::string before = read(stored("texas/gcn"));
  const Outcome outcome = run_dsnn(check());
  EXPECT_TRUE(succeeded(outcome)) << outcome.err;
  EXPECT_EQ(without_times(outcome.out),
            "texas diag-dsnn seed 1: same (10 splits)\ntexas diag-nsd seed 1: same (10 splits)\n"
            "texas gcn seed 1: same (10 splits)\ncora gcn seed 1: same (10 splits)\n"
            "4 trainings compared: 4 same, 0 differ.\n");
  EXPECT_EQ(read(stored("texas/gcn")), before);
  EXPECT_FALSE(exists("results/table1/texas/gcn"));
  const Outcome some =
      run_dsnn(check({"--datasets", "texas", "--models", "gcn", "--splits", "2,0"}));
  EXPECT_EQ(some.code, 0) << some.err;
  EXPECT_EQ(without_times(some.out),
            "texas gcn seed 1: same (2 splits)\n1 training compared: 1 same, 0 differ.\n");
}

// Of what is trained from the same configurations, too.
TEST_F(ReproduceCheckTest, Ensembles) {
  set_up_results();
  ASSERT_EQ(run_dsnn(table({"--ensembles", "--datasets", "cora"}, "runs")).code, 0);
  Json run = Json::parse(read("runs/ensembles/seed-1/cora/gcn/result.json")), file;
  for (const char* name : {"model", "dataset", "checksum", "parameters"}) {
    file[name] = run[name];
    run.erase(name);
  }
  file["runs"].push_back(run);
  write("results/ensembles/cora/gcn.json", file.dump());
  const Outcome outcome = run_dsnn(check({"--ensembles", "--out", path("checked")}));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(without_times(outcome.out),
            "cora gcn seed 1: same (10 splits)\n1 training compared: 1 same, 0 differ.\n");
  EXPECT_TRUE(exists("checked/check/ensembles/seed-1/cora/gcn/member-8/result.json"));
  EXPECT_TRUE(contains(run_dsnn(check({"--ensembles"})).out, "are checked only with --out"));
}

TEST_F(ReproduceCheckTest, AChangedNumber) {
  set_up_results();
  edit_result("texas/gcn", [](Json& json) { json["splits"][3]["val_loss"] = 0.125; });
  edit_result("cora/gcn", [](Json& json) { json["test_accuracy_std"] = 1.5; });
  const Outcome outcome = run_dsnn(check({"--models", "gcn"}));
  EXPECT_EQ(outcome.code, 1);
  const Words lines = lines_of(without_times(outcome.out));
  ASSERT_EQ(lines.size(), 5u) << outcome.out;
  EXPECT_EQ(lines[0], "texas gcn seed 1: differs (10 splits)");
  EXPECT_TRUE(lines[1].starts_with("  split 3: val_loss stored 0.125, now ")) << lines[1];
  EXPECT_EQ(lines[2], "cora gcn seed 1: differs (10 splits)");
  EXPECT_TRUE(lines[3].starts_with("  all splits: test_accuracy_std stored 1.5, now ")) << lines[3];
  EXPECT_EQ(lines[4], "2 trainings compared: 0 same, 2 differ.");
  // For a part of the splits there is no mean to compare.
  const Words first = {"--models", "gcn", "--splits", "0-2"};
  EXPECT_EQ(run_dsnn(check(first)).code, 0);
}

TEST_F(ReproduceCheckTest, WhatIsNotCompared) {
  set_up_results();
  edit_result("texas/diag-dsnn", [](Json& json) { json.erase("arithmetic"); });
  edit_result("texas/diag-nsd", [](Json& json) { json["rounding"] = "other"; });
  std::filesystem::remove(dir_ / "configs/table1/texas/gcn.toml");
  const Outcome outcome = run_dsnn(check());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Words lines = lines_of(without_times(outcome.out));
  ASSERT_EQ(lines.size(), 5u) << outcome.out;
  EXPECT_EQ(lines[0],
            fmt::format("texas diag-dsnn seed 1: not compared: made with version 1 of the "
                        "arithmetic, this program has version {}",
                        kArithmeticVersion));
  EXPECT_TRUE(
      lines[1].starts_with("texas diag-nsd seed 1: not compared: made with other multiply-add, "))
      << lines[1];
  EXPECT_EQ(lines[2], "texas gcn: not compared: " + path(stored("texas/gcn")) +
                          " is stored, but has no configuration");
  EXPECT_EQ(lines[4], "1 training compared: 1 same, 0 differ; 3 not compared.");
  // Nothing is left to compare.
  const Outcome none = run_dsnn(check({"--datasets", "texas"}));
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(contains(none.err, "dsnn: nothing was compared")) << none.err;
  EXPECT_TRUE(contains(none.out, "0 trainings compared: 0 same, 0 differ; 3 not compared.\n"));
}

TEST_F(ReproduceCheckTest, OtherOrMissingData) {
  set_up_results();
  add_data("texas", "7");
  std::filesystem::remove(dir_ / "data/cora.npz");
  const ProcessOptions nowhere = {
      .environment = {{"DSNN_DATA", path("none")}, {"XDG_CACHE_HOME", path("none")}}};
  const Outcome outcome = run_dsnn(check({"--models", "gcn"}), nowhere);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(contains(
      outcome.out,
      "texas gcn seed 1: not compared: texas differs from the data that it was made with\n"));
  EXPECT_TRUE(contains(outcome.out, "cora gcn seed 1: not compared: cora: no such file or dataset"))
      << outcome.out;
  // Datasets selected by name must exist.
  EXPECT_TRUE(failed_with(run_dsnn(check({"--datasets", "cora"}), nowhere),
                          {"cora: no such file or dataset"}));
}

TEST_F(ReproduceCheckTest, AnotherConfiguration) {
  set_up_results();
  add_config("table1/cora", "gcn", 4);
  const Outcome outcome = run_dsnn(check({"--datasets", "cora"}));
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out,
            "cora gcn seed 1: differs, made with a different configuration\n"
            "  epochs: stored 3, configuration 4\n  patience: stored 3, configuration 4\n"
            "1 training compared: 0 same, 1 differs.\n");
}

TEST_F(ReproduceCheckTest, GoesOn) {
  set_up_results(600);
  // The check does not use other runs in the folder.
  std::filesystem::copy(dir_ / "runs", dir_ / "out", std::filesystem::copy_options::recursive);
  std::filesystem::remove_all(dir_ / "out/seed-1/texas/diag-dsnn/split-0");
  const Words words = check({"--datasets", "texas", "--models", "diag-dsnn", "--out", path("out")});
  {
    Process process(dsnn_command(words));
    while (process.is_running() && !exists("out/check/seed-1/texas/diag-dsnn/config.toml")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    process.send(SIGINT);
    const Outcome outcome = process.wait();
    EXPECT_EQ(outcome.code, 130);
    EXPECT_TRUE(contains(outcome.err, "cancelled; the same command continues")) << outcome.err;
  }
  const Outcome outcome = run_dsnn(words);
  EXPECT_EQ(outcome.code, 0) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "1 training compared: 1 same, 0 differ.\n"));
  EXPECT_TRUE(exists("out/check/seed-1/texas/diag-dsnn/split-9/checkpoint.npz"));
  EXPECT_FALSE(exists("out/seed-1/texas/diag-dsnn/split-0"));
}

TEST_F(ReproduceCheckTest, SaysWhatIsWrong) {
  set_up_results();
  struct Case {
    Words arguments;
    std::string expected;
  };
  const Case cases[] = {
      {check({"--out", path("results/new")}), "which must not be changed"},
      {check({"--splits", "1-x"}), "--splits"},
      {check({"--models", "mlp"}), "no configuration for the selected cells"},
      {table({"--splits", "1"}), "--check"},
      {{"reproduce", "table1"}, "--out is required"},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(failed_with(run_dsnn(c.arguments), {c.expected})) << joined(c.arguments);
  }
  const Outcome none = run_dsnn(check({"--seeds", "5"}));
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(contains(none.err, "dsnn: nothing was compared")) << none.err;
  // A missing split and a damaged result: other cells are still checked.
  edit_result("cora/gcn", [](Json& json) { json["splits"].erase(4); });
  const Outcome outcome = run_dsnn(check({"--models", "gcn", "--splits", "4"}));
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(outcome.out, "cora gcn seed 1: failed: ")) << outcome.out;
  EXPECT_TRUE(
      contains(outcome.out, "has no split 4\n1 training compared: 1 same, 0 differ; 1 failed."))
      << outcome.out;
  write(stored("cora/gcn"), fmt::format("{{\"arithmetic\": {}}}", kArithmeticVersion));
  const Outcome damaged = run_dsnn(check({"--models", "gcn"}));
  EXPECT_EQ(damaged.code, 3);
  EXPECT_TRUE(contains(damaged.out, "cora/gcn.json: is damaged\n")) << damaged.out;
}

TEST_F(ReproduceTest, SaysWhatIsWrong) {
  set_up_table();
  add_config("table1/film", "gcn");
  struct Case {
    Words arguments;
    std::string expected;
  };
  const Case cases[] = {
      {table({"--datasets", "texas,txas"}), "unknown dataset 'txas'; did you mean 'texas'?"},
      {table({"--models", "diag-dnn"}), "unknown model 'diag-dnn'; did you mean 'diag-dsnn'?"},
      {table({"--variants", "--datasets", "corra"}), "did you mean 'cora'?"},
      {table({"--datasets", "cora_repo_order"}), "expected --variants --datasets cora"},
      {table({"--models", "mlp"}), "no configuration for the selected cells"},
      {table({"--paper", path("none.csv")}), "none.csv: cannot open"},
      {table({"--jobs", "0"}), "--jobs"},
      {reproduce({"figure2"}), "figure2: no such folder; run the command in"},
      {reproduce({"table2"}), "did you mean 'table1'?"},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(failed_with(run_dsnn(c.arguments), {c.expected})) << joined(c.arguments);
  }
  // A missing dataset is reported before anything is trained.
  const Outcome outcome = run_dsnn(
      table(), {.environment = {{"DSNN_DATA", path("none")}, {"XDG_CACHE_HOME", path("none")}}});
  EXPECT_TRUE(failed_with(outcome, {"film: no such file or dataset"}));
  EXPECT_FALSE(exists("out"));
}

}  // namespace
}  // namespace dsnn::testing
