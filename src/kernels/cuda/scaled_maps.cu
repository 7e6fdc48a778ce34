// Diagonal and orthogonal maps: S is a number for each entry, or one for all of them, in double as
// on the processor. General maps: general_maps.cu.
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/maps.h"
#include "kernels/scaled_maps.h"

namespace dsnn::kernels::cuda {
namespace {

template <class T>
double* doubles(const Gpu& gpu, T count) {
  return static_cast<double*>(gpu.scratch(static_cast<std::size_t>(count) * sizeof(double)));
}

/// s and share [n, groups] of every node, and, if they depend on the maps, the eigenvalues.
template <class T>
void node_scales(const Gpu& gpu, const GpuMaps<T>& sheaf, double* s, double* share,
                 T* eigenvalues) {
  const std::int64_t groups = sheaf.is_diagonal ? sheaf.dim : 1;
  row_sums<double>(
      gpu, sheaf.graph.pieces, groups,
      [=] DSNN_GPU(std::int64_t, HalfEdgeId h, std::int64_t i) {
        const double scale = sheaf.scale(h) * sheaf.scale(h);
        if (!sheaf.is_diagonal) return scale;
        double sum = 0;
        for (std::int64_t plane = 0; plane < sheaf.planes; ++plane) {
          const auto value =
              static_cast<double>(sheaf.maps[plane * sheaf.map_plane + h * sheaf.size + i]);
          sum += scale * value * value;
        }
        return sum;
      },
      [=] DSNN_GPU(std::int64_t u, std::int64_t i, double sum) {
        const std::int64_t at = u * groups + i;
        s[at] = sheaf.is_learned ? sheaf.root.s(sum) : sheaf.fixed_root(u);
        share[at] = sheaf.is_learned ? sheaf.root.share(sum) : s[at] * s[at] * sum;
        if (sheaf.is_learned) eigenvalues[at] = static_cast<T>(sum);
      });
}

}  // namespace

template <class T>
void scale_maps(const Gpu& gpu, const SheafMaps<T>& given, T* scaled, T* diagonal, T* eigenvalues,
                T* eigenvectors) {
  if (given.family == MapFamily::kGeneral) {
    return scale_general_maps(gpu, given, scaled, diagonal, eigenvalues, eigenvectors);
  }
  const GpuMaps<T> sheaf(gpu, given);
  const std::int64_t groups = sheaf.is_diagonal ? sheaf.dim : 1;
  const std::int64_t nodes = sheaf.graph.num_nodes, full = sheaf.full;
  double* s = doubles(gpu, nodes * groups);
  double* share = doubles(gpu, nodes * groups);
  node_scales(gpu, sheaf, s, share, eigenvalues);
  // N. It has an imaginary part only if it is a matrix.
  const std::int64_t node_planes = given.is_complex && !sheaf.is_diagonal ? 2 : 1;
  const auto set_diagonal = [=] DSNN_GPU(std::int64_t at) {
    const std::int64_t row = divide(at, full), e = at - row * full;
    const std::int64_t i = sheaf.diagonal_entry(e);
    double value = 0;
    if (row < nodes && i >= sheaf.dim) value = sheaf.fixed_share(row);
    if (row < nodes && i >= 0 && i < sheaf.dim) {
      value = share[row * groups + (sheaf.is_diagonal ? i : 0)];
    }
    diagonal[at] = static_cast<T>(value);
  };
  // G
  const std::int64_t count = sheaf.graph.count;
  const auto set_map = [=] DSNN_GPU(std::int64_t at) {
    const std::int64_t row = divide(at, full), e = at - row * full;
    const std::int64_t plane = row < count ? 0 : 1, h = row - plane * count;
    const std::int64_t u = sheaf.graph.nodes[h], from = sheaf.given_entry(e);
    T value = 0;
    if (from >= 0) {
      const double root = s[u * groups + (sheaf.is_diagonal ? e : 0)];
      value = static_cast<T>(sheaf.scale(h) * root) *
              sheaf.maps[plane * sheaf.map_plane + h * sheaf.size + from];
    } else if (plane == 0 && sheaf.diagonal_entry(e) >= 0) {
      value = sheaf.fixed_map(h, u, sheaf.diagonal_entry(e));
    }
    scaled[at] = value;
  };
  if (sheaf.is_diagonal) {
    return for_both(gpu, sheaf.planes * count * full, set_map, node_planes * nodes * full,
                    set_diagonal);
  }
  // A row of a matrix in each thread.
  const std::int64_t full_dim = sheaf.full_dim;
  const auto set_row = [=] DSNN_GPU(std::int64_t at) {
    const std::int64_t row = divide(at, full_dim), i = at - row * full_dim;
    const std::int64_t plane = row < count ? 0 : 1, h = row - plane * count;
    const std::int64_t u = sheaf.graph.nodes[h];
    T* to = scaled + at * full_dim;
    if (i >= sheaf.dim) {
      const T value = plane == 0 ? sheaf.fixed_map(h, u, i) : T{0};
      for (std::int64_t j = 0; j < full_dim; ++j) to[j] = j == i ? value : T{0};
      return;
    }
    const T factor = static_cast<T>(sheaf.scale(h) * s[u]);
    const T* from = sheaf.maps + plane * sheaf.map_plane + h * sheaf.size + i * sheaf.dim;
    for (std::int64_t j = 0; j < full_dim; ++j) to[j] = j < sheaf.dim ? factor * from[j] : T{0};
  };
  for_both(gpu, sheaf.planes * count * full_dim, set_row, node_planes * nodes * full, set_diagonal);
}

// With f = w r F (r the graph's scale) and W the gradient of G = s f:
//   diagonal, for each entry: gs = sum f W, gD = s'(D) gs + share'(D) gN, gf = s W + 2 f gD
//   orthogonal: D = sum (w r)^2 depends only on w, so gF = w r s W and gw gets 2 w r^2 gD.
template <class T>
void scale_maps_backward(const Gpu& gpu, const SheafMaps<T>& given, const T* eigenvalues,
                         const T* eigenvectors, const T* grad_scaled, const T* grad_diagonal,
                         T* grad_maps, T* grad_weights) {
  if (given.family == MapFamily::kGeneral) {
    return scale_general_maps_backward(gpu, given, eigenvalues, eigenvectors, grad_scaled,
                                       grad_diagonal, grad_maps, grad_weights);
  }
  const GpuMaps<T> sheaf(gpu, given);
  const bool is_diagonal = sheaf.is_diagonal;
  const std::int64_t d = sheaf.dim, groups = is_diagonal ? d : 1, entries = is_diagonal ? 1 : d * d;
  const std::int64_t nodes = sheaf.graph.num_nodes;
  double* s = doubles(gpu, nodes * groups);
  double* grad_d = doubles(gpu, nodes * groups);
  row_sums<double>(
      gpu, sheaf.graph.pieces, groups,
      [=] DSNN_GPU(std::int64_t, HalfEdgeId h, std::int64_t group) {
        if (!sheaf.is_learned) return 0.0;
        T dot = 0;
        for (std::int64_t plane = 0; plane < sheaf.planes; ++plane) {
          const T* map = sheaf.maps + plane * sheaf.map_plane + h * sheaf.size;
          const T* grad = grad_scaled + plane * sheaf.scaled_plane + h * sheaf.full;
          for (std::int64_t e = 0; e < entries; ++e) {
            const std::int64_t from = is_diagonal ? group : e;
            dot += map[from] * grad[sheaf.scaled_entry(from)];
          }
        }
        return sheaf.scale(h) * static_cast<double>(dot);
      },
      [=] DSNN_GPU(std::int64_t u, std::int64_t group, double grad_s) {
        const double constant = sheaf.is_learned ? 0 : sheaf.fixed_root(u);
        const double l =
            sheaf.is_learned ? static_cast<double>(eigenvalues[u * groups + group]) : 0;
        double sum = sheaf.is_learned ? sheaf.root.s_difference(l, l) * grad_s : 0;
        for (std::int64_t i = is_diagonal ? group : 0; i < (is_diagonal ? group + 1 : d); ++i) {
          const auto grad_n = static_cast<double>(grad_diagonal[u * sheaf.full + i * sheaf.stride]);
          sum +=
              grad_n * (sheaf.is_learned ? sheaf.root.share_difference(l, l) : constant * constant);
        }
        s[u * groups + group] = sheaf.is_learned ? sheaf.root.s(l) : constant;
        grad_d[u * groups + group] = sum;
      });
  const std::int64_t size = sheaf.size, count = sheaf.graph.count;
  if (is_diagonal) {
    for_cells(gpu, sheaf.planes * count, size, [=] DSNN_GPU(std::int64_t row, std::int64_t e) {
      const std::int64_t plane = row < count ? 0 : 1, h = row - plane * count;
      const std::int64_t at = sheaf.graph.nodes[h] * groups + e;
      const double scale = sheaf.scale(h);
      const T value =
          static_cast<T>(s[at]) * grad_scaled[plane * sheaf.scaled_plane + h * sheaf.full + e] +
          static_cast<T>(2 * scale * grad_d[at]) * sheaf.maps[row * size + e];
      grad_maps[row * size + e] = static_cast<T>(scale) * value;
    });
  } else {  // a row of a matrix in each thread
    for_cells(gpu, sheaf.planes * count, d, [=] DSNN_GPU(std::int64_t row, std::int64_t i) {
      const std::int64_t plane = row < count ? 0 : 1, h = row - plane * count;
      const T factor = static_cast<T>(s[sheaf.graph.nodes[h]]),
              scale = static_cast<T>(sheaf.scale(h));
      const T* from =
          grad_scaled + plane * sheaf.scaled_plane + h * sheaf.full + i * sheaf.full_dim;
      T* to = grad_maps + row * size + i * d;
      for (std::int64_t j = 0; j < d; ++j) to[j] = scale * (factor * from[j]);
    });
  }
  if (grad_weights == nullptr) return;
  // The gradient of f_h, computed again: that of F_h is w r times it, and w r may be 0.
  for_each(gpu, count, [=] DSNN_GPU(std::int64_t h) {
    const std::int64_t first = sheaf.graph.nodes[h] * groups;
    const double scale = sheaf.scale(h);
    double sum = is_diagonal ? 0 : 2 * scale * grad_d[first];
    for (std::int64_t plane = 0; plane < sheaf.planes; ++plane) {
      for (std::int64_t e = 0; e < size; ++e) {
        const std::int64_t at = first + (is_diagonal ? e : 0);
        const T map = sheaf.maps[plane * sheaf.map_plane + h * size + e];
        T value = static_cast<T>(s[at]) *
                  grad_scaled[plane * sheaf.scaled_plane + h * sheaf.full + sheaf.scaled_entry(e)];
        if (is_diagonal) value += static_cast<T>(2 * scale * grad_d[at]) * map;
        sum += static_cast<double>(map * value);
      }
    }
    grad_weights[h] = static_cast<T>(sheaf.graph_scale(h) * sum);
  });
}

#define DSNN_INSTANTIATE(T)                                                                        \
  template void scale_maps(const Gpu&, const SheafMaps<T>&, T*, T*, T*, T*);                       \
  template void scale_maps_backward(const Gpu&, const SheafMaps<T>&, const T*, const T*, const T*, \
                                    const T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
