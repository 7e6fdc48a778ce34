#pragma once

#include "kernels/cuda/blocks.h"

namespace dsnn::kernels::cuda {

/// The parts of the diffusion that read neighbours, with the stalk dimension known to the compiler:
/// one warp for the rows of a node or of a half-edge, one lane for a channel. Both return false,
/// and do nothing, for blocks that they are not compiled for.
///
/// y = L z, and the charge's part as in sheaf_diffusion.cu, but [n].
template <class T>
bool gather_rows(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* z, T* y, const T* x,
                 double* charges);
/// The halves C_h of the gradients of the blocks, and the gradients of the diagonal ones.
template <class T>
bool correlate_rows(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* x, const T* grad,
                    T* halves, T* grad_diagonal);

/// The same for nodes whose rows have 128 elements in all, or one row more (diffusion_quads.cu).
template <class T>
bool gather_quad_rows(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* z, T* y, const T* x,
                      double* charges);
template <class T>
bool correlate_quad_rows(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* x, const T* grad,
                         T* halves, T* grad_diagonal);

}  // namespace dsnn::kernels::cuda
