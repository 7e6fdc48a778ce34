// General maps: S_u and N_u are functions of the Hermitian matrix D_u, from its eigenvalues l [k]
// and eigenvectors v [k, k]. A complex matrix is decomposed as the real one of twice its dimension,
// [[Re, -Im], [Im, Re]]; the left half of a function of it is that of the complex matrix.
//
// One thread per entry, except for the decomposition: one thread per node.
#include "kernels/cuda/jacobi.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/maps.h"

namespace dsnn::kernels::cuda {
namespace {

/// Entry (i, j) of the real form of a d x d complex matrix, from entry(plane, row, column).
template <class Entry>
DSNN_GPU_INLINE double real_form(std::int64_t d, std::int64_t i, std::int64_t j,
                                 const Entry& entry) {
  const bool is_lower = i >= d, is_right = j >= d;
  const std::int64_t row = is_lower ? i - d : i, column = is_right ? j - d : j;
  if (is_lower == is_right) return entry(0, row, column);
  return is_lower ? entry(1, row, column) : -entry(1, row, column);
}

/// Entry (i, j) of v diag(f(l)) v^T
template <class Function>
DSNN_GPU_INLINE double function_entry(std::int64_t k, std::int64_t i, std::int64_t j,
                                      const double* l, const double* v, const Function& f) {
  double sum = 0;
  for (std::int64_t q = 0; q < k; ++q) sum += v[i * k + q] * f(l[q]) * v[j * k + q];
  return sum;
}

/// Real and imaginary part.
struct Parts {
  double re = 0, im = 0;
};

/// Sizes and arrays of both passes.
template <class T>
struct General {
  GpuMaps<T> sheaf;
  std::int64_t d, k, nodes;
  bool is_complex;
  double* s;        // S [planes, n, d, d]
  double* l;        // [n, k]
  double* vectors;  // [n, k, k]

  General(const Gpu& gpu, const SheafMaps<T>& given)
      : sheaf(gpu, given),
        d(given.dim),
        k(given.is_complex ? 2 * d : d),
        nodes(given.graph.num_nodes),
        is_complex(given.is_complex),
        s(doubles(gpu, sheaf.planes * nodes * d * d)),
        l(doubles(gpu, nodes * k)),
        vectors(doubles(gpu, nodes * k * k)) {}

  static double* doubles(const Gpu& gpu, std::int64_t count) {
    return static_cast<double*>(gpu.scratch(static_cast<std::size_t>(count) * sizeof(double)));
  }
  DSNN_GPU_INLINE double map(std::int64_t plane, HalfEdgeId h, std::int64_t i,
                             std::int64_t j) const {
    return static_cast<double>(sheaf.maps[plane * sheaf.map_plane + h * d * d + i * d + j]);
  }
  /// Entry (i, j) of (the adjoint of F_h) times b(plane, row, column).
  template <class B>
  DSNN_GPU_INLINE Parts adjoint_times(HalfEdgeId h, std::int64_t i, std::int64_t j,
                                      const B& b) const {
    Parts sum;
    for (std::int64_t q = 0; q < d; ++q) {
      const double re = map(0, h, q, i), b_re = b(0, q, j);
      sum.re += re * b_re;
      if (!is_complex) continue;
      const double im = map(1, h, q, i), b_im = b(1, q, j);
      sum.re += im * b_im;
      sum.im += re * b_im - im * b_re;
    }
    return sum;
  }
  /// Entry (i, j) of a b.
  template <class A, class B>
  DSNN_GPU_INLINE Parts product(std::int64_t i, std::int64_t j, const A& a, const B& b) const {
    Parts sum;
    for (std::int64_t q = 0; q < d; ++q) {
      const double re = a(0, i, q), b_re = b(0, q, j);
      sum.re += re * b_re;
      if (!is_complex) continue;
      const double im = a(1, i, q), b_im = b(1, q, j);
      sum.re -= im * b_im;
      sum.im += re * b_im + im * b_re;
    }
    return sum;
  }
  DSNN_GPU_INLINE double root_entry(std::int64_t plane, std::int64_t u, std::int64_t i,
                                    std::int64_t j) const {
    return s[(plane * nodes + u) * d * d + i * d + j];
  }
};

/// S from the spectrum, or the constant one.
template <class T>
void make_roots(const Gpu& gpu, const General<T>& g) {
  const std::int64_t d = g.d, k = g.k;
  for_cells(gpu, g.sheaf.planes * g.nodes, d * d, [=] DSNN_GPU(std::int64_t row, std::int64_t e) {
    const std::int64_t plane = row / g.nodes, u = row - plane * g.nodes, i = e / d, j = e % d;
    double value = plane == 0 && i == j && !g.sheaf.is_learned ? g.sheaf.fixed_root(u) : 0;
    if (g.sheaf.is_learned) {
      value = function_entry(k, plane * d + i, j, g.l + u * k, g.vectors + u * k * k,
                             [&](double l) { return g.sheaf.root.s(l); });
    }
    g.s[row * d * d + e] = value;
  });
}

}  // namespace

template <class T>
void scale_general_maps(const Gpu& gpu, const SheafMaps<T>& given, T* scaled, T* diagonal,
                        T* eigenvalues, T* eigenvectors) {
  const General<T> g(gpu, given);
  const GpuMaps<T>& sheaf = g.sheaf;
  const std::int64_t d = g.d, k = g.k, nodes = g.nodes;
  // [eq:diagonal-blocks] D_u = sum_h F_h* F_h
  const NodeMatrices blocks(gpu, nodes, k), v(gpu, nodes, k);
  for_cells(gpu, d * d, nodes, [=] DSNN_GPU(std::int64_t e, std::int64_t u) {
    const std::int64_t i = e / d, j = e % d;
    Parts sum;
    for (HalfEdgeId h = g.sheaf.graph.row_offsets[u]; h < g.sheaf.graph.row_offsets[u + 1]; ++h) {
      const double scale = g.sheaf.scale(h) * g.sheaf.scale(h);
      const Parts part =
          g.adjoint_times(h, i, j, [&](std::int64_t plane, std::int64_t row, std::int64_t column) {
            return g.map(plane, h, row, column);
          });
      sum.re += scale * part.re;
      sum.im += scale * part.im;
    }
    blocks.at(u, i, j) = sum.re;
    if (!g.is_complex) return;
    blocks.at(u, i + d, j + d) = sum.re;
    blocks.at(u, i + d, j) = sum.im;
    blocks.at(u, i, j + d) = -sum.im;
  });
  if (sheaf.is_learned) {
    for_each(gpu, nodes, [=] DSNN_GPU(std::int64_t u) {
      jacobi(u, blocks, v);
      double largest = 0;
      for (std::int64_t i = 0; i < k; ++i) largest = fmax(largest, blocks.at(u, i, i));
      const double zero = 2.220446049250313e-16 * static_cast<double>(k) * largest;
      for (std::int64_t i = 0; i < k; ++i) {
        const double value = blocks.at(u, i, i) <= zero ? 0 : blocks.at(u, i, i);
        g.l[u * k + i] = value;
        eigenvalues[u * k + i] = static_cast<T>(value);
        for (std::int64_t j = 0; j < k; ++j) {
          g.vectors[(u * k + i) * k + j] = v.at(u, i, j);
          eigenvectors[(u * k + i) * k + j] = static_cast<T>(v.at(u, i, j));
        }
      }
    });
  }
  make_roots(gpu, g);
  const std::int64_t full = sheaf.full;
  for_cells(gpu, sheaf.planes * nodes, full, [=] DSNN_GPU(std::int64_t row, std::int64_t e) {
    const std::int64_t plane = row / nodes, u = row - plane * nodes;
    const std::int64_t from = g.sheaf.given_entry(e), diagonal_row = g.sheaf.diagonal_entry(e);
    double value = 0;
    if (from < 0) {
      if (plane == 0 && diagonal_row >= 0) value = g.sheaf.fixed_share(u);
    } else if (g.sheaf.is_learned) {
      value = function_entry(k, plane * d + from / d, from % d, g.l + u * k, g.vectors + u * k * k,
                             [&](double l) { return g.sheaf.root.share(l); });
    } else {
      const double root = g.sheaf.fixed_root(u);
      value = root * root * blocks.at(u, plane * d + from / d, from % d);
    }
    diagonal[row * full + e] = static_cast<T>(value);
  });
  // G_h = F_h S_u
  const std::int64_t count = sheaf.graph.count;
  for_cells(gpu, count, full, [=] DSNN_GPU(std::int64_t h, std::int64_t e) {
    const std::int64_t u = g.sheaf.graph.nodes[h], from = g.sheaf.given_entry(e);
    T* to = scaled + h * full + e;
    if (from < 0) {
      const std::int64_t row = g.sheaf.diagonal_entry(e);
      *to = row < 0 ? T{0} : g.sheaf.fixed_map(h, u, row);
      if (g.is_complex) to[g.sheaf.scaled_plane] = 0;
      return;
    }
    const Parts sum = g.product(
        from / d, from % d,
        [&](std::int64_t plane, std::int64_t i, std::int64_t j) { return g.map(plane, h, i, j); },
        [&](std::int64_t plane, std::int64_t i, std::int64_t j) {
          return g.root_entry(plane, u, i, j);
        });
    const double scale = g.sheaf.scale(h);
    *to = static_cast<T>(scale * sum.re);
    if (g.is_complex) to[g.sheaf.scaled_plane] = static_cast<T>(scale * sum.im);
  });
}

// With f = w r F and W the gradient of G = f S: gS = sum_h f* W, then gD from gS and gN through the
// divided differences, and gf = W S + 2 f gD.
template <class T>
void scale_general_maps_backward(const Gpu& gpu, const SheafMaps<T>& given, const T* eigenvalues,
                                 const T* eigenvectors, const T* grad_scaled,
                                 const T* grad_diagonal, T* grad_maps, T* grad_weights) {
  const General<T> g(gpu, given);
  const GpuMaps<T>& sheaf = g.sheaf;
  const std::int64_t d = g.d, k = g.k, nodes = g.nodes, planes = sheaf.planes;
  const std::int64_t full = sheaf.full, full_dim = sheaf.full_dim;
  const auto grad_of = [=] DSNN_GPU(std::int64_t plane, HalfEdgeId h, std::int64_t i,
                                    std::int64_t j) {
    return static_cast<double>(
        grad_scaled[plane * g.sheaf.scaled_plane + h * full + i * full_dim + j]);
  };
  const auto grad_n = [=] DSNN_GPU(std::int64_t plane, std::int64_t u, std::int64_t i,
                                   std::int64_t j) {
    return static_cast<double>(
        grad_diagonal[plane * g.sheaf.node_plane + u * full + i * full_dim + j]);
  };
  double* grad_d = General<T>::doubles(gpu, planes * nodes * d * d);
  if (sheaf.is_learned) {
    double* grad_s = General<T>::doubles(gpu, planes * nodes * d * d);
    const std::int64_t plane_size = nodes * d * d;
    for_cells(gpu, nodes, d * d, [=] DSNN_GPU(std::int64_t u, std::int64_t e) {
      Parts sum;
      for (HalfEdgeId h = g.sheaf.graph.row_offsets[u]; h < g.sheaf.graph.row_offsets[u + 1]; ++h) {
        const Parts part = g.adjoint_times(h, e / d, e % d,
                                           [&](std::int64_t plane, std::int64_t i, std::int64_t j) {
                                             return grad_of(plane, h, i, j);
                                           });
        const double scale = g.sheaf.scale(h);
        sum.re += scale * part.re;
        sum.im += scale * part.im;
      }
      grad_s[u * d * d + e] = sum.re;
      if (g.is_complex) grad_s[plane_size + u * d * d + e] = sum.im;
    });
    for_cells(gpu, nodes, k * k, [=] DSNN_GPU(std::int64_t u, std::int64_t e) {
      if (e < k) g.l[u * k + e] = static_cast<double>(eigenvalues[u * k + e]);
      g.vectors[u * k * k + e] = static_cast<double>(eigenvectors[u * k * k + e]);
    });
    // v^T x v for the Hermitian parts of gS and gN, times the divided differences: in two steps.
    double* half_s = General<T>::doubles(gpu, nodes * k * k);
    double* half_n = General<T>::doubles(gpu, nodes * k * k);
    double* middle = General<T>::doubles(gpu, nodes * k * k);
    for_cells(gpu, nodes, k * k, [=] DSNN_GPU(std::int64_t u, std::int64_t e) {
      const std::int64_t i = e / k, q = e % k;
      const double* v = g.vectors + u * k * k;
      double sum_s = 0, sum_n = 0;
      for (std::int64_t j = 0; j < k; ++j) {
        const double s =
            real_form(d, i, j, [&](std::int64_t plane, std::int64_t row, std::int64_t column) {
              const double* x = grad_s + plane * plane_size + u * d * d;
              const double other = x[column * d + row];
              return (x[row * d + column] + (plane == 0 ? other : -other)) / 2;
            });
        const double n =
            real_form(d, i, j, [&](std::int64_t plane, std::int64_t row, std::int64_t column) {
              const double other = grad_n(plane, u, column, row);
              return (grad_n(plane, u, row, column) + (plane == 0 ? other : -other)) / 2;
            });
        sum_s += s * v[j * k + q];
        sum_n += n * v[j * k + q];
      }
      half_s[u * k * k + e] = sum_s;
      half_n[u * k * k + e] = sum_n;
    });
    for_cells(gpu, nodes, k * k, [=] DSNN_GPU(std::int64_t u, std::int64_t e) {
      const std::int64_t p = e / k, q = e % k;
      const double* v = g.vectors + u * k * k;
      double sum_s = 0, sum_n = 0;
      for (std::int64_t i = 0; i < k; ++i) {
        sum_s += v[i * k + p] * half_s[(u * k + i) * k + q];
        sum_n += v[i * k + p] * half_n[(u * k + i) * k + q];
      }
      const double a = g.l[u * k + p], b = g.l[u * k + q];
      middle[u * k * k + e] =
          g.sheaf.root.s_difference(a, b) * sum_s + g.sheaf.root.share_difference(a, b) * sum_n;
    });
    for_cells(gpu, nodes, k * d, [=] DSNN_GPU(std::int64_t u, std::int64_t e) {
      const std::int64_t i = e / d, j = e % d;  // the left half
      const double* v = g.vectors + u * k * k;
      double sum = 0;
      for (std::int64_t p = 0; p < k; ++p) {
        double row = 0;
        for (std::int64_t q = 0; q < k; ++q) row += middle[(u * k + p) * k + q] * v[j * k + q];
        sum += v[i * k + p] * row;
      }
      grad_d[(i / d * nodes + u) * d * d + i % d * d + j] = sum;
    });
  } else {
    for_cells(gpu, planes * nodes, d * d, [=] DSNN_GPU(std::int64_t row, std::int64_t e) {
      const std::int64_t plane = row / nodes, u = row - plane * nodes, i = e / d, j = e % d;
      const double root = g.sheaf.fixed_root(u), other = grad_n(plane, u, j, i);
      const double sum = grad_n(plane, u, i, j) + (plane == 0 ? other : -other);
      grad_d[row * d * d + e] = root * root / 2 * sum;
    });
  }
  make_roots(gpu, g);
  /// The gradient of f_h, entry (i, j).
  const auto grad_f = [=] DSNN_GPU(HalfEdgeId h, std::int64_t i, std::int64_t j) {
    const std::int64_t u = g.sheaf.graph.nodes[h];
    const Parts first = g.product(
        i, j,
        [&](std::int64_t plane, std::int64_t row, std::int64_t column) {
          return grad_of(plane, h, row, column);
        },
        [&](std::int64_t plane, std::int64_t row, std::int64_t column) {
          return g.root_entry(plane, u, row, column);
        });
    const Parts second = g.product(
        i, j,
        [&](std::int64_t plane, std::int64_t row, std::int64_t column) {
          return g.map(plane, h, row, column);
        },
        [&](std::int64_t plane, std::int64_t row, std::int64_t column) {
          return grad_d[(plane * nodes + u) * d * d + row * d + column];
        });
    const double scale = 2 * g.sheaf.scale(h);
    return Parts{first.re + scale * second.re, first.im + scale * second.im};
  };
  const std::int64_t count = sheaf.graph.count;
  for_cells(gpu, count, d * d, [=] DSNN_GPU(std::int64_t h, std::int64_t e) {
    const Parts grad = grad_f(h, e / d, e % d);
    const double scale = g.sheaf.scale(h);
    T* to = grad_maps + h * d * d + e;
    *to = static_cast<T>(scale * grad.re);
    if (g.is_complex) to[g.sheaf.map_plane] = static_cast<T>(scale * grad.im);
  });
  if (grad_weights == nullptr) return;
  for_each(gpu, count, [=] DSNN_GPU(std::int64_t h) {
    double sum = 0;
    for (std::int64_t e = 0; e < d * d; ++e) {
      const Parts grad = grad_f(h, e / d, e % d);
      sum += g.map(0, h, e / d, e % d) * grad.re;
      if (g.is_complex) sum += g.map(1, h, e / d, e % d) * grad.im;
    }
    grad_weights[h] = static_cast<T>(g.sheaf.graph_scale(h) * sum);
  });
}

#define DSNN_INSTANTIATE(T)                                                                      \
  template void scale_general_maps(const Gpu&, const SheafMaps<T>&, T*, T*, T*, T*);             \
  template void scale_general_maps_backward(const Gpu&, const SheafMaps<T>&, const T*, const T*, \
                                            const T*, const T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
