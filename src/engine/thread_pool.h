#pragma once

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace dsnn::engine {

/// Threads that stay. One thread at a time may call run().
///
/// Between two pieces of work a helper first looks for the next one without pause, for a fraction
/// of the time that a sleeping thread takes to wake, then sleeps. The caller never waits for a
/// helper that has not begun: it does the work itself, and who comes late finds nothing left to do.
/// So threads that wake slowly, or cores that others use, cost little more than the help they fail
/// to give.
class DSNN_INTERNAL_API ThreadPool final : public kernels::Executor {
 public:
  /// The caller and num_threads - 1 helpers; fewer where the system gives no more.
  explicit ThreadPool(int num_threads);
  ~ThreadPool() override;

  int num_threads() const override { return limit_; }
  void run(int count, FunctionRef<void()> work) const override;

  int size() const { return static_cast<int>(helpers_.size()) + 1; }
  /// How many threads work from now on, 1 to size().
  void set_limit(int limit) { limit_ = limit; }

 private:
  void help();
  std::uint64_t wait_for_other(std::uint64_t seen);

  // One word tells all: which piece of work (upper bits), how many helpers may join it still, and
  // how many are at work on it. Who joins and who closes it therefore agree on what happened first.
  mutable std::atomic<std::uint64_t> state_{0};
  mutable std::atomic<int> num_asleep_{0};
  mutable std::atomic<bool> caller_sleeps_{false};
  mutable const FunctionRef<void()>* work_ = nullptr;
  std::atomic<bool> stops_{false};
  int limit_ = 1;
  std::vector<std::thread> helpers_;
};

}  // namespace dsnn::engine
