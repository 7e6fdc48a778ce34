#pragma once

// DSNN_ON_GPU(f(*gpu, ...)) in a kernel's entry function: on a GPU, returns the result of its
// counterpart in kernels/cuda/kernels.h.
#if defined(DSNN_HAS_CUDA)
#include "kernels/cuda/kernels.h"
#include "kernels/gpu.h"
#define DSNN_ON_GPU(...) \
  if (const ::dsnn::kernels::Gpu* gpu = executor.gpu()) return ::dsnn::kernels::cuda::__VA_ARGS__
#else
#define DSNN_ON_GPU(...) static_cast<void>(0)
#endif
