#pragma once

#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/sheaf.h"

#include "kernels/executor.h"
#include "kernels/half_edges.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// The arguments of the scaled maps of a sheaf [eq:scaled-maps].
template <class T>
struct SheafMaps {
  HalfEdges graph;
  MapFamily family = MapFamily::kDiagonal;
  bool is_complex = false;
  Normalisation normalisation = Normalisation::kAugmented;
  FixedDims fixed;
  std::int64_t dim = 1;                  // d, without fixed dimensions
  const double* graph_scales = nullptr;  // [2m], or null without weights: ops::Graph::map_scales
  const T* maps = nullptr;               // F: [2m, d], or [2m, d, d]; two planes if complex
  const T* weights = nullptr;            // [2m] or null: F_h <- w_h F_h in the given dimensions

  bool is_diagonal() const { return family == MapFamily::kDiagonal; }
  std::int64_t map_size() const { return is_diagonal() ? dim : dim * dim; }
  std::int64_t full_dim() const { return dim + fixed.count(); }
  std::int64_t full_map_size() const {
    return is_diagonal() ? full_dim() : full_dim() * full_dim();
  }
  /// Whether S depends on the maps: then its eigenvalues are stored for the gradient.
  bool is_learned() const {
    return normalisation == Normalisation::kExact || normalisation == Normalisation::kAugmented;
  }
  /// The number of eigenvalues stored per node: for general maps all, for complex ones twice.
  std::int64_t num_eigenvalues() const {
    if (!is_learned()) return 0;
    if (family == MapFamily::kOrthogonal) return 1;
    return is_diagonal() || !is_complex ? dim : 2 * dim;
  }
  bool has_eigenvectors() const { return is_learned() && family == MapFamily::kGeneral; }
};

/// G_h = F_h S_u and N_u = S_u D_u S_u, in the layout of Diffusion, fixed dimensions included; and,
/// for the gradient, eigenvalues [n, k] and, for general maps, eigenvectors [n, k, k] of D without
/// the fixed dimensions, k = num_eigenvalues().
template <class T>
DSNN_INTERNAL_API void scale_maps(const Executor& executor, const SheafMaps<T>& sheaf, T* scaled,
                                  T* diagonal, T* eigenvalues, T* eigenvectors);

/// The gradients of F and w given those of G and N [eq:scaled-map-gradients]. grad_weights is null
/// if there are no weights. For the orthogonal family, D is a function only of the weights.
template <class T>
DSNN_INTERNAL_API void scale_maps_backward(const Executor& executor, const SheafMaps<T>& sheaf,
                                           const T* eigenvalues, const T* eigenvectors,
                                           const T* grad_scaled, const T* grad_diagonal,
                                           T* grad_maps, T* grad_weights);

}  // namespace dsnn::kernels
