#include "engine/thread_pool.h"

#include "util/index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace dsnn::engine {
namespace {

TEST(ThreadPool, DoesAllWorkHoweverManyHelp) {
  for (const int threads : {1, 2, 3, 8}) {
    const ThreadPool pool(threads);
    EXPECT_EQ(pool.num_threads(), threads);
    for (int round = 0; round < 2000; ++round) {
      std::vector<std::atomic<int>> taken(16);
      kernels::run_blocks(pool, 16, [&](kernels::BlockQueue& queue) {
        for (std::int64_t block; queue.take(block);) ++taken[at(block)];
      });
      for (const auto& count : taken) ASSERT_EQ(count, 1);
    }
  }
}

// A helper that wakes late must not start finished work: its data are gone.
TEST(ThreadPool, NobodyIsAtWorkAfterwards) {
  const ThreadPool pool(4);
  for (int round = 0; round < 2000; ++round) {
    std::atomic<int> at_work = 0;
    pool.run(4, [&] {
      ++at_work;
      --at_work;
    });
    ASSERT_EQ(at_work, 0);
  }
}

TEST(ThreadPool, HelpersComeAlsoAfterALongSleep) {
  const ThreadPool pool(2);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // they sleep by now
    std::atomic<int> num_workers = 0;
    pool.run(2, [&] {
      ++num_workers;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (num_workers < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    });
    EXPECT_EQ(num_workers, 2);
  }
}

TEST(ThreadPool, WritesOfHelpersAreSeen) {
  const ThreadPool pool(4);
  std::vector<std::int64_t> squares(5000);
  kernels::run_blocks(pool, 5000, [&](kernels::BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) squares[at(block)] = block * block;
  });
  for (std::int64_t i = 0; i < 5000; ++i) ASSERT_EQ(squares[at(i)], i * i);
}

TEST(ThreadPool, KeepsToItsLimit) {
  ThreadPool pool(4);
  pool.set_limit(1);
  std::thread::id worker;
  int calls = 0;
  pool.run(4, [&] {
    ++calls;
    worker = std::this_thread::get_id();
  });
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(worker, std::this_thread::get_id());
}

}  // namespace
}  // namespace dsnn::engine
