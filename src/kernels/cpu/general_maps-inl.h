// General restriction maps: D_u is a full block, and S_u a matrix function of it [eq:inverse-root].
// Compiled once for each instruction set.
#if defined(DSNN_KERNELS_CPU_GENERAL_MAPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_GENERAL_MAPS_INL_H_
#undef DSNN_KERNELS_CPU_GENERAL_MAPS_INL_H_
#else
#define DSNN_KERNELS_CPU_GENERAL_MAPS_INL_H_
#endif

#include "kernels/cpu/known_dim.h"
#include "kernels/cpu/map_scales.h"
#include "kernels/cpu/vector-inl.h"
#include "kernels/inverse_root.h"
#include "kernels/scratch.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// A d x d real matrix, or a complex one in two planes; kDim is d, or 0 if unknown at compile time.
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
  /// Loads from and stores to an array with row stride `row` and the imaginary part at offset
  /// `plane`.
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
    // The signs of i i = -1 and i 1 = i are reversed if the first factor is conjugated.
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

  /// Must be called when v has changed.
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
  /// y, s and n the divided differences of the inverse root and of N as functions of D.
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

/// Calls run.operator()<kDim, kIsComplex>() with the dimension, known to the compiler where it is
/// small.
template <class T, class Run>
void with_dim(const SheafMaps<T>& sheaf, const Run& run) {
  if (sheaf.is_complex) {
    with_known_dim<KnownDims<T, HWY_TARGET>::kComplexGeneral>(
        sheaf.dim, [&]<int kDim>() { run.template operator()<kDim, true>(); });
  } else {
    with_known_dim<KnownDims<T, HWY_TARGET>::kGeneral>(
        sheaf.dim, [&]<int kDim>() { run.template operator()<kDim, false>(); });
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
