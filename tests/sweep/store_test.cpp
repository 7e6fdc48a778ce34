#include "sweep/store.h"

#include "dsnn/util/error.h"

#include "support/test_files.h"

#include <gtest/gtest.h>

#include <optional>

namespace dsnn {
namespace {

using testing::contains;
using testing::message_of;
using testing::TempDir;
using testing::write_text;

class StoreTest : public ::testing::Test {
 protected:
  /// The number of the trial that a store claims; trials have one training each.
  static std::int64_t take(SweepStore& store) {
    const Schedule schedule({{1, 0}}, 3, 1, std::nullopt);
    std::vector<TrainingRecord> records;
    const auto choose = [&](const Outcomes& done, const std::set<Training>& taken) {
      return schedule.ready(done, taken, 1);
    };
    return store.take(choose, records)->trial;
  }

  TempDir dir_;
};

TEST_F(StoreTest, WhatOneTakesTheOtherDoesNot) {
  SweepStore first(dir_.path(), false);
  auto second = std::make_optional<SweepStore>(dir_.path(), false);
  EXPECT_EQ(take(first), 0);
  EXPECT_EQ(take(*second), 1);
  EXPECT_EQ(take(first), 2);
  second.reset();
  EXPECT_EQ(take(first), 1);  // it was released
}

TEST_F(StoreTest, KnowsHowManyTrialsWereAskedForAtMost) {
  SweepStore store(dir_.path(), false);
  EXPECT_EQ(store.num_trials(), std::nullopt);
  store.ask_for(9);
  store.ask_for(5);
  EXPECT_EQ(store.num_trials(), 9);
}

TEST_F(StoreTest, ATrainingIsFinishedOnce) {
  SweepStore store(dir_.path(), false);
  store.finish({{0, 0, 0}, {}, 1});
  store.finish({{0, 0, 0}, {}, 2});
  ASSERT_EQ(store.records().size(), 1u);
  EXPECT_EQ(store.records()[0].finished_at, 1);
}

TEST_F(StoreTest, TheClockStandsStillWhileNobodyWorks) {
  auto first = std::make_optional<SweepStore>(dir_.path(), false);
  EXPECT_LT(first->join_clock(), 10);
  take(*first);
  first->finish({{0, 0, 0}, {}, 50});
  take(*first);
  EXPECT_LT(SweepStore(dir_.path(), false).join_clock(),
            10);  // that of the first, which is at work
  first.reset();
  SweepStore next(dir_.path(), false);
  EXPECT_GE(next.join_clock(), 50);
  EXPECT_LT(next.join_clock(), 60);
}

TEST_F(StoreTest, OnlyWhatTheDeadHadTakenIsFree) {
  SweepStore store(dir_.path(), false);
  Database database(dir_ / "sweep.sqlite");
  for (const char* owner : {"a", "b", "c"}) {
    database.run("INSERT INTO taken VALUES (?, 0, 0, ?)", {std::int64_t{owner[0] - 'a'}, owner});
  }
  write_text(dir_ / "worker-b.lock", "");  // a lock that no process holds
  // One that cannot be opened, for another reason than that it is not there.
  std::filesystem::create_symlink("worker-c.lock", dir_ / "worker-c.lock");
  EXPECT_EQ(take(store), 0);
  EXPECT_EQ(take(store), 1);
  EXPECT_EQ(take(store), 3);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "worker-b.lock"));
}

// The state after kill -9 within a transaction: partially written pages and a journal.
TEST_F(StoreTest, AReaderUndoesWhatWasHalfDone) {
  SweepStore(dir_.path(), false).finish({{0, 0, 0}, {}, 1});
  Database writer(dir_ / "sweep.sqlite");
  writer.run("PRAGMA cache_size = 1");
  writer.run("BEGIN");
  for (std::int64_t trial = 1; trial < 100; ++trial) {
    writer.run("INSERT INTO results (trial, failure) VALUES (?, ?)",
               {trial, std::string(999, 'x')});
  }
  const TempDir killed;
  for (const char* name : {"sweep.sqlite", "sweep.sqlite-journal"}) {
    std::filesystem::copy_file(dir_ / name, killed / name);
  }
  EXPECT_EQ(SweepStore(killed.path(), true).records().size(), 1u);
}

}  // namespace
}  // namespace dsnn
