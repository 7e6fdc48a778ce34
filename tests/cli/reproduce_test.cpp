#include "cli/cli_test.h"
#include "util/folder_lock.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

// 'dsnn reproduce' on small made-up graphs, with configurations beside them.

namespace dsnn::testing {
namespace {

class ReproduceTest : public CliTest {
 protected:
  void add_data(const std::string& name, const std::string& seed) {
    std::filesystem::create_directories(dir_ / "data");
    run_dsnn({"generate", "dsbm", "-n", "60", "-C", "2", "--alpha-in", "0.2", "--alpha-out", "0.2",
              "--beta", "0.05", "--seed", seed, "-o", path("data/" + name + ".npz")});
  }
  void add_config(const std::string& folder, const std::string& model, int epochs = 3) {
    write(fmt::format("configs/{}/{}.toml", folder, model),
          fmt::format("model = \"{}\"\n[parameters]\nepochs = {}\npatience = {}\n", model, epochs,
                      epochs));
  }
  void set_up_table(int epochs = 3) {
    add_data("texas", "1");
    add_data("cora", "2");
    for (const char* model : {"diag-dsnn", "diag-nsd", "gcn"}) {
      add_config("table1/texas", model, epochs);
    }
    add_config("table1/cora", "gcn", epochs);
    write("configs/table1/paper.csv",
          "model,dataset,mean,std\ndiag-dsnn,texas,60,100\ndiag-nsd,texas,60,0\n"
          "gcn,texas,60,100\nmlp,texas,60,1\ngcn,cora,60,100\n");
  }
  Words reproduce(const Words& more, const std::string& out = "out") const {
    return Words{"reproduce"} + more + Words{"--configs", path("configs"), "--out", path(out)};
  }
  Words table(const Words& more = {}, const std::string& out = "out") const {
    return reproduce(Words{"table1", "--data-dir", path("data")} + more, out);
  }
  /// table1.csv without the times that training took.
  std::string numbers(const std::string& file) const {
    std::string text;
    for (const std::string& line : lines_of(read(file))) {
      text += line.substr(0, line.rfind(',', line.rfind(',') - 1)) + "\n";
    }
    return text;
  }
};

TEST_F(ReproduceTest, TrainsATableOnce) {
  set_up_table();
  const Outcome outcome = run_dsnn(table());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(
      contains(outcome.out, "4 cells compared with the paper: 3 agree, 0 close, 1 differ."));
  EXPECT_TRUE(contains(outcome.err, "dsnn: cell 1 of 4, texas diag-dsnn: "));
  EXPECT_TRUE(contains(outcome.err, "(paper 60.00 +- 100.00, agrees)"));
  for (const char* file : {"table1.md", "table1.csv", "table1.html", "texas/gcn/result.json"}) {
    EXPECT_TRUE(exists(std::string("out/") + file)) << file;
  }
  EXPECT_TRUE(contains(read("out/table1.md"), "| mlp | -<br>paper 60.00 +- 1.00 | - |\n"));
  EXPECT_TRUE(contains(read("out/table1.md"), "### DSNN against NSD\n"));
  // How long it took is kept, so a call that trains nothing tells it too.
  const std::string made_with = lines_of(read("out/table1.md")).back();
  EXPECT_TRUE(contains(made_with, "The 4 cells took "));
  const Outcome again = run_dsnn(table());
  EXPECT_EQ(lines_of(read("out/table1.md")).back(), made_with);
  EXPECT_TRUE(succeeded(again));  // no cell is trained, so none is told of
  EXPECT_EQ(again.out, outcome.out);
}

TEST_F(ReproduceTest, GrowsByWhatIsSelected) {
  set_up_table();
  ASSERT_EQ(run_dsnn(table({"--datasets", "texas", "--models", "gcn,diag-nsd"})).code, 0);
  EXPECT_TRUE(contains(read("out/table1.md"), "| model | texas |\n"));
  EXPECT_FALSE(exists("out/cora"));
  const Outcome more = run_dsnn(table({"--datasets", "cora"}));
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_TRUE(contains(more.out, "3 cells compared"));
  // A cell that could be trained is pending, whether it was asked for or not.
  EXPECT_TRUE(contains(more.out, "1 not trained yet")) << more.out;
  // Other parameters: that cell alone is trained anew, and what was there is kept.
  add_config("table1/cora", "gcn", 4);
  const Outcome changed = run_dsnn(table());
  EXPECT_TRUE(contains(changed.err, "cell 1 of 2, texas diag-dsnn")) << changed.err;
  EXPECT_TRUE(contains(changed.err, "cora/gcn held a run of other parameters"));
  EXPECT_TRUE(exists("out/cora/gcn.old-1/result.json"));
}

TEST_F(ReproduceTest, GoesOnAfterAKill) {
  set_up_table(200);
  ASSERT_EQ(run_dsnn(table({}, "whole")).code, 0);
  {
    Process process(dsnn_command(table({"--jobs", "2"})));
    while (process.is_running() && !exists("out/texas/diag-nsd/split-0/checkpoint.npz")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(process.is_running());
    process.send(SIGKILL);
    EXPECT_EQ(process.wait().code, -SIGKILL);
  }
  EXPECT_TRUE(contains(numbers("out/table1.csv"), "texas,gcn,,,60,100,,pending,,,\n"));
  const Outcome outcome = run_dsnn(table());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "cell 1 of 3, texas diag-nsd")) << outcome.err;
  EXPECT_EQ(numbers("out/table1.csv"), numbers("whole/table1.csv"));
}

TEST_F(ReproduceTest, StopsAtCtrlC) {
  set_up_table(100'000);
  Process process(dsnn_command(table()));
  while (process.is_running() && !exists("out/texas/diag-dsnn/config.toml")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  process.send(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_TRUE(contains(outcome.err, "cancelled; the same command goes on"));
}

TEST_F(ReproduceTest, AFailedCellSaysSo) {
  set_up_table();
  write("out/texas/diag-nsd", "a file where a folder is needed");
  const Outcome outcome = run_dsnn(table());
  EXPECT_EQ(outcome.code, 3);  // not the code of an error that ended the command
  EXPECT_TRUE(contains(outcome.out, "1 failed")) << outcome.err;
  EXPECT_TRUE(contains(read("out/table1.csv"), "texas,diag-nsd,,,60,0,,failed,,,,,\n"));
  EXPECT_TRUE(contains(read("out/table1.md"), "Failed: diag-nsd on texas: "));
}

TEST_F(ReproduceTest, ComparesVersionsOfADataset) {
  set_up_table();
  add_data("cora_repo_order", "3");
  add_config("table1/cora", "diag-dsnn");
  const Outcome outcome = run_dsnn(table({"--variants"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(read("out/variants.csv"), "\ncora_repo_order,cora,diag-dsnn,"));
  EXPECT_EQ(lines_of(read("out/variants.csv")).size(), 2u);  // gcn is no sheaf network
  EXPECT_TRUE(exists("out/cora_repo_order/diag-dsnn/result.json"));
  EXPECT_FALSE(exists("out/cora/gcn"));
  // The paper's number, if there is one, belongs to the version that its program used.
  EXPECT_TRUE(contains(outcome.out, "0 cells compared"));
  EXPECT_TRUE(contains(lines_of(read("out/variants.md")).back(), "Trained by dsnn of commit"));
  // Other pairs do not push it out of the table.
  add_data("cornell", "4");
  add_data("cornell_corrected", "5");
  add_config("table1/cornell", "diag-dsnn");
  const Outcome other = run_dsnn(table({"--variants", "--datasets", "cornell"}));
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(lines_of(read("out/variants.csv")).size(), 3u) << read("out/variants.csv");
}

TEST_F(ReproduceTest, TakesAnotherSeed) {
  set_up_table(40);
  ASSERT_EQ(run_dsnn(table({"--datasets", "texas"})).code, 0);
  const std::string before = read("out/table1.csv");
  const Outcome outcome = run_dsnn(table({"--datasets", "texas", "--seed", "1"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "out/seed-1: table1.md"));
  EXPECT_TRUE(contains(lines_of(read("out/seed-1/table1.md")).front(), "with seed 1 instead of"));
  EXPECT_NE(numbers("out/seed-1/table1.csv"), numbers("out/table1.csv"));
  // What was there stays as it is.
  EXPECT_EQ(read("out/table1.csv"), before);
  EXPECT_FALSE(exists("out/texas/gcn.old-1"));
  for (const char* seed : {"one", "-1", "99999999999999999999"}) {
    EXPECT_TRUE(failed_with(run_dsnn(table({"--seed", seed})), {"--seed: '"})) << seed;
  }
}

TEST_F(ReproduceTest, TellsOfOtherData) {
  set_up_table();
  ASSERT_EQ(run_dsnn(table()).code, 0);
  // What is not asked for may be missing.
  std::filesystem::rename(dir_ / "data/cora.npz", dir_ / "data/elsewhere.npz");
  const ProcessOptions nowhere = {
      .environment = {{"DSNN_DATA", path("none")}, {"XDG_CACHE_HOME", path("none")}}};
  const Outcome without = run_dsnn(table({"--datasets", "texas"}), nowhere);
  EXPECT_EQ(without.code, 0) << without.err;
  EXPECT_TRUE(contains(without.err, "dsnn: note: what is trained on cora is left out: cora: no"));
  std::filesystem::rename(dir_ / "data/elsewhere.npz", dir_ / "data/cora.npz");
  // Parameters that were chosen on other data.
  write("configs/table1/cora/gcn.toml",
        "model = \"gcn\"\nchecksum = \"0123456789abcdef\"\n[parameters]\nepochs = 3\n"
        "patience = 3\n");
  const Outcome outcome = run_dsnn(table());
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err,
                       "dsnn: note: cora is not the data that the configuration of gcn was made "
                       "with"))
      << outcome.err;
  EXPECT_TRUE(contains(read("out/table1.md"),
                       "\nNot the data that the parameters were chosen on: cora.\n"));
}

TEST_F(ReproduceTest, LeavesToOthersWhatTheyTrain) {
  set_up_table();
  std::filesystem::create_directories(dir_ / "out/cora/gcn");
  const Outcome outcome = [&] {
    FolderLock lock(dir_ / "out/cora/gcn");
    EXPECT_TRUE(lock.try_lock());
    return run_dsnn(table());
  }();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "dsnn: note: another process trains gcn on cora: left to it"));
  EXPECT_TRUE(contains(outcome.err, "left to another process")) << outcome.err;
  EXPECT_TRUE(contains(read("out/table1.csv"), "\ncora,gcn,,,")) << read("out/table1.csv");
  EXPECT_EQ(run_dsnn(table()).code, 0);
  EXPECT_FALSE(contains(read("out/table1.csv"), "\ncora,gcn,,,")) << read("out/table1.csv");
}

TEST_F(ReproduceTest, TrainsTheFigure) {
  write("configs/figure2/0.05/mlp.toml", "model = \"mlp\"\n[parameters]\nepochs = 2\n");
  write("configs/figure2/paper.csv", "model,alpha_out,mean,std\nmlp,0.05,20,1\nmlp,0.1,20,1\n");
  const Outcome outcome = run_dsnn(reproduce({"figure2", "--alphas", "0.050"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(read("out/figure2.csv"), "alpha_out,model,"));
  EXPECT_TRUE(contains(read("out/figure2.csv"), "\n0.05,mlp,"));
  EXPECT_TRUE(contains(read("out/figure2.md"), "(figure2.svg)"));
  EXPECT_TRUE(contains(read("out/figure2.html"), read("out/figure2.svg")));
}

TEST_F(ReproduceTest, SaysWhatIsWrong) {
  set_up_table();
  add_config("table1/film", "gcn");
  struct Case {
    Words arguments;
    std::string expected;
  };
  const Case cases[] = {
      {table({"--datasets", "texas,txas"}), "'txas' is no dataset here; did you mean 'texas'?"},
      {table({"--models", "diag-dnn"}), "'diag-dnn' is no model; did you mean 'diag-dsnn'?"},
      {table({"--variants", "--datasets", "corra"}), "did you mean 'cora'?"},
      {table({"--datasets", "cora_repo_order"}), "expected --variants --datasets cora"},
      {table({"--models", "mlp"}), "no configuration of what is asked for yet"},
      {table({"--paper", path("none.csv")}), "none.csv: cannot open"},
      {table({"--jobs", "0"}), "--jobs"},
      {reproduce({"figure2"}), "figure2: no such folder; run the command where"},
      {reproduce({"table2"}), "did you mean 'table1'?"},
  };
  for (const Case& c : cases) {
    EXPECT_TRUE(failed_with(run_dsnn(c.arguments), {c.expected})) << joined(c.arguments);
  }
  // A dataset that is not there is told of before anything is trained.
  const Outcome outcome = run_dsnn(
      table(), {.environment = {{"DSNN_DATA", path("none")}, {"XDG_CACHE_HOME", path("none")}}});
  EXPECT_TRUE(failed_with(outcome, {"film: no such file or dataset"}));
  EXPECT_FALSE(exists("out"));
}

}  // namespace
}  // namespace dsnn::testing
