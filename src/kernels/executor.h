#pragma once

#include "util/function_ref.h"
#include "util/internal_api.h"

#include <atomic>
#include <cstdint>

namespace dsnn::kernels {

/// Where a kernel's threads come from. Kernels own none: a device brings them.
class DSNN_INTERNAL_API Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor();
  virtual int num_threads() const = 0;
  /// Calls work() in this thread and, at the same time, in up to count - 1 others; returns when all
  /// calls have. Others that are not ready in time are not waited for: work is such that one call
  /// would do all of it.
  virtual void run(int count, FunctionRef<void()> work) const = 0;
};

/// The caller's thread alone.
class DSNN_INTERNAL_API SerialExecutor final : public Executor {
 public:
  int num_threads() const override { return 1; }
  void run(int count, FunctionRef<void()> work) const override;
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
DSNN_INTERNAL_API void run_blocks(const Executor& executor, std::int64_t num_blocks,
                                  FunctionRef<void(BlockQueue&)> worker);

}  // namespace dsnn::kernels
