// General restriction maps: D_u is a full block, and S_u a matrix function of it [eq:inverse-root].
// Compiled once for each instruction set.
#if defined(DSNN_KERNELS_CPU_GENERAL_MAPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_GENERAL_MAPS_INL_H_
#undef DSNN_KERNELS_CPU_GENERAL_MAPS_INL_H_
#else
#define DSNN_KERNELS_CPU_GENERAL_MAPS_INL_H_
#endif

#include "kernels/cpu/jacobi-inl.h"
#include "kernels/cpu/known_dim.h"
#include "kernels/cpu/vector-inl.h"
#include "kernels/inverse_root.h"
#include "kernels/scaled_maps.h"
#include "kernels/scratch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// What F_h is multiplied by: the graph's scale and the learned weight.
template <class T>
struct Scales {
  const SheafMaps<T>& sheaf;
  double graph(HalfEdgeId h) const {
    return sheaf.graph_scales == nullptr ? 1 : sheaf.graph_scales[h];
  }
  double weight(HalfEdgeId h) const {
    return sheaf.weights == nullptr ? 1 : static_cast<double>(sheaf.weights[h]);
  }
  double both(HalfEdgeId h) const { return graph(h) * weight(h); }
  /// The node's degree, or sum of |w_e| with weights.
  double degree(std::int64_t u) const {
    const HalfEdgeId begin = sheaf.graph.row_offsets[u];
    const HalfEdgeId end = sheaf.graph.row_offsets[u + 1];
    if (sheaf.graph_scales == nullptr) return static_cast<double>(end - begin);
    double sum = 0;
    for (HalfEdgeId h = begin; h < end; ++h) sum += graph(h) * graph(h);
    return sum;
  }
};

/// Sizes of a sheaf's arrays.
struct Layout {
  std::int64_t full_dim;  // fixed dimensions included
  std::int64_t size;      // of a given map
  std::int64_t full;      // of a scaled one, and of a node's block
  std::int64_t stride;    // from one diagonal entry of those to the next
  std::int64_t planes;
  std::int64_t map_plane, scaled_plane, node_plane;  // from a real part to the imaginary one
  template <class T>
  explicit Layout(const SheafMaps<T>& sheaf)
      : full_dim(sheaf.full_dim()),
        size(sheaf.map_size()),
        full(sheaf.full_map_size()),
        stride(sheaf.is_diagonal() ? 1 : full_dim + 1),
        planes(sheaf.is_complex ? 2 : 1),
        map_plane(sheaf.graph.count() * size),
        scaled_plane(sheaf.graph.count() * full),
        node_plane(sheaf.graph.num_nodes * full) {}
};

/// S_u where it does not depend on the maps: 1, or [eq:degree-root].
template <class T>
double fixed_root(const SheafMaps<T>& sheaf, double degree) {
  if (sheaf.normalisation == Normalisation::kNone) return 1;
  const double factor = sheaf.family == MapFamily::kGeneral ? static_cast<double>(sheaf.dim) : 1.0;
  return 1 / std::sqrt(factor * degree + 1);
}

/// [eq:fixed-dims] The low-pass dimension has maps 1 and -1, the high-pass one 1 and 1, D = degree.
/// Writes the diagonal entries from d on; stride: from one diagonal entry to the next.
template <class T>
void add_fixed_dims(const SheafMaps<T>& sheaf, std::int64_t u, double degree, std::int64_t stride,
                    T* scaled, T* diagonal) {
  if (sheaf.fixed.count() == 0) return;
  const Scales<T> scales{sheaf};
  const InverseRoot root(sheaf.normalisation);
  const double s = sheaf.is_learned() ? root.s(degree) : fixed_root(sheaf, degree);
  const double share = sheaf.is_learned() ? root.share(degree) : s * s * degree;
  const std::int64_t size = sheaf.full_map_size();
  for (int k = 0; k < sheaf.fixed.count(); ++k) {
    diagonal[u * size + (sheaf.dim + k) * stride] = static_cast<T>(share);
  }
  for (HalfEdgeId h = sheaf.graph.row_offsets[u]; h < sheaf.graph.row_offsets[u + 1]; ++h) {
    T* to = scaled + h * size + sheaf.dim * stride;
    const double value = scales.graph(h) * s;
    if (sheaf.fixed.low_pass) {
      *to = static_cast<T>(u < sheaf.graph.neighbours[h] ? value : -value);
      to += stride;
    }
    if (sheaf.fixed.high_pass) *to = static_cast<T>(value);
  }
}

/// A d x d matrix of reals, or of complex numbers in two planes; kDim is d, or 0 if the compiler
/// does not know it.
template <class Number, int kDim, bool kIsComplex>
struct Matrix {
  using Entries =
      std::conditional_t<(kDim > 0), std::array<Number, kDim * kDim>, ScratchVector<Number>>;
  std::int64_t runtime_dim;
  Entries re{};
  Entries im{};
  explicit Matrix(std::int64_t d) : runtime_dim(d) {
    if constexpr (kDim == 0) {
      re.resize(static_cast<std::size_t>(d * d));
      if (kIsComplex) im.resize(static_cast<std::size_t>(d * d));
    }
  }
  HWY_INLINE std::int64_t dim() const { return kDim > 0 ? kDim : runtime_dim; }
  HWY_INLINE Number* real() { return re.data(); }
  HWY_INLINE Number* imaginary() { return im.data(); }
  HWY_INLINE const Number* real() const { return re.data(); }
  HWY_INLINE const Number* imaginary() const { return im.data(); }
  HWY_INLINE void clear() {
    std::fill(re.begin(), re.end(), Number{0});
    std::fill(im.begin(), im.end(), Number{0});
  }
  HWY_INLINE void scale(Number factor) {
    for (std::int64_t i = 0; i < dim() * dim(); ++i) {
      real()[i] *= factor;
      if (kIsComplex) imaginary()[i] *= factor;
    }
  }
  HWY_INLINE void set_scaled(double factor, const Matrix<double, kDim, kIsComplex>& from) {
    for (std::int64_t i = 0; i < dim() * dim(); ++i) {
      real()[i] = static_cast<Number>(factor * from.real()[i]);
      if (kIsComplex) imaginary()[i] = static_cast<Number>(factor * from.imaginary()[i]);
    }
  }
  /// From and to an array whose rows are `row` apart and whose imaginary part is `plane` further.
  template <class From>
  HWY_INLINE void load(const From* from, std::int64_t plane, std::int64_t row) {
    for (std::int64_t i = 0; i < dim(); ++i) {
      for (std::int64_t j = 0; j < dim(); ++j) {
        real()[i * dim() + j] = static_cast<Number>(from[i * row + j]);
        if (kIsComplex) {
          imaginary()[i * dim() + j] = static_cast<Number>(from[plane + i * row + j]);
        }
      }
    }
  }
  template <class To>
  HWY_INLINE void store(To* to, std::int64_t plane, std::int64_t row, Number factor) const {
    for (std::int64_t i = 0; i < dim(); ++i) {
      for (std::int64_t j = 0; j < dim(); ++j) {
        to[i * row + j] = static_cast<To>(factor * real()[i * dim() + j]);
        if (kIsComplex)
          to[plane + i * row + j] = static_cast<To>(factor * imaginary()[i * dim() + j]);
      }
    }
  }
};

/// c += a b, or a* b.
template <bool kAdjoint, class N, int kDim, bool kIsComplex>
HWY_INLINE void add_product(const Matrix<N, kDim, kIsComplex>& a,
                            const Matrix<N, kDim, kIsComplex>& b, Matrix<N, kDim, kIsComplex>& c) {
  const std::int64_t d = a.dim();
  add_small_product<kDim, kAdjoint>(d, a.real(), b.real(), c.real());
  if constexpr (kIsComplex) {
    add_small_product<kDim, kAdjoint>(d, a.real(), b.imaginary(), c.imaginary());
    // i times i is -1, but for conj(i) times i; i times 1 is i, but for conj(i) times 1.
    add_small_product<kDim, kAdjoint, !kAdjoint>(d, a.imaginary(), b.imaginary(), c.real());
    add_small_product<kDim, kAdjoint, kAdjoint>(d, a.imaginary(), b.real(), c.imaginary());
  }
}

/// Functions of a Hermitian matrix by its eigenvalues l [k] and eigenvectors v [k, k]. A complex
/// matrix is decomposed as the real one of twice its dimension, [[Re, -Im], [Im, Re]]: every
/// function of it has that form again, with the function of the complex matrix in its left half.
template <int kDim, bool kIsComplex>
class Spectrum {
 public:
  using Block = Matrix<double, kDim, kIsComplex>;
  static constexpr int kSize = kIsComplex ? 2 * kDim : kDim;

  explicit Spectrum(std::int64_t size)
      : l(static_cast<std::size_t>(size)), v(size), transposed_(size), work_(size), other_(size) {}

  ScratchVector<double> l;
  Matrix<double, kSize, false> v;
  HWY_INLINE std::int64_t size() const { return v.dim(); }

  /// To be called when v has changed.
  HWY_INLINE void update() {
    for (std::int64_t i = 0; i < size(); ++i) {
      for (std::int64_t j = 0; j < size(); ++j) {
        transposed_.real()[j * size() + i] = v.real()[i * size() + j];
      }
    }
  }

  /// out = v diag(f(l)) v^T
  template <class Function>
  HWY_INLINE void apply(const Function& f, Block& out) {
    for (std::int64_t j = 0; j < size(); ++j) {
      const double value = f(l[static_cast<std::size_t>(j)]);
      for (std::int64_t i = 0; i < size(); ++i) {
        work_.real()[j * size() + i] = value * transposed_.real()[j * size() + i];
      }
    }
    other_.clear();
    add_product<false>(v, work_, other_);
    left_half(other_, out);
  }

  /// v (s[l_i, l_j] (v^T x v)_ij + n[l_i, l_j] (v^T y v)_ij) v^T for the Hermitian parts of x and
  /// y, s and n the divided differences of the inverse root and of what it leaves of D.
  HWY_INLINE void divided_differences(const InverseRoot& root, const Block& x, const Block& y,
                                      Block& out) {
    Matrix<double, kSize, false> first(size());
    Matrix<double, kSize, false> second(size());
    to_basis(x, first);
    to_basis(y, second);
    for (std::int64_t i = 0; i < size(); ++i) {
      for (std::int64_t j = 0; j < size(); ++j) {
        const double a = l[static_cast<std::size_t>(i)];
        const double b = l[static_cast<std::size_t>(j)];
        double& value = first.real()[i * size() + j];
        value = root.s_difference(a, b) * value +
                root.share_difference(a, b) * second.real()[i * size() + j];
      }
    }
    work_.clear();
    add_product<false>(first, transposed_, work_);
    other_.clear();
    add_product<false>(v, work_, other_);
    left_half(other_, out);
  }

 private:
  /// out = v^T x v for the Hermitian part of x.
  HWY_INLINE void to_basis(const Block& x, Matrix<double, kSize, false>& out) {
    const std::int64_t d = x.dim();
    const std::int64_t k = size();
    double* m = other_.real();
    for (std::int64_t i = 0; i < d; ++i) {
      for (std::int64_t j = 0; j < d; ++j) {
        const double re = (x.real()[i * d + j] + x.real()[j * d + i]) / 2;
        m[i * k + j] = re;
        if constexpr (kIsComplex) {
          const double im = (x.imaginary()[i * d + j] - x.imaginary()[j * d + i]) / 2;
          m[(i + d) * k + j + d] = re;
          m[(i + d) * k + j] = im;
          m[i * k + j + d] = -im;
        }
      }
    }
    work_.clear();
    add_product<false>(other_, v, work_);
    out.clear();
    add_product<false>(transposed_, work_, out);
  }

  HWY_INLINE void left_half(const Matrix<double, kSize, false>& x, Block& out) const {
    const std::int64_t d = out.dim();
    for (std::int64_t i = 0; i < d; ++i) {
      for (std::int64_t j = 0; j < d; ++j) {
        out.real()[i * d + j] = x.real()[i * size() + j];
        if (kIsComplex) out.imaginary()[i * d + j] = x.real()[(i + d) * size() + j];
      }
    }
  }

  Matrix<double, kSize, false> transposed_, work_, other_;
};

template <class T, int kDim, bool kIsComplex>
void forward_general(const SheafMaps<T>& sheaf, NodeRange nodes, T* scaled, T* diagonal,
                     T* eigenvalues, T* eigenvectors) {
  using Block = Matrix<double, kDim, kIsComplex>;
  constexpr std::int64_t kLanes = max_lanes<double>();
  const HalfEdges& graph = sheaf.graph;
  const Scales<T> scales{sheaf};
  const InverseRoot root(sheaf.normalisation);
  const std::int64_t d = kDim > 0 ? kDim : sheaf.dim;
  const std::int64_t k = kIsComplex ? 2 * d : d;
  const auto [full_dim, size, full, stride, planes, map_plane, scaled_plane, node_plane] =
      Layout(sheaf);
  Block map(d), s(d), share(d), product(d);
  ScratchVector<Block> blocks(static_cast<std::size_t>(kLanes), Block(d));
  Spectrum<kDim, kIsComplex> spectrum(k);
  ScratchVector<double> a(static_cast<std::size_t>(k * k * kLanes)), v(a.size());
  for (std::int64_t first = nodes.begin; first < nodes.end; first += kLanes) {
    const std::int64_t count = std::min(kLanes, nodes.end - first);
    // [eq:diagonal-blocks] D_u = sum_h F_h* F_h
    std::fill(a.data(), a.data() + k * k * kLanes, 0.0);
    for (std::int64_t lane = 0; lane < count; ++lane) {
      Block& block = blocks[static_cast<std::size_t>(lane)];
      block.clear();
      const std::int64_t u = first + lane;
      for (HalfEdgeId h = graph.row_offsets[u]; h < graph.row_offsets[u + 1]; ++h) {
        map.load(sheaf.maps + h * size, map_plane, d);
        map.scale(scales.both(h));
        add_product<true>(map, map, block);
      }
      for (std::int64_t i = 0; i < d; ++i) {
        for (std::int64_t j = 0; j < d; ++j) {
          a[static_cast<std::size_t>((i * k + j) * kLanes + lane)] = block.real()[i * d + j];
          if (kIsComplex) {
            const double im = block.imaginary()[i * d + j];
            a[static_cast<std::size_t>(((i + d) * k + j + d) * kLanes + lane)] =
                block.real()[i * d + j];
            a[static_cast<std::size_t>(((i + d) * k + j) * kLanes + lane)] = im;
            a[static_cast<std::size_t>((i * k + j + d) * kLanes + lane)] = -im;
          }
        }
      }
    }
    if (sheaf.is_learned()) jacobi<kIsComplex ? 2 * kDim : kDim>(k, a.data(), v.data());
    for (std::int64_t lane = 0; lane < count; ++lane) {
      const std::int64_t u = first + lane;
      const double degree = scales.degree(u);
      if (sheaf.is_learned()) {
        double largest = 0;
        for (std::int64_t i = 0; i < k; ++i) {
          double& l = spectrum.l[static_cast<std::size_t>(i)];
          l = a[static_cast<std::size_t>((i * k + i) * kLanes + lane)];
          largest = std::max(largest, l);
        }
        const double zero =
            std::numeric_limits<double>::epsilon() * static_cast<double>(k) * largest;
        for (std::int64_t i = 0; i < k; ++i) {
          double& l = spectrum.l[static_cast<std::size_t>(i)];
          if (l <= zero) l = 0;
          eigenvalues[u * k + i] = static_cast<T>(l);
        }
        for (std::int64_t i = 0; i < k * k; ++i) {
          const double value = v[static_cast<std::size_t>(i * kLanes + lane)];
          spectrum.v.real()[i] = value;
          eigenvectors[u * k * k + i] = static_cast<T>(value);
        }
        spectrum.update();
        spectrum.apply([&](double l) { return root.s(l); }, s);
        spectrum.apply([&](double l) { return root.share(l); }, share);
      } else {
        const double constant = fixed_root(sheaf, degree);
        s.clear();
        for (std::int64_t i = 0; i < d; ++i) s.real()[i * d + i] = constant;
        share = blocks[static_cast<std::size_t>(lane)];
        share.scale(constant * constant);
      }
      if (full_dim != d) {
        for (std::int64_t plane = 0; plane < planes; ++plane) {
          T* node = diagonal + plane * node_plane + u * full;
          std::fill(node, node + full, T{0});
          T* row = scaled + plane * scaled_plane;
          std::fill(row + graph.row_offsets[u] * full, row + graph.row_offsets[u + 1] * full, T{0});
        }
      }
      share.store(diagonal + u * full, node_plane, full_dim, 1.0);
      // G_h = F_h S_u
      for (HalfEdgeId h = graph.row_offsets[u]; h < graph.row_offsets[u + 1]; ++h) {
        map.load(sheaf.maps + h * size, map_plane, d);
        product.clear();
        add_product<false>(map, s, product);
        product.store(scaled + h * full, scaled_plane, full_dim, scales.both(h));
      }
      add_fixed_dims(sheaf, u, degree, stride, scaled, diagonal);
    }
  }
}

// With f = w r F and W the gradient of G = f S: gS = sum_h f* W, then gD from gS and gN through the
// divided differences, and gf = W S + 2 f gD.
template <class T, int kDim, bool kIsComplex>
void backward_general(const SheafMaps<T>& sheaf, NodeRange nodes, const T* eigenvalues,
                      const T* eigenvectors, const T* grad_scaled, const T* grad_diagonal,
                      T* grad_maps, T* grad_weights) {
  using Block = Matrix<double, kDim, kIsComplex>;
  using Product = Matrix<T, kDim, kIsComplex>;
  const HalfEdges& graph = sheaf.graph;
  const Scales<T> scales{sheaf};
  const InverseRoot root(sheaf.normalisation);
  const std::int64_t d = kDim > 0 ? kDim : sheaf.dim;
  const std::int64_t k = kIsComplex ? 2 * d : d;
  const auto [full_dim, size, full, stride, planes, map_plane, scaled_plane, node_plane] =
      Layout(sheaf);
  Block s(d), grad_s(d), grad_n(d), grad_d(d);
  Product map(d), grad(d), product(d), root_s(d), twice_grad_d(d);
  Spectrum<kDim, kIsComplex> spectrum(k);
  for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
    const HalfEdgeId begin = graph.row_offsets[u];
    const HalfEdgeId end = graph.row_offsets[u + 1];
    grad_n.load(grad_diagonal + u * full, node_plane, full_dim);
    if (sheaf.is_learned()) {
      grad_s.clear();
      for (HalfEdgeId h = begin; h < end; ++h) {
        map.load(sheaf.maps + h * size, map_plane, d);
        grad.load(grad_scaled + h * full, scaled_plane, full_dim);
        product.clear();
        add_product<true>(map, grad, product);
        const double scale = scales.both(h);
        for (std::int64_t i = 0; i < d * d; ++i) {
          grad_s.real()[i] += scale * static_cast<double>(product.real()[i]);
          if (kIsComplex) {
            grad_s.imaginary()[i] += scale * static_cast<double>(product.imaginary()[i]);
          }
        }
      }
      std::copy(eigenvalues + u * k, eigenvalues + (u + 1) * k, spectrum.l.begin());
      spectrum.v.load(eigenvectors + u * k * k, 0, k);
      spectrum.update();
      spectrum.apply([&](double l) { return root.s(l); }, s);
      spectrum.divided_differences(root, grad_s, grad_n, grad_d);
    } else {
      const double constant = fixed_root(sheaf, scales.degree(u));
      s.clear();
      for (std::int64_t i = 0; i < d; ++i) {
        s.real()[i * d + i] = constant;
        for (std::int64_t j = 0; j < d; ++j) {
          const double square = constant * constant / 2;
          grad_d.real()[i * d + j] = square * (grad_n.real()[i * d + j] + grad_n.real()[j * d + i]);
          if (kIsComplex) {
            grad_d.imaginary()[i * d + j] =
                square * (grad_n.imaginary()[i * d + j] - grad_n.imaginary()[j * d + i]);
          }
        }
      }
    }
    root_s.set_scaled(1, s);
    twice_grad_d.set_scaled(2, grad_d);
    for (HalfEdgeId h = begin; h < end; ++h) {
      const auto scale = static_cast<T>(scales.both(h));
      map.load(sheaf.maps + h * size, map_plane, d);
      grad.load(grad_scaled + h * full, scaled_plane, full_dim);
      product.clear();
      add_product<false>(map, twice_grad_d, product);
      product.scale(scale);
      add_product<false>(grad, root_s, product);
      product.store(grad_maps + h * size, map_plane, d, scale);
      if (grad_weights != nullptr) {
        T dot = 0;
        for (std::int64_t i = 0; i < d * d; ++i) {
          dot += map.real()[i] * product.real()[i];
          if (kIsComplex) dot += map.imaginary()[i] * product.imaginary()[i];
        }
        grad_weights[h] = static_cast<T>(scales.graph(h)) * dot;
      }
    }
  }
}

/// Calls run.operator()<kDim, kIsComplex>() with the dimension known to the compiler up to 8, or to
/// 4 if it is complex.
template <class T, class Run>
void with_dim(const SheafMaps<T>& sheaf, const Run& run) {
  if (sheaf.is_complex) {
    with_known_dim<4>(sheaf.dim, [&]<int kDim>() { run.template operator()<kDim, true>(); });
  } else {
    with_known_dim<8>(sheaf.dim, [&]<int kDim>() { run.template operator()<kDim, false>(); });
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
