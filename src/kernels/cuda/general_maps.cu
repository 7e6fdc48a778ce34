// General maps: S_u and N_u are functions of the Hermitian matrix D_u, from its eigenvalues l [k]
// and eigenvectors v [k, k]. A complex matrix is decomposed as the real one of twice its dimension,
// [[Re, -Im], [Im, Re]]; the left half of a function of it is that of the complex matrix.
//
// Matrices of nodes are handled by one thread each, all else by one thread per entry.
#include "kernels/cuda/general_maps.h"
#include "kernels/cuda/kernels.h"

namespace dsnn::kernels::cuda {

template <class T>
void scale_general_maps(const Gpu& gpu, const SheafMaps<T>& given, T* scaled, T* diagonal,
                        T* eigenvalues, T* eigenvectors) {
  const General<T> g(gpu, given);
  const std::int64_t d = g.d;
  // [eq:diagonal-blocks] D_u = sum_h F_h* F_h
  double* blocks = doubles(gpu, g.sheaf.planes * g.nodes * d * d);
  sum_adjoint_products<0>(
      gpu, g,
      [=] DSNN_GPU(std::int64_t plane, HalfEdgeId h, std::int64_t i, std::int64_t j) {
        return g.map(plane, h, i, j);
      },
      blocks);
  with_known(g, [&]<int kKnown>() {
    decompose<kKnown>(gpu, g, blocks, diagonal, eigenvalues, eigenvectors);
  });
  // G_h = F_h S_u
  const std::int64_t count = g.sheaf.graph.count, full = g.sheaf.full;
  if (!g.is_complex) {  // a row in each thread
    return for_cells(gpu, count, g.sheaf.full_dim, [=] DSNN_GPU(std::int64_t h, std::int64_t i) {
      const std::int64_t u = g.sheaf.graph.nodes[h], full_dim = g.sheaf.full_dim;
      T* to = scaled + h * full + i * full_dim;
      if (i >= d) {
        const T value = g.sheaf.fixed_map(h, u, i);
        for (std::int64_t j = 0; j < full_dim; ++j) to[j] = j == i ? value : T{0};
        return;
      }
      const double scale = g.sheaf.scale(h);
      for (std::int64_t j = 0; j < full_dim; ++j) {
        double sum = 0;
        for (std::int64_t q = 0; q < d && j < d; ++q) {
          sum += g.map(0, h, i, q) * g.root_entry(0, u, q, j);
        }
        to[j] = static_cast<T>(scale * sum);
      }
    });
  }
  for_cells(gpu, count, full, [=] DSNN_GPU(std::int64_t h, std::int64_t e) {
    const std::int64_t u = g.sheaf.graph.nodes[h], from = g.sheaf.given_entry(e);
    T* to = scaled + h * full + e;
    if (from < 0) {
      const std::int64_t row = g.sheaf.diagonal_entry(e);
      *to = row < 0 ? T{0} : g.sheaf.fixed_map(h, u, row);
      if (g.is_complex) to[g.sheaf.scaled_plane] = 0;
      return;
    }
    const std::int64_t row = divide(from, d);
    const Parts sum = g.product(
        row, from - row * d,
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
  const std::int64_t d = g.d, nodes = g.nodes, planes = g.sheaf.planes;
  const auto grad_of = [=] DSNN_GPU(std::int64_t plane, HalfEdgeId h, std::int64_t i,
                                    std::int64_t j) {
    return static_cast<double>(
        grad_scaled[plane * g.sheaf.scaled_plane + h * g.sheaf.full + i * g.sheaf.full_dim + j]);
  };
  const auto grad_n = [=] DSNN_GPU(std::int64_t plane, std::int64_t u, std::int64_t i,
                                   std::int64_t j) {
    return static_cast<double>(
        grad_diagonal[plane * g.sheaf.node_plane + u * g.sheaf.full + i * g.sheaf.full_dim + j]);
  };
  double* grad_s = doubles(gpu, planes * nodes * d * d);
  double* grad_d = doubles(gpu, planes * nodes * d * d);
  if (g.sheaf.is_learned) sum_adjoint_products<1>(gpu, g, grad_of, grad_s);
  with_known(g, [&]<int kKnown>() {
    decompose_backward<kKnown>(gpu, g, eigenvalues, eigenvectors, grad_s, grad_n, grad_d);
  });
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
          return grad_d[((plane * nodes + u) * d + row) * d + column];
        });
    const double scale = 2 * g.sheaf.scale(h);
    return Parts{first.re + scale * second.re, first.im + scale * second.im};
  };
  const std::int64_t count = g.sheaf.graph.count;
  for_cells(gpu, count, d * d, [=] DSNN_GPU(std::int64_t h, std::int64_t e) {
    const std::int64_t row = divide(e, d);
    const Parts grad = grad_f(h, row, e - row * d);
    const double scale = g.sheaf.scale(h);
    T* to = grad_maps + h * d * d + e;
    *to = static_cast<T>(scale * grad.re);
    if (g.is_complex) to[g.sheaf.map_plane] = static_cast<T>(scale * grad.im);
  });
  if (grad_weights == nullptr) return;
  for_each(gpu, count, [=] DSNN_GPU(std::int64_t h) {
    double sum = 0;
    for (std::int64_t i = 0; i < d; ++i) {
      for (std::int64_t j = 0; j < d; ++j) {
        const Parts grad = grad_f(h, i, j);
        sum += g.map(0, h, i, j) * grad.re;
        if (g.is_complex) sum += g.map(1, h, i, j) * grad.im;
      }
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
