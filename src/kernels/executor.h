#pragma once

#include "dsnn/export.h"

#include <atomic>
#include <cstdint>
#include <functional>

namespace dsnn::kernels {

/// Where a kernel's threads come from. Kernels own none: operators bring those of LibTorch, a
/// program without LibTorch its own.
class DSNN_API Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor();
  virtual int num_threads() const = 0;
  /// Calls work() `count` times, at once where it can, and returns when all calls have.
  virtual void run(int count, const std::function<void()>& work) const = 0;
};

/// A new thread for every worker of every run; 1 means the caller's alone.
class DSNN_API ThreadExecutor final : public Executor {
 public:
  explicit ThreadExecutor(int num_threads) : num_threads_(num_threads) {}
  int num_threads() const override { return num_threads_; }
  void run(int count, const std::function<void()>& work) const override;

 private:
  int num_threads_;
};

/// Hands out blocks 0 .. count-1, each once, to whichever worker asks next.
class BlockQueue {
 public:
  explicit BlockQueue(std::int64_t count) : count_(count) {}
  bool take(std::int64_t& block) {
    block = next_.fetch_add(1, std::memory_order_relaxed);
    return block < count_;
  }

 private:
  std::atomic<std::int64_t> next_{0};
  std::int64_t count_;
};

/// Runs workers that take blocks until none is left. What is computed for a block must depend on
/// that block alone; then the result has the same bits for any number of threads. Numbers below the
/// normal range count as 0 in all workers (flush_denormals.h).
DSNN_API void run_blocks(const Executor& executor, std::int64_t num_blocks,
                         const std::function<void(BlockQueue&)>& worker);

}  // namespace dsnn::kernels
