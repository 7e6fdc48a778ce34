// G_h = F_h S_u and N_u = S_u D_u S_u [eq:scaled-maps], and their gradients
// [eq:scaled-map-gradients]. Everything here concerns one node and its half-edges: no neighbour is
// looked at.
//
// D and S are computed in double also for single-precision maps: the error of S grows with the
// condition of D, and S is what the normalised operator, whose entries are at most 1, cannot do
// without.
#include "kernels/scaled_maps.h"

#include "kernels/cpu/general_maps.h"
#include "kernels/cpu/map_scales.h"
#include "kernels/cuda/dispatch.h"
#include "kernels/inverse_root.h"
#include "kernels/plain_maps.h"
#include "kernels/scratch.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/scaled_maps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// Diagonal and orthogonal maps: S is a number for each entry, or one for all of them.
template <class T>
void forward_simple(const SheafMaps<T>& sheaf, NodeRange nodes, T* scaled, T* diagonal,
                    T* eigenvalues) {
  const HalfEdges& graph = sheaf.graph;
  const Scales<T> scales{sheaf};
  const InverseRoot root(sheaf.normalisation);
  const bool is_diagonal = sheaf.is_diagonal();
  const auto [full_dim, size, full, stride, planes, map_plane, scaled_plane, node_plane] =
      Layout(sheaf);
  const std::int64_t groups = is_diagonal ? sheaf.dim : 1;
  ScratchVector<double> sum(static_cast<std::size_t>(groups));
  ScratchVector<double> s(static_cast<std::size_t>(groups));
  for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
    const HalfEdgeId begin = graph.row_offsets[u];
    const HalfEdgeId end = graph.row_offsets[u + 1];
    const double degree = scales.degree(u);
    // D
    std::fill(sum.begin(), sum.end(), 0.0);
    for (HalfEdgeId h = begin; h < end; ++h) {
      const double scale = scales.both(h) * scales.both(h);
      if (!is_diagonal) {
        sum[0] += scale;
        continue;
      }
      for (std::int64_t plane = 0; plane < planes; ++plane) {
        const T* map = sheaf.maps + plane * map_plane + h * size;
        for (std::int64_t i = 0; i < size; ++i) {
          const auto value = static_cast<double>(map[i]);
          double& entry = sum[static_cast<std::size_t>(i)];
          entry = fused(scale * value, value, entry);
        }
      }
    }
    // S and N
    for (std::int64_t i = 0; i < full * (sheaf.is_complex && !is_diagonal ? 2 : 1); ++i) {
      const std::int64_t plane = i / full;
      diagonal[plane * node_plane + u * full + i % full] = 0;
    }
    for (std::int64_t i = 0; i < sheaf.dim; ++i) {
      const auto group = static_cast<std::size_t>(is_diagonal ? i : 0);
      s[group] = sheaf.is_learned() ? root.s(sum[group]) : fixed_root(sheaf, degree);
      diagonal[u * full + i * stride] = static_cast<T>(
          sheaf.is_learned() ? root.share(sum[group]) : s[group] * s[group] * sum[group]);
    }
    if (sheaf.is_learned()) {
      for (std::int64_t i = 0; i < groups; ++i) {
        eigenvalues[u * groups + i] = static_cast<T>(sum[static_cast<std::size_t>(i)]);
      }
    }
    // G
    for (std::int64_t plane = 0; plane < planes; ++plane) {
      for (HalfEdgeId h = begin; h < end; ++h) {
        const T* map = sheaf.maps + plane * map_plane + h * size;
        T* out = scaled + plane * scaled_plane + h * full;
        const double scale = scales.both(h);
        if (full != size) std::fill(out, out + full, T{0});
        if (is_diagonal) {
          for (std::int64_t i = 0; i < size; ++i) {
            out[i] = static_cast<T>(scale * s[static_cast<std::size_t>(i)]) * map[i];
          }
        } else {
          const auto factor = static_cast<T>(scale * s[0]);
          for (std::int64_t i = 0; i < sheaf.dim; ++i) {
            for (std::int64_t j = 0; j < sheaf.dim; ++j) {
              out[i * full_dim + j] = factor * map[i * sheaf.dim + j];
            }
          }
        }
      }
    }
    add_fixed_dims(sheaf, u, degree, stride, scaled, diagonal);
  }
}

// With f = w r F (r the graph's scale) and W the gradient of G = s f:
//   diagonal, for each entry: gs = sum f W, gD = s'(D) gs + share'(D) gN, gf = s W + 2 f gD
//   orthogonal: D = sum (w r)^2 depends only on w, so gF = w r s W and gw gets 2 w r^2 gD.
template <class T>
void backward_simple(const SheafMaps<T>& sheaf, NodeRange nodes, const T* eigenvalues,
                     const T* grad_scaled, const T* grad_diagonal, T* grad_maps, T* grad_weights) {
  const HalfEdges& graph = sheaf.graph;
  const Scales<T> scales{sheaf};
  const InverseRoot root(sheaf.normalisation);
  const bool is_diagonal = sheaf.is_diagonal();
  const auto [full_dim, size, full, stride, planes, map_plane, scaled_plane, node_plane] =
      Layout(sheaf);
  const std::int64_t groups = is_diagonal ? sheaf.dim : 1;
  const std::int64_t d = sheaf.dim;
  ScratchVector<double> s(static_cast<std::size_t>(groups));
  ScratchVector<double> grad_s(static_cast<std::size_t>(groups));
  ScratchVector<double> grad_d(static_cast<std::size_t>(groups));
  for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
    const HalfEdgeId begin = graph.row_offsets[u];
    const HalfEdgeId end = graph.row_offsets[u + 1];
    std::fill(grad_s.begin(), grad_s.end(), 0.0);
    std::fill(grad_d.begin(), grad_d.end(), 0.0);
    if (sheaf.is_learned()) {
      for (std::int64_t plane = 0; plane < planes; ++plane) {
        for (HalfEdgeId h = begin; h < end; ++h) {
          const T* map = sheaf.maps + plane * map_plane + h * size;
          const T* grad = grad_scaled + plane * scaled_plane + h * full;
          const double scale = scales.both(h);
          if (is_diagonal) {
            for (std::int64_t i = 0; i < d; ++i) {
              grad_s[static_cast<std::size_t>(i)] += scale * static_cast<double>(map[i] * grad[i]);
            }
          } else {
            T dot = 0;
            for (std::int64_t i = 0; i < d; ++i) {
              for (std::int64_t j = 0; j < d; ++j) {
                dot = fused(map[i * d + j], grad[i * full_dim + j], dot);
              }
            }
            grad_s[0] += scale * static_cast<double>(dot);
          }
        }
      }
    }
    const double constant = sheaf.is_learned() ? 0 : fixed_root(sheaf, scales.degree(u));
    for (std::int64_t i = 0; i < sheaf.dim; ++i) {
      const auto group = static_cast<std::size_t>(is_diagonal ? i : 0);
      const auto grad_n = static_cast<double>(grad_diagonal[u * full + i * stride]);
      if (sheaf.is_learned()) {
        const auto l =
            static_cast<double>(eigenvalues[u * groups + static_cast<std::int64_t>(group)]);
        s[group] = root.s(l);
        grad_d[group] += root.share_difference(l, l) * grad_n;
        if (is_diagonal || i == 0) grad_d[group] += root.s_difference(l, l) * grad_s[group];
      } else {
        s[group] = constant;
        grad_d[group] += constant * constant * grad_n;
      }
    }
    for (HalfEdgeId h = begin; h < end; ++h) {
      const double scale = scales.both(h);
      double grad_weight = 0;
      for (std::int64_t plane = 0; plane < planes; ++plane) {
        const T* map = sheaf.maps + plane * map_plane + h * size;
        const T* grad = grad_scaled + plane * scaled_plane + h * full;
        T* out = grad_maps + plane * map_plane + h * size;
        T dot = 0;
        if (is_diagonal) {
          for (std::int64_t i = 0; i < d; ++i) {
            const auto group = static_cast<std::size_t>(i);
            const T value = fused(static_cast<T>(s[group]), grad[i],
                                  static_cast<T>(2 * scale * grad_d[group]) * map[i]);
            out[i] = static_cast<T>(scale) * value;
            dot = fused(map[i], value, dot);
          }
        } else {
          const auto s_here = static_cast<T>(s[0]);
          for (std::int64_t i = 0; i < d; ++i) {
            for (std::int64_t j = 0; j < d; ++j) {
              const T value = s_here * grad[i * full_dim + j];
              out[i * d + j] = static_cast<T>(scale) * value;
              dot = fused(map[i * d + j], value, dot);
            }
          }
        }
        grad_weight += static_cast<double>(dot);
      }
      if (grad_weights != nullptr) {
        if (!is_diagonal) grad_weight += 2 * scale * grad_d[0];
        grad_weights[h] = static_cast<T>(scales.graph(h) * grad_weight);
      }
    }
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

template <class T>
void scale_maps(const Executor& executor, const SheafMaps<T>& sheaf, T* scaled, T* diagonal,
                T* eigenvalues, T* eigenvectors) {
  DSNN_ON_GPU(scale_maps(*gpu, sheaf, scaled, diagonal, eigenvalues, eigenvectors));
  if constexpr (std::is_same_v<T, float>) {
    if (are_plain_maps(sheaf)) {
      return scale_plain_maps(executor, sheaf, scaled, diagonal, eigenvalues);
    }
  }
  if (sheaf.family == MapFamily::kGeneral) {
    const GeneralMaps<T> kernel = general_maps<T>();
    return for_node_blocks(executor, sheaf.graph, [&](NodeRange nodes) {
      kernel(sheaf, nodes, scaled, diagonal, eigenvalues, eigenvectors);
    });
  }
  const auto kernel = DSNN_DISPATCH(forward_simple<T>);
  for_node_blocks(executor, sheaf.graph,
                  [&](NodeRange nodes) { kernel(sheaf, nodes, scaled, diagonal, eigenvalues); });
}

template <class T>
void scale_maps_backward(const Executor& executor, const SheafMaps<T>& sheaf, const T* eigenvalues,
                         const T* eigenvectors, const T* grad_scaled, const T* grad_diagonal,
                         T* grad_maps, T* grad_weights) {
  DSNN_ON_GPU(scale_maps_backward(*gpu, sheaf, eigenvalues, eigenvectors, grad_scaled,
                                  grad_diagonal, grad_maps, grad_weights));
  if constexpr (std::is_same_v<T, float>) {
    if (are_plain_maps(sheaf)) {
      return scale_plain_maps_backward(executor, sheaf, eigenvalues, grad_scaled, grad_diagonal,
                                       grad_maps);
    }
  }
  if (sheaf.family == MapFamily::kGeneral) {
    const GeneralMapsBackward<T> kernel = general_maps_backward<T>();
    return for_node_blocks(executor, sheaf.graph, [&](NodeRange nodes) {
      kernel(sheaf, nodes, eigenvalues, eigenvectors, grad_scaled, grad_diagonal, grad_maps,
             grad_weights);
    });
  }
  const auto kernel = DSNN_DISPATCH(backward_simple<T>);
  for_node_blocks(executor, sheaf.graph, [&](NodeRange nodes) {
    kernel(sheaf, nodes, eigenvalues, grad_scaled, grad_diagonal, grad_maps, grad_weights);
  });
}

#define DSNN_INSTANTIATE(T)                                                                   \
  template void scale_maps(const Executor&, const SheafMaps<T>&, T*, T*, T*, T*);             \
  template void scale_maps_backward(const Executor&, const SheafMaps<T>&, const T*, const T*, \
                                    const T*, const T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
