#pragma once

#include "kernels/executor.h"
#include "kernels/half_edges.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// How the scaled maps G_h and the diagonal blocks N_u are stored [eq:scaled-maps].
enum class BlockKind {
  kDiagonal,         ///< G [2m, d], N [n, d]
  kDense,            ///< G [2m, d, d], N [n, d, d]
  kComplexDiagonal,  ///< G [2, 2m, d], N [n, d] (it is real)
  kComplexDense      ///< G [2, 2m, d, d], N [2, n, d, d]
};

/// The operator y_u = N_u x_u - sum_h T_h G_h* G_h' x_v [eq:diffusion]. Features are planes
/// [planes, n, dim, channels]. With complex maps planes is 2 and the charge 0; with one plane the
/// charge is 0.
template <class T>
struct Diffusion {
  HalfEdges graph;
  BlockKind kind = BlockKind::kDiagonal;
  std::int64_t dim = 1;
  std::int64_t planes = 1;
  std::int64_t channels = 1;
  /// Of dense blocks, the last dimensions are not mixed with others: entries outside the diagonal
  /// are 0 there, and their gradients are not used.
  std::int64_t num_fixed = 0;
  double charge = 0;
  const T* charge_on_gpu = nullptr;  // on a GPU, instead of `charge`; null: 0
  const T* maps = nullptr;           // G
  const T* diagonal = nullptr;       // N
};

template <class T>
DSNN_INTERNAL_API void sheaf_diffusion(const Executor& executor, const Diffusion<T>& operation,
                                       const T* x, T* y);

/// The gradients of x, G, N and the charge, given y's [eq:diffusion-gradients]. grad_charge is a
/// single value, or null. One gather of grad's rows per half-edge serves all of them.
template <class T>
DSNN_INTERNAL_API void sheaf_diffusion_backward(const Executor& executor,
                                                const Diffusion<T>& operation, const T* x,
                                                const T* grad, T* grad_x, T* grad_maps,
                                                T* grad_diagonal, T* grad_charge);

}  // namespace dsnn::kernels
