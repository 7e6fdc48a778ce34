#include "kernels/executor.h"

#include "kernels/flush_denormals.h"
#include "kernels/gpu.h"

#include <algorithm>

namespace dsnn::kernels {

Executor::~Executor() = default;

void SerialExecutor::run(int /*count*/, FunctionRef<void()> work) const { work(); }

void GpuExecutor::run(int /*count*/, FunctionRef<void()> work) const { work(); }

void run_blocks(const Executor& executor, std::int64_t num_blocks,
                FunctionRef<void(BlockQueue&)> worker) {
  BlockQueue queue(num_blocks);
  const std::int64_t workers =
      std::clamp<std::int64_t>(num_blocks, 1, std::max(executor.num_threads(), 1));
  const auto work = [&] {
    const FlushDenormals flush;
    worker(queue);
  };
  if (workers == 1) return work();
  executor.run(static_cast<int>(workers), work);
}

}  // namespace dsnn::kernels
