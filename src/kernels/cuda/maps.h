// The arguments of scaled maps on a GPU.
#pragma once

#include "kernels/cuda/graph.h"
#include "kernels/inverse_root.h"
#include "kernels/scaled_maps.h"

namespace dsnn::kernels::cuda {

/// InverseRoot on the GPU.
struct GpuRoot {
  bool is_exact;

  DSNN_GPU_INLINE double s(double l) const {
    if (is_exact) return l > 0 ? 1 / sqrt(l) : 0;
    return 1 / sqrt(l + 1);
  }
  DSNN_GPU_INLINE double share(double l) const {
    if (is_exact) return l > 0 ? 1 : 0;
    return l / (l + 1);
  }
  DSNN_GPU_INLINE double s_difference(double a, double b) const {
    if (is_exact && (a == 0 || b == 0)) {
      const double l = a + b;
      return l > 0 ? 1 / (l * sqrt(l)) : 0;
    }
    const double root_a = sqrt(is_exact ? a : a + 1), root_b = sqrt(is_exact ? b : b + 1);
    return -1 / (root_a * root_b * (root_a + root_b));
  }
  DSNN_GPU_INLINE double share_difference(double a, double b) const {
    if (!is_exact) return 1 / ((a + 1) * (b + 1));
    return (a == 0) != (b == 0) ? 1 / (a + b) : 0;
  }
};

/// SheafMaps and its sizes (cpu/map_scales.h) on the GPU.
template <class T>
struct GpuMaps {
  GpuGraph graph;
  GpuRoot root;
  bool is_diagonal, is_learned, is_normalised, is_general;
  bool low_pass, high_pass;
  std::int64_t dim, full_dim, size, full, stride;
  std::int64_t planes, map_plane, scaled_plane, node_plane;
  const double* graph_scales;
  const T* maps;
  const T* weights;

  GpuMaps(const Gpu& gpu, const SheafMaps<T>& sheaf)
      : graph(gpu, sheaf.graph),
        root{sheaf.normalisation == Normalisation::kExact},
        is_diagonal(sheaf.is_diagonal()),
        is_learned(sheaf.is_learned()),
        is_normalised(sheaf.normalisation != Normalisation::kNone),
        is_general(sheaf.family == MapFamily::kGeneral),
        low_pass(sheaf.fixed.low_pass),
        high_pass(sheaf.fixed.high_pass),
        dim(sheaf.dim),
        full_dim(sheaf.full_dim()),
        size(sheaf.map_size()),
        full(sheaf.full_map_size()),
        stride(is_diagonal ? 1 : full_dim + 1),
        planes(sheaf.is_complex ? 2 : 1),
        map_plane(graph.count * size),
        scaled_plane(graph.count * full),
        node_plane(graph.num_nodes * full),
        graph_scales(mirror(gpu, sheaf.graph_scales, graph.count)),
        maps(sheaf.maps),
        weights(sheaf.weights) {}

  DSNN_GPU_INLINE double graph_scale(HalfEdgeId h) const {
    return graph_scales == nullptr ? 1 : graph_scales[h];
  }
  DSNN_GPU_INLINE double scale(HalfEdgeId h) const {
    return weights == nullptr ? graph_scale(h) : graph_scale(h) * static_cast<double>(weights[h]);
  }
  DSNN_GPU_INLINE double degree(std::int64_t u) const {
    const HalfEdgeId begin = graph.row_offsets[u], end = graph.row_offsets[u + 1];
    if (graph_scales == nullptr) return static_cast<double>(end - begin);
    double sum = 0;
    for (HalfEdgeId h = begin; h < end; ++h) sum += graph_scales[h] * graph_scales[h];
    return sum;
  }
  /// S_u if it does not depend on the maps: 1, or [eq:degree-root].
  DSNN_GPU_INLINE double fixed_root(std::int64_t u) const {
    if (!is_normalised) return 1;
    return 1 / sqrt((is_general ? static_cast<double>(dim) : 1.0) * degree(u) + 1);
  }
  /// S and N of fixed dimensions.
  DSNN_GPU_INLINE double fixed_s(std::int64_t u) const {
    return is_learned ? root.s(degree(u)) : fixed_root(u);
  }
  DSNN_GPU_INLINE double fixed_share(std::int64_t u) const {
    if (is_learned) return root.share(degree(u));
    const double s = fixed_root(u);
    return s * s * degree(u);
  }
  /// [eq:fixed-dims] The scaled map of h = (u, v) in the fixed dimension i >= dim.
  DSNN_GPU_INLINE T fixed_map(HalfEdgeId h, std::int64_t u, std::int64_t i) const {
    const double value = graph_scale(h) * fixed_s(u);
    const bool is_low = low_pass && i == dim;
    return static_cast<T>(is_low && u >= graph.neighbours[h] ? -value : value);
  }

  /// Of an entry of a scaled map: its row if it is on the diagonal, or -1.
  DSNN_GPU_INLINE std::int64_t diagonal_entry(std::int64_t e) const {
    if (is_diagonal) return e;
    const std::int64_t i = divide(e, stride);
    return e == i * stride ? i : -1;
  }
  /// The entry of a given map that becomes this one, or -1 in fixed dimensions.
  DSNN_GPU_INLINE std::int64_t given_entry(std::int64_t e) const {
    if (is_diagonal) return e < dim ? e : -1;
    if (full_dim == dim) return e;
    const std::int64_t i = divide(e, full_dim), j = e - i * full_dim;
    return i < dim && j < dim ? i * dim + j : -1;
  }
  /// The reverse.
  DSNN_GPU_INLINE std::int64_t scaled_entry(std::int64_t e) const {
    if (is_diagonal || full_dim == dim) return e;
    return divide(e, dim) * full_dim + e % dim;
  }
};

/// General maps: S_u is a matrix function of D_u.
template <class T>
void scale_general_maps(const Gpu& gpu, const SheafMaps<T>& sheaf, T* scaled, T* diagonal,
                        T* eigenvalues, T* eigenvectors);
template <class T>
void scale_general_maps_backward(const Gpu& gpu, const SheafMaps<T>& sheaf, const T* eigenvalues,
                                 const T* eigenvectors, const T* grad_scaled,
                                 const T* grad_diagonal, T* grad_maps, T* grad_weights);

}  // namespace dsnn::kernels::cuda
