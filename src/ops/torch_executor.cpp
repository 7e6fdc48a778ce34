#include "ops/torch_executor.h"

#include <ATen/Parallel.h>

namespace dsnn::ops {
namespace {

class TorchExecutor final : public kernels::Executor {
 public:
  int num_threads() const override { return at::in_parallel_region() ? 1 : at::get_num_threads(); }
  void run(int count, const std::function<void()>& work) const override {
    at::parallel_for(0, count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) work();
    });
  }
};

}  // namespace

const kernels::Executor& torch_executor() {
  static const TorchExecutor executor;
  return executor;
}

}  // namespace dsnn::ops
