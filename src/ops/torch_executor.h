#pragma once

#include "kernels/executor.h"

namespace dsnn::ops {

/// LibTorch's own threads: as many as at::set_num_threads says, one inside a parallel region.
const kernels::Executor& torch_executor();

}  // namespace dsnn::ops
