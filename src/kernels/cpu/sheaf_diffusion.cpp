// y_u = N_u x_u - sum_h T_h G_h* G_h' x_v [eq:diffusion], and its gradients
// [eq:diffusion-gradients]. The loops are in sheaf_gather-inl.h.
#include "kernels/sheaf_diffusion.h"

#include "kernels/cpu/sheaf_gather.h"
#include "kernels/cuda/dispatch.h"
#include "kernels/scratch.h"

#include <numbers>

namespace dsnn::kernels {
namespace {

template <class T>
Gather<T> gather_of(BlockKind kind) {
  switch (kind) {
    case BlockKind::kDiagonal:
    case BlockKind::kComplexDiagonal:
      return diagonal_gather<T>(kind == BlockKind::kComplexDiagonal);
    case BlockKind::kDense:
      break;
    case BlockKind::kComplexDense:
      return complex_dense_gather<T>();
  }
  return dense_gather<T>();
}

}  // namespace

template <class T>
void sheaf_diffusion(const Executor& executor, const Diffusion<T>& op, const T* x, T* y) {
  DSNN_ON_GPU(sheaf_diffusion(*gpu, op, x, y));
  const NodeBlocks blocks(op.graph.row_offsets, op.graph.num_nodes);
  const Gather<T> gather = gather_of<T>(op.kind);
  run_blocks(executor, blocks.count(),
             [&](BlockQueue& queue) { gather.forward(op, blocks, queue, x, y); });
}

template <class T>
void sheaf_diffusion_backward(const Executor& executor, const Diffusion<T>& op, const T* x,
                              const T* grad, T* grad_x, T* grad_maps, T* grad_diagonal,
                              T* grad_charge) {
  DSNN_ON_GPU(
      sheaf_diffusion_backward(*gpu, op, x, grad, grad_x, grad_maps, grad_diagonal, grad_charge));
  const NodeBlocks blocks(op.graph.row_offsets, op.graph.num_nodes);
  ScratchVector<double> charges(static_cast<std::size_t>(blocks.count()));
  const Gather<T> gather = gather_of<T>(op.kind);
  run_blocks(executor, blocks.count(), [&](BlockQueue& queue) {
    gather.backward(op, blocks, queue, x, grad, grad_x, grad_maps, grad_diagonal, charges.data());
  });
  run_blocks(executor, blocks.count(),
             [&](BlockQueue& queue) { gather.join(op, blocks, queue, grad_maps); });
  if (grad_charge == nullptr) return;
  double charge = 0;
  for (const double part : charges) charge += part;
  *grad_charge = static_cast<T>(2 * std::numbers::pi * charge);
}

#define DSNN_INSTANTIATE(T)                                                                        \
  template void sheaf_diffusion(const Executor&, const Diffusion<T>&, const T*, T*);               \
  template void sheaf_diffusion_backward(const Executor&, const Diffusion<T>&, const T*, const T*, \
                                         T*, T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
