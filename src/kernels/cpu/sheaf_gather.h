#pragma once

#include "kernels/executor.h"
#include "kernels/half_edges.h"
#include "kernels/sheaf_diffusion.h"

namespace dsnn::kernels {

/// The workers of one kind of blocks, for this machine's instruction set; each kind has its own
/// file. They process blocks of nodes until none is left.
template <class T>
struct Gather {
  /// y_u for every node.
  void (*forward)(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue, const T* x,
                  T* y);
  /// The gradients of x and N, the halves of the gradients of the blocks, and the contribution of
  /// each block of nodes to the gradient of the charge.
  void (*backward)(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue, const T* x,
                   const T* grad, T* grad_x, T* grad_maps, T* grad_diagonal, double* charges);
  /// Converts the halves to the gradients of the maps, in place.
  void (*join)(const Diffusion<T>& op, const NodeBlocks& blocks, BlockQueue& queue, T* grad_maps);
};

/// Real and complex numbers.
template <class T>
Gather<T> diagonal_gather(bool is_complex);
template <class T>
Gather<T> dense_gather();
template <class T>
Gather<T> complex_dense_gather();

}  // namespace dsnn::kernels
