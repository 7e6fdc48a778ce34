#include "cli/reproduce_fixture.h"
#include "util/folder_lock.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>

namespace dsnn::testing {
namespace {

TEST_F(ReproduceTest, TrainsATableOnce) {
  set_up_table();
  const Outcome outcome = run_dsnn(table());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(
      contains(outcome.out, "4 cells compared with the paper: 3 agree, 0 close, 1 differ."));
  EXPECT_TRUE(contains(outcome.err, "dsnn: training 1 of 4, texas diag-dsnn seed 1: "));
  EXPECT_TRUE(contains(outcome.err, "(paper 60.00 +- 100.00, agrees)"));
  for (const char* file :
       {"table1.md", "table1.csv", "table1.html", "seed-1/texas/gcn/result.json"}) {
    EXPECT_TRUE(exists(std::string("out/") + file)) << file;
  }
  EXPECT_TRUE(contains(read("out/table1.md"), "| mlp | -<br>paper 60.00 +- 1.00 | - |\n"));
  EXPECT_TRUE(contains(read("out/table1.md"), "### DSNN against NSD\n"));
  // The time is stored, so a call that trains nothing also shows it.
  const std::string made_with = lines_of(read("out/table1.md")).back();
  EXPECT_TRUE(contains(made_with, "The 4 cells took "));
  const Outcome again = run_dsnn(table());
  EXPECT_EQ(lines_of(read("out/table1.md")).back(), made_with);
  EXPECT_TRUE(succeeded(again));  // no cell is trained, so none is reported
  EXPECT_EQ(again.out, outcome.out);
}

TEST_F(ReproduceTest, WritesTablesWithoutTraining) {
  set_up_table();
  ASSERT_EQ(run_dsnn(table({"--models", "gcn"})).code, 0);
  const Outcome outcome = run_dsnn(table({"--no-training"}));
  EXPECT_TRUE(succeeded(outcome)) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "2 not trained yet")) << outcome.out;
  EXPECT_TRUE(contains(read("out/table1.md"), "| diag-nsd | pending<br>"));
  EXPECT_FALSE(exists("out/seed-1/texas/diag-nsd"));
}

TEST_F(ReproduceTest, TrainsMapsOnce) {
  add_data("texas", "1");
  for (const std::string maps : {"random", "identity"}) {
    const std::string row = maps == "random" ? "diag-dsnn-random" : "dsnn-identity";
    write(fmt::format("configs/maps/texas/{}.toml", row),
          fmt::format("model = \"diag-dsnn\"\n[parameters]\nmaps = \"{}\"\nepochs = 3\n", maps));
  }
  const Words command = reproduce({"maps", "--data-dir", path("data"), "--seeds", "1,7"});
  const Outcome outcome = run_dsnn(command);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "dsnn: training 4 of 4, texas dsnn-identity seed 7: "))
      << outcome.err;
  for (const char* file : {"maps.md", "maps.csv", "maps.html", "maps.json",
                           "maps/seed-7/texas/dsnn-identity/result.json"}) {
    EXPECT_TRUE(exists(std::string("out/") + file)) << file;
  }
  EXPECT_TRUE(contains(read("out/maps.md"), "### Random maps against identities\n"));
  EXPECT_TRUE(contains(read("out/maps.md"), "| gen-dsnn-learned | not searched |\n"));
  const std::string before = read("out/maps.csv");
  const Outcome again = run_dsnn(command);
  EXPECT_FALSE(contains(again.err, "training 1 of")) << again.err;  // nothing is trained twice
  EXPECT_EQ(read("out/maps.csv"), before);
}

TEST_F(ReproduceTest, GrowsByWhatIsSelected) {
  set_up_table();
  ASSERT_EQ(run_dsnn(table({"--datasets", "texas", "--models", "gcn,diag-nsd"})).code, 0);
  EXPECT_TRUE(contains(read("out/table1.md"), "| model | texas |\n"));
  EXPECT_FALSE(exists("out/seed-1/cora"));
  const Outcome more = run_dsnn(table({"--datasets", "cora"}));
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_TRUE(contains(more.out, "3 cells compared"));
  // A cell that could be trained is pending, whether selected or not.
  EXPECT_TRUE(contains(more.out, "1 not trained yet")) << more.out;
  // Other parameters: only that cell is trained again, and the old run is kept.
  add_config("table1/cora", "gcn", 4);
  const Outcome changed = run_dsnn(table());
  EXPECT_TRUE(contains(changed.err, "training 1 of 2, texas diag-dsnn seed 1")) << changed.err;
  EXPECT_TRUE(contains(changed.err, "seed-1/cora/gcn contained a run with different parameters"));
  EXPECT_TRUE(exists("out/seed-1/cora/gcn.old-1/result.json"));
}

TEST_F(ReproduceTest, GoesOnAfterAKill) {
  set_up_table(200);
  ASSERT_EQ(run_dsnn(table({}, "whole")).code, 0);
  {
    Process process(dsnn_command(table({"--jobs", "2"})));
    while (process.is_running() && !exists("out/seed-1/texas/diag-nsd/split-0/checkpoint.npz")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(process.is_running());
    process.send(SIGKILL);
    EXPECT_EQ(process.wait().code, -SIGKILL);
  }
  EXPECT_TRUE(contains(numbers("out/table1.csv"), "texas,gcn,,,,,60,100,,pending,,,\n"));
  const Outcome outcome = run_dsnn(table());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "training 1 of 3, texas diag-nsd")) << outcome.err;
  EXPECT_EQ(numbers("out/table1.csv"), numbers("whole/table1.csv"));
}

TEST_F(ReproduceTest, StopsAtCtrlC) {
  set_up_table(100'000);
  Process process(dsnn_command(table()));
  while (process.is_running() && !exists("out/seed-1/texas/diag-dsnn/config.toml")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  process.send(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 130);
  EXPECT_TRUE(contains(outcome.err, "cancelled; the same command continues"));
}

TEST_F(ReproduceTest, AFailedCellSaysSo) {
  set_up_table();
  write("out/seed-1/texas/diag-nsd", "a file where a folder is needed");
  const Outcome outcome = run_dsnn(table());
  EXPECT_EQ(outcome.code, 3);  // not the code of an error that ended the command
  EXPECT_TRUE(contains(outcome.out, "1 failed")) << outcome.err;
  EXPECT_TRUE(contains(read("out/table1.csv"), "texas,diag-nsd,,,,,60,0,,failed,,,,,\n"));
  EXPECT_TRUE(contains(read("out/table1.md"), "Failed: diag-nsd on texas: "));
}

TEST_F(ReproduceTest, ComparesVersionsOfADataset) {
  set_up_table();
  add_data("cora_repo_order", "3");
  add_config("table1/cora", "diag-dsnn");
  const Outcome outcome = run_dsnn(table({"--variants"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(read("out/variants.csv"), "\ncora_repo_order,cora,diag-dsnn,"));
  EXPECT_EQ(lines_of(read("out/variants.csv")).size(), 2u);  // gcn is not a sheaf network
  EXPECT_TRUE(exists("out/seed-1/cora_repo_order/diag-dsnn/result.json"));
  EXPECT_FALSE(exists("out/seed-1/cora/gcn"));
  // The paper's result, if any, belongs to the version that its program used.
  EXPECT_TRUE(contains(outcome.out, "0 cells compared"));
  EXPECT_TRUE(contains(lines_of(read("out/variants.md")).back(), "Trained by dsnn of commit"));
  // Other pairs do not remove it from the table.
  add_data("cornell", "4");
  add_data("cornell_corrected", "5");
  add_config("table1/cornell", "diag-dsnn");
  const Outcome other = run_dsnn(table({"--variants", "--datasets", "cornell"}));
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(lines_of(read("out/variants.csv")).size(), 3u) << read("out/variants.csv");
}

TEST_F(ReproduceTest, TrainsWithSeveralSeeds) {
  set_up_table(40);
  const Words one = {"--datasets", "texas", "--models", "gcn"};
  // The run of the search is shown until there is another.
  run_dsnn({"train", path("data/texas.npz"), "--config", path("configs/table1/texas/gcn.toml"),
            "--out", path("out/texas/gcn")});
  const Outcome both = run_dsnn(table_with_seeds("1,2", one));
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_TRUE(contains(both.err, "dsnn: 2 trainings to do, about ")) << both.err;
  EXPECT_TRUE(contains(both.err, "dsnn: training 2 of 2, texas gcn seed 2: ")) << both.err;
  EXPECT_TRUE(contains(read("out/table1.md"), "not seen: seeds 1, 2 on texas. Of several"));
  EXPECT_TRUE(contains(read("out/table1.csv"), ",1 2,"));
  // Another choice of seeds shows those, and trains only the new one.
  const Outcome more = run_dsnn(table_with_seeds("2,3", one));
  EXPECT_TRUE(contains(more.err, "dsnn: training 1 of 1, texas gcn seed 3: ")) << more.err;
  EXPECT_TRUE(contains(read("out/table1.csv"), ",2 3,"));
  for (const char* seeds : {"one", "-1", "1,99999999999999999999"}) {
    EXPECT_TRUE(failed_with(run_dsnn(table_with_seeds(seeds)), {"--seeds: '"})) << seeds;
  }
}

// Without --seeds the small graphs get three seeds, the others one.
TEST_F(ReproduceTest, ShowsTheRunOfTheSearchUntilThereIsAnother) {
  set_up_table();
  for (const std::string column : {"texas", "cora"}) {
    run_dsnn({"train", path("data/" + column + ".npz"), "--config",
              path("configs/table1/" + column + "/gcn.toml"), "--out",
              path("out/" + column + "/gcn")});
  }
  const Outcome outcome = run_dsnn(
      reproduce({"table1", "--data-dir", path("data"), "--datasets", "texas", "--models", "gcn"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "training 3 of 3, texas gcn seed 3: ")) << outcome.err;
  EXPECT_TRUE(contains(read("out/table1.md"), "the search chose: cora.\n"))
      << read("out/table1.md");
  EXPECT_TRUE(contains(read("out/table1.md"), "seeds 1, 2, 3 on texas")) << read("out/table1.md");
  EXPECT_TRUE(contains(outcome.out, "1 without some of their seeds.")) << outcome.out;
}

TEST_F(ReproduceTest, TrainsWhatWasReleased) {
  set_up_table();
  write("configs/as-released/texas/gen-dsnn.toml",
        "model = \"gen-dsnn\"\n[parameters]\nmaps = \"random\"\nepochs = 3\n");
  const Outcome outcome = run_dsnn(table({"--as-released"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(exists("out/as-released/seed-1/texas/gen-dsnn/result.json"));
  EXPECT_TRUE(contains(read("out/as-released.md"), "| model | texas |\n")) << outcome.err;
  EXPECT_FALSE(contains(read("out/as-released.md"), "| gcn |"));
  EXPECT_TRUE(failed_with(run_dsnn(table({"--as-released", "--variants"})), {"--variants"}));
}

TEST_F(ReproduceTest, TrainsEnsemblesOfTheBest) {
  set_up_table();
  EXPECT_TRUE(failed_with(run_dsnn(table({"--ensembles"})), {"first train the table"}));
  ASSERT_EQ(run_dsnn(table()).code, 0);
  const Outcome outcome = run_dsnn(table({"--ensembles"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "training 2 of 2, cora gcn seed 1: ")) << outcome.err;
  EXPECT_TRUE(exists("out/ensembles/seed-1/cora/gcn/member-8/result.json"));
  EXPECT_EQ(lines_of(read("out/ensembles.csv")).size(), 3u) << read("out/ensembles.csv");
  EXPECT_TRUE(contains(read("out/ensembles.md"), "| cora | gcn | ")) << read("out/ensembles.md");
  const std::string before = read("out/ensembles.csv");
  const Outcome again = run_dsnn(table({"--ensembles"}));
  EXPECT_FALSE(contains(again.err, "training 1 of")) << again.err;
  EXPECT_EQ(read("out/ensembles.csv"), before);
}

TEST_F(ReproduceTest, TellsOfOtherData) {
  set_up_table();
  ASSERT_EQ(run_dsnn(table()).code, 0);
  // Unselected datasets may be missing.
  std::filesystem::rename(dir_ / "data/cora.npz", dir_ / "data/elsewhere.npz");
  const ProcessOptions nowhere = {
      .environment = {{"DSNN_DATA", path("none")}, {"XDG_CACHE_HOME", path("none")}}};
  const Outcome without = run_dsnn(table({"--datasets", "texas"}), nowhere);
  EXPECT_EQ(without.code, 0) << without.err;
  EXPECT_TRUE(contains(without.err, "dsnn: note: trained models on cora are left out: cora: no"));
  std::filesystem::rename(dir_ / "data/elsewhere.npz", dir_ / "data/cora.npz");
  // Parameters that were chosen on different data.
  write("configs/table1/cora/gcn.toml",
        "model = \"gcn\"\nchecksum = \"0123456789abcdef\"\n[parameters]\nepochs = 3\n"
        "patience = 3\n");
  const Outcome outcome = run_dsnn(table());
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(
      contains(outcome.err,
               "dsnn: note: cora differs from the data that the configuration of gcn was made "
               "with"))
      << outcome.err;
  EXPECT_TRUE(contains(read("out/table1.md"),
                       "\nData that differ from the data of the parameter search: cora.\n"));
}

TEST_F(ReproduceTest, LeavesToOthersWhatTheyTrain) {
  set_up_table();
  std::filesystem::create_directories(dir_ / "out/seed-1/cora/gcn");
  const Outcome outcome = [&] {
    FolderLock lock(dir_ / "out/seed-1/cora/gcn");
    EXPECT_TRUE(lock.try_lock());
    return run_dsnn(table());
  }();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err,
                       "dsnn: note: another process is training gcn on cora with seed 1; skipped"));
  EXPECT_TRUE(contains(outcome.err, "trained by another process")) << outcome.err;
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

}  // namespace
}  // namespace dsnn::testing
