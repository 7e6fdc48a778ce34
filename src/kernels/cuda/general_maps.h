// The matrices of nodes of general maps: sums over half-edges, S and N from their spectra, and the
// gradients of both.
#pragma once

#include "kernels/cuda/jacobi.h"
#include "kernels/cuda/maps.h"
#include "kernels/cuda/row_sums.h"

#include <type_traits>

namespace dsnn::kernels::cuda {

/// Real and imaginary part.
struct Parts {
  double re = 0, im = 0;
};

inline double* doubles(const Gpu& gpu, std::int64_t count) {
  return static_cast<double*>(gpu.scratch(static_cast<std::size_t>(count) * sizeof(double)));
}

/// Sizes and arrays of both passes.
template <class T>
struct General {
  GpuMaps<T> sheaf;
  std::int64_t d, k, nodes;
  bool is_complex;
  double* s;  // S [planes, n, d, d]

  General(const Gpu& gpu, const SheafMaps<T>& given)
      : sheaf(gpu, given),
        d(given.dim),
        k(given.is_complex ? 2 * d : d),
        nodes(given.graph.num_nodes),
        is_complex(given.is_complex),
        s(doubles(gpu, sheaf.planes * nodes * d * d)) {}

  /// Entry (row, column) of the matrix of node u in such an array.
  DSNN_GPU_INLINE double& node_entry(double* matrices, std::int64_t plane, std::int64_t u,
                                     std::int64_t row, std::int64_t column) const {
    return matrices[((plane * nodes + u) * d + row) * d + column];
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
    return s[((plane * nodes + u) * d + i) * d + j];
  }
};

/// sums [planes, n, d, d]: of (w r F_h)* b_h / (w r)^power over the half-edges of each node.
template <int kPower, class T, class B>
void sum_adjoint_products(const Gpu& gpu, const General<T>& g, const B& b, double* sums) {
  const std::int64_t d = g.d, size = d * d;
  row_sums<double>(
      gpu, g.sheaf.graph.pieces, g.sheaf.planes * size,
      [=] DSNN_GPU(std::int64_t, HalfEdgeId h, std::int64_t c) {
        const std::int64_t e = c < size ? c : c - size, i = divide(e, d), j = e - i * d;
        const Parts part = g.adjoint_times(
            h, i, j, [&](std::int64_t plane, std::int64_t row, std::int64_t column) {
              return b(plane, h, row, column);
            });
        const double scale = g.sheaf.scale(h);
        return (kPower == 0 ? scale * scale : scale) * (c < size ? part.re : part.im);
      },
      [=] DSNN_GPU(std::int64_t u, std::int64_t c, double sum) {
        const std::int64_t plane = c < size ? 0 : 1;
        sums[(plane * g.nodes + u) * size + c - plane * size] = sum;
      });
}

/// The matrices of one thread, in registers if their size is known (kKnown > 0).
template <int kKnown>
struct NodeWorkspace {
  using Matrix = LocalMatrix<kKnown>;
  NodeWorkspace(const Gpu&, std::int64_t /*nodes*/, std::int64_t /*k*/, int /*count*/) {}
  DSNN_GPU_INLINE Matrix matrix(std::int64_t /*u*/, int /*number*/) const { return {}; }
};
template <>
struct NodeWorkspace<0> {
  using Matrix = StridedMatrix;
  double* data;
  std::int64_t nodes, k;
  NodeWorkspace(const Gpu& gpu, std::int64_t num_nodes, std::int64_t size, int count)
      : data(doubles(gpu, count * num_nodes * size * size)), nodes(num_nodes), k(size) {}
  DSNN_GPU_INLINE Matrix matrix(std::int64_t u, int number) const {
    return {data + number * nodes * k * k + u, nodes, static_cast<int>(k)};
  }
};

/// m = the real form of the matrix entry(plane, row, column), of dimension d.
template <class Matrix, class Entry>
DSNN_GPU_INLINE void set_real_form(int d, bool is_complex, Matrix& m, const Entry& entry) {
  DSNN_UNROLL
  for (int i = 0; i < d; ++i) {
    DSNN_UNROLL
    for (int j = 0; j < d; ++j) {
      m.at(i, j) = entry(0, i, j);
      if (!is_complex) continue;
      m.at(i + d, j + d) = m.at(i, j);
      m.at(i + d, j) = entry(1, i, j);
      m.at(i, j + d) = -entry(1, i, j);
    }
  }
}

/// set(plane, i, j, entry of v diag(f(q)) v^T) for its left half.
template <class Matrix, class F, class Set>
DSNN_GPU_INLINE void set_function(int d, int k, Matrix& v, const F& f, const Set& set) {
  DSNN_UNROLL
  for (int i = 0; i < k; ++i) {
    DSNN_UNROLL
    for (int j = 0; j < d; ++j) {
      double sum = 0;
      DSNN_UNROLL
      for (int q = 0; q < k; ++q) sum += v.at(i, q) * f(q) * v.at(j, q);
      set(i < d ? 0 : 1, i < d ? i : i - d, j, sum);
    }
  }
}

/// S and N of every node from D, and the spectra of D.
template <int kKnown, class T>
void decompose(const Gpu& gpu, const General<T>& g, double* blocks, T* diagonal, T* eigenvalues,
               T* eigenvectors) {
  const NodeWorkspace<kKnown> workspace(gpu, g.nodes, g.k, 3);
  for_each(gpu, g.nodes, [=] DSNN_GPU(std::int64_t u) {
    const int k = kKnown > 0 ? kKnown : static_cast<int>(g.k);
    const int d = kKnown > 0 ? kKnown : static_cast<int>(g.d);
    const bool is_complex = kKnown == 0 && g.is_complex;
    const auto set_n = [&](int plane, int i, int j, double value) {
      diagonal[plane * g.sheaf.node_plane + u * g.sheaf.full + i * g.sheaf.full_dim + j] =
          static_cast<T>(value);
    };
    const auto set_s = [&](int plane, int i, int j, double value) {
      g.node_entry(g.s, plane, u, i, j) = value;
    };
    for (int i = 0; i < g.sheaf.full_dim; ++i) {  // fixed dimensions
      for (int j = 0; j < g.sheaf.full_dim; ++j) {
        if (i < d && j < d) continue;
        set_n(0, i, j, i == j ? g.sheaf.fixed_share(u) : 0);
        if (is_complex) set_n(1, i, j, 0);
      }
    }
    const auto block = [&](int plane, int i, int j) {
      return g.node_entry(blocks, plane, u, i, j);
    };
    if (!g.sheaf.is_learned) {
      const double root = g.sheaf.fixed_root(u);
      for (int plane = 0; plane < g.sheaf.planes; ++plane) {
        for (int i = 0; i < d; ++i) {
          for (int j = 0; j < d; ++j) {
            set_s(plane, i, j, plane == 0 && i == j ? root : 0);
            set_n(plane, i, j, root * root * block(plane, i, j));
          }
        }
      }
      return;
    }
    auto a = workspace.matrix(u, 0), v = workspace.matrix(u, 1), values = workspace.matrix(u, 2);
    set_real_form(d, is_complex, a, block);
    jacobi(k, a, v);
    double largest = 0;
    DSNN_UNROLL
    for (int i = 0; i < k; ++i) largest = fmax(largest, a.at(i, i));
    const double zero = 2.220446049250313e-16 * static_cast<double>(k) * largest;
    DSNN_UNROLL
    for (int i = 0; i < k; ++i) {
      const double l = a.at(i, i) <= zero ? 0 : a.at(i, i);
      eigenvalues[u * k + i] = static_cast<T>(l);
      values.at(0, i) = g.sheaf.root.s(l);
      a.at(i, i) = g.sheaf.root.share(l);
      DSNN_UNROLL
      for (int j = 0; j < k; ++j) eigenvectors[(u * k + i) * k + j] = static_cast<T>(v.at(i, j));
    }
    set_function(
        d, k, v, [&](int q) { return values.at(0, q); }, set_s);
    set_function(
        d, k, v, [&](int q) { return a.at(q, q); }, set_n);
  });
}

/// grad_d, the gradient of D, from those of S and N; and S again, from the spectra.
template <int kKnown, class T, class GradN>
void decompose_backward(const Gpu& gpu, const General<T>& g, const T* eigenvalues,
                        const T* eigenvectors, double* grad_s, const GradN& grad_n,
                        double* grad_d) {
  const NodeWorkspace<kKnown> workspace(gpu, g.nodes, g.k, 5);
  for_each(gpu, g.nodes, [=] DSNN_GPU(std::int64_t u) {
    const int k = kKnown > 0 ? kKnown : static_cast<int>(g.k);
    const int d = kKnown > 0 ? kKnown : static_cast<int>(g.d);
    const bool is_complex = kKnown == 0 && g.is_complex;
    const auto set_s = [&](int plane, int i, int j, double value) {
      g.node_entry(g.s, plane, u, i, j) = value;
    };
    const auto set_d = [&](int plane, int i, int j, double value) {
      g.node_entry(grad_d, plane, u, i, j) = value;
    };
    if (!g.sheaf.is_learned) {
      const double root = g.sheaf.fixed_root(u);
      for (int plane = 0; plane < g.sheaf.planes; ++plane) {
        for (int i = 0; i < d; ++i) {
          for (int j = 0; j < d; ++j) {
            const double other = grad_n(plane, u, j, i);
            const double sum = grad_n(plane, u, i, j) + (plane == 0 ? other : -other);
            set_s(plane, i, j, plane == 0 && i == j ? root : 0);
            set_d(plane, i, j, root * root / 2 * sum);
          }
        }
      }
      return;
    }
    // x: the Hermitian part of gS, then of gN; middle = v^T x v times the divided differences.
    auto v = workspace.matrix(u, 0), x = workspace.matrix(u, 1), half = workspace.matrix(u, 2);
    auto middle = workspace.matrix(u, 3), values = workspace.matrix(u, 4);
    DSNN_UNROLL
    for (int i = 0; i < k; ++i) {
      values.at(0, i) = static_cast<double>(eigenvalues[u * k + i]);
      DSNN_UNROLL
      for (int j = 0; j < k; ++j) {
        v.at(i, j) = static_cast<double>(eigenvectors[(u * k + i) * k + j]);
        middle.at(i, j) = 0;
      }
    }
    const auto add_to_middle = [&](const auto& entry, const auto& difference) {
      set_real_form(d, is_complex, x, [&](int plane, int i, int j) {
        const double other = entry(plane, j, i);
        return (entry(plane, i, j) + (plane == 0 ? other : -other)) / 2;
      });
      DSNN_UNROLL
      for (int i = 0; i < k; ++i) {
        DSNN_UNROLL
        for (int q = 0; q < k; ++q) {
          double sum = 0;
          DSNN_UNROLL
          for (int j = 0; j < k; ++j) sum += x.at(i, j) * v.at(j, q);
          half.at(i, q) = sum;
        }
      }
      DSNN_UNROLL
      for (int p = 0; p < k; ++p) {
        DSNN_UNROLL
        for (int q = 0; q < k; ++q) {
          double sum = 0;
          DSNN_UNROLL
          for (int i = 0; i < k; ++i) sum += v.at(i, p) * half.at(i, q);
          middle.at(p, q) += difference(values.at(0, p), values.at(0, q)) * sum;
        }
      }
    };
    add_to_middle([&](int plane, int i, int j) { return g.node_entry(grad_s, plane, u, i, j); },
                  [&](double l, double m) { return g.sheaf.root.s_difference(l, m); });
    add_to_middle([&](int plane, int i, int j) { return grad_n(plane, u, i, j); },
                  [&](double l, double m) { return g.sheaf.root.share_difference(l, m); });
    // half = middle v^T; only its left half is needed.
    DSNN_UNROLL
    for (int p = 0; p < k; ++p) {
      DSNN_UNROLL
      for (int j = 0; j < d; ++j) {
        double sum = 0;
        DSNN_UNROLL
        for (int q = 0; q < k; ++q) sum += middle.at(p, q) * v.at(j, q);
        half.at(p, j) = sum;
      }
    }
    DSNN_UNROLL
    for (int i = 0; i < k; ++i) {
      DSNN_UNROLL
      for (int j = 0; j < d; ++j) {
        double sum = 0;
        DSNN_UNROLL
        for (int p = 0; p < k; ++p) sum += v.at(i, p) * half.at(p, j);
        set_d(i < d ? 0 : 1, i < d ? i : i - d, j, sum);
      }
    }
    DSNN_UNROLL
    for (int q = 0; q < k; ++q) values.at(0, q) = g.sheaf.root.s(values.at(0, q));
    set_function(
        d, k, v, [&](int q) { return values.at(0, q); }, set_s);
  });
}

/// run.template operator()<kKnown>(): with the size of the matrices of nodes, if it is small.
template <class T, class Run>
void with_known(const General<T>& g, const Run& run) {
  if (g.is_complex || !std::is_same_v<T, float>) return run.template operator()<0>();
  switch (g.d) {
    case 2:
      return run.template operator()<2>();
    case 3:
      return run.template operator()<3>();
    case 4:
      return run.template operator()<4>();
    case 5:
      return run.template operator()<5>();
    default:
      return run.template operator()<0>();
  }
}

}  // namespace dsnn::kernels::cuda
