#pragma once

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace dsnn::engine {

/// A pool of persistent threads. Only one thread at a time may call run().
///
/// Between two jobs a helper first spins, for a fraction of the time that a sleeping thread takes
/// to wake, then sleeps. The caller never waits for a helper that has not started: it does the work
/// itself, and late helpers find nothing left to do. Thus threads that wake slowly, or cores used
/// by other processes, cost little more than the help they fail to give.
class DSNN_INTERNAL_API ThreadPool final : public kernels::Executor {
 public:
  /// The caller and num_threads - 1 helpers, which start when they are first needed; fewer if the
  /// system does not provide more.
  explicit ThreadPool(int num_threads);
  ~ThreadPool() override;

  int num_threads() const override { return limit_; }
  void run(int count, FunctionRef<void()> work) const override;

  int size() const { return size_; }
  /// Sets the number of threads in use, 1 to size().
  void set_limit(int limit) { limit_ = limit; }

 private:
  void start_helpers() const;
  void help() const;
  std::uint64_t wait_for_other(std::uint64_t seen) const;

  // One word contains the state: the job (upper bits), how many helpers may still join it, and how
  // many are working on it. Joining and closing are therefore ordered.
  mutable std::atomic<std::uint64_t> state_{0};
  mutable std::atomic<int> num_asleep_{0};
  mutable std::atomic<bool> caller_sleeps_{false};
  mutable const FunctionRef<void()>* work_ = nullptr;
  std::atomic<bool> stops_{false};
  int size_, limit_;
  mutable std::vector<std::thread> helpers_;
};

}  // namespace dsnn::engine
