#pragma once

#include "util/function_ref.h"
#include "util/internal_api.h"

#include <atomic>
#include <cstdint>

namespace dsnn::kernels {

class Gpu;

/// Provides the threads of a kernel, or a GPU. Kernels own no threads; a device does.
class DSNN_INTERNAL_API Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor();
  virtual int num_threads() const = 0;
  /// Calls work() in this thread and, at the same time, in up to count - 1 others; returns when all
  /// calls have returned. It does not wait for threads that are not ready in time: a single call of
  /// work() would do all the work.
  virtual void run(int count, FunctionRef<void()> work) const = 0;

  /// The GPU that kernels run on, or null: they run on the processor.
  virtual const Gpu* gpu() const { return nullptr; }
};

/// Uses only the caller's thread.
class DSNN_INTERNAL_API SerialExecutor final : public Executor {
 public:
  int num_threads() const override { return 1; }
  void run(int count, FunctionRef<void()> work) const override;
};

/// Distributes blocks 0 .. count-1, each once, to the next free worker.
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

/// Runs workers that process blocks until none is left. Results of a block must depend only on that
/// block; then the bits do not depend on the number of threads. Denormal numbers are treated as 0
/// in all workers (flush_denormals.h).
DSNN_INTERNAL_API void run_blocks(const Executor& executor, std::int64_t num_blocks,
                                  FunctionRef<void(BlockQueue&)> worker);

}  // namespace dsnn::kernels
