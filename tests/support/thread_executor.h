#pragma once

#include "kernels/executor.h"

#include <thread>
#include <vector>

namespace dsnn::testing {

/// A new thread for every worker of every run: all of them always run, which a pool does not
/// promise.
class ThreadExecutor final : public kernels::Executor {
 public:
  explicit ThreadExecutor(int num_threads) : num_threads_(num_threads) {}
  int num_threads() const override { return num_threads_; }
  void run(int count, FunctionRef<void()> work) const override {
    std::vector<std::jthread> threads;
    for (int i = 1; i < count; ++i) threads.emplace_back([&] { work(); });
    work();
  }

 private:
  int num_threads_;
};

}  // namespace dsnn::testing
