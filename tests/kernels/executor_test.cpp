#include "kernels/executor.h"

#include "support/thread_executor.h"
#include "util/index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace dsnn::kernels {
namespace {

TEST(ThreadExecutor, RunsEveryWorkerOnceAndWaitsForAll) {
  for (const int count : {1, 2, 3, 8}) {
    const testing::ThreadExecutor executor(count);
    EXPECT_EQ(executor.num_threads(), count);
    int calls = 0;
    std::mutex mutex;
    executor.run(count, [&] {
      const std::lock_guard lock(mutex);
      ++calls;
    });
    EXPECT_EQ(calls, count);  // without the lock: all have returned
  }
}

TEST(ThreadExecutor, RunsASingleWorkerOnTheCallersThread) {
  std::thread::id worker;
  testing::ThreadExecutor(1).run(1, [&] { worker = std::this_thread::get_id(); });
  EXPECT_EQ(worker, std::this_thread::get_id());
}

TEST(RunBlocks, TakesEachBlockOnce) {
  for (const int threads : {1, 2, 3, 8}) {
    for (const std::int64_t num_blocks : {0, 1, 2, 7, 1000}) {
      std::vector<std::atomic<int>> taken(at(num_blocks));
      run_blocks(testing::ThreadExecutor(threads), num_blocks, [&](BlockQueue& queue) {
        for (std::int64_t block; queue.take(block);) ++taken[at(block)];
      });
      for (const auto& count : taken) EXPECT_EQ(count, 1) << threads << " threads, " << num_blocks;
    }
  }
}

TEST(RunBlocks, WritesOfWorkersAreSeenByTheCaller) {
  std::vector<std::int64_t> squares(5000);
  run_blocks(testing::ThreadExecutor(8), 5000, [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) squares[at(block)] = block * block;
  });
  for (std::int64_t i = 0; i < 5000; ++i) EXPECT_EQ(squares[at(i)], i * i);
}

// Half of the smallest normal number, hidden from the compiler.
TEST(RunBlocks, NumbersBelowTheNormalRangeAreZero) {
  volatile float least = std::numeric_limits<float>::min();
  volatile double least_double = std::numeric_limits<double>::min();
  volatile float below = std::numeric_limits<float>::denorm_min();
  for (const int threads : {1, 4}) {
    run_blocks(testing::ThreadExecutor(threads), 100, [&](BlockQueue& queue) {
      for (std::int64_t block; queue.take(block);) {
        EXPECT_EQ(least / 2, 0.0f);
        EXPECT_EQ(least_double / 2, 0.0);
        EXPECT_EQ(below * 1e30f, 0.0f);
        EXPECT_GT(least * 2, 0.0f);
      }
    });
    EXPECT_GT(least / 2, 0.0f) << "the caller's own are left alone";
    EXPECT_GT(below * 1e30f, 0.0f);
  }
}

TEST(RunBlocks, HasNoMoreWorkersThanBlocksOrThreads) {
  const auto workers = [](int threads, std::int64_t num_blocks) {
    std::atomic<int> count = 0;
    run_blocks(testing::ThreadExecutor(threads), num_blocks, [&](BlockQueue&) { ++count; });
    return count.load();
  };
  EXPECT_EQ(workers(8, 3), 3);
  EXPECT_EQ(workers(2, 3), 2);
  EXPECT_EQ(workers(1, 3), 1);
  EXPECT_EQ(workers(0, 3), 1);
  EXPECT_EQ(workers(8, 0), 1);
}

}  // namespace
}  // namespace dsnn::kernels
