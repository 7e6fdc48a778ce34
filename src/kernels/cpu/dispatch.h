#pragma once

#include "kernels/simd.h"

// DSNN_DISPATCH(f<T>) is the pointer to f<T> as compiled for this machine's best instruction set.
// Use it in the HWY_ONCE part of a kernel file, where HWY_NAMESPACE is that of the baseline.
// (Highway's own HWY_DYNAMIC_DISPATCH does not support templates, and its choice is for the whole
// process.)
#if HWY_ARCH_X86 && (HWY_TARGETS & HWY_AVX2) && (HWY_TARGETS & HWY_AVX3)
#define DSNN_DISPATCH(...)                                                                     \
  (::dsnn::kernels::simd_level() == ::dsnn::kernels::SimdLevel::kAvx512 ? &N_AVX3::__VA_ARGS__ \
   : ::dsnn::kernels::simd_level() == ::dsnn::kernels::SimdLevel::kAvx2                        \
       ? &N_AVX2::__VA_ARGS__                                                                  \
       : &HWY_NAMESPACE::__VA_ARGS__)
#else
#define DSNN_DISPATCH(...) (&HWY_NAMESPACE::__VA_ARGS__)
#endif
