// Functions of a skew-Hermitian matrix: the Cayley transform [eq:orthogonal-cayley] and the
// exponential [eq:orthogonal-exponential].
#if defined(DSNN_KERNELS_CPU_ORTHOGONAL_SKEW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_ORTHOGONAL_SKEW_INL_H_
#undef DSNN_KERNELS_CPU_ORTHOGONAL_SKEW_INL_H_
#else
#define DSNN_KERNELS_CPU_ORTHOGONAL_SKEW_INL_H_
#endif

#include "kernels/cpu/numbers-inl.h"

#include <hwy/highway.h>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// Row i of the lower triangle begins here.
constexpr int triangle(int i) { return i * (i + 1) / 2; }

/// set(i, j, A_ij) for A = L - L*, whose lower triangle L the parameters fill row by row.
template <class N, class Dim, class Set>
HWY_INLINE void for_skew(Dim d, const N* params, const Set& set) {
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < i; ++j) {
      const N a = params[triangle(i) + j];
      set(i, j, a);
      set(j, i, -conj(a));
    }
    const N a = params[triangle(i) + i];
    set(i, i, a - conj(a));
  }
}

/// From W = grad A: grad L is the lower triangle of W - W*.
template <class N, class Dim, class Get>
HWY_INLINE void skew_backward(Dim d, const Get& w, N* grad_params) {
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j <= i; ++j) grad_params[triangle(i) + j] = w(i, j) - conj(w(j, i));
  }
}

/// out = a b, or out += a b. out is neither a nor b. Not inlined: most of the work is here, and
/// inlined copies would be most of the code.
template <bool kAdd, class N, class Dim>
HWY_NOINLINE void product(Dim d, const N* a, const N* b, N* HWY_RESTRICT out) {
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < d; ++j) {
      N sum;
      if constexpr (kAdd) {
        sum = mul_add(a[i * d], b[j], out[i * d + j]);
      } else {
        sum = a[i * d] * b[j];
      }
      for (int k = 1; k < d; ++k) sum = mul_add(a[i * d + k], b[k * d + j], sum);
      out[i * d + j] = sum;
    }
  }
}

/// q <- q (3 I - q* q) / 2: squares the distance from the unitary matrices, which is due to
/// rounding errors for large parameters, and is the identity on unitary matrices. scratch: 2 d^2.
template <class N, class Dim>
HWY_INLINE void make_unitary(Dim d, N* q, N* scratch) {
  using T = typename N::Scalar;
  N* correction = scratch;
  N* old = scratch + d * d;
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j <= i; ++j) {
      N sum = conj(q[i]) * q[j];
      for (int k = 1; k < d; ++k) sum = mul_add(conj(q[k * d + i]), q[k * d + j], sum);
      sum = scale(sum, constant(T{-0.5}));
      correction[i * d + j] = i == j ? add_real(sum, constant(T{1.5})) : sum;
      correction[j * d + i] = conj(correction[i * d + j]);
    }
  }
  for (int i = 0; i < d * d; ++i) old[i] = q[i];
  product<false>(d, old, correction, q);
}

struct Cayley {
  static constexpr int num_params(int d) { return triangle(d); }
  static constexpr int forward_scratch(int d) { return 2 * d * d; }
  static constexpr int backward_scratch(int d) { return 2 * d * d; }

  /// m = (I + A)^{-1} by Gauss-Jordan elimination. No pivoting is needed: the Hermitian part of I +
  /// A is I, and that of every Schur complement is at least I.
  template <class N, class Dim>
  static HWY_INLINE void invert(Dim d, const N* params, N* m) {
    using T = typename N::Scalar;
    for_skew(d, params, [&](int i, int j, N a) HWY_ATTR {
      m[i * d + j] = i == j ? add_real(a, constant(T{1})) : a;
    });
    for (int k = 0; k < d; ++k) {
      const N pivot = reciprocal(m[k * d + k]);
      m[k * d + k] = pivot;
      for (int j = 0; j < d; ++j) {
        if (j != k) m[k * d + j] = m[k * d + j] * pivot;
      }
      for (int i = 0; i < d; ++i) {
        if (i == k) continue;
        const N a = m[i * d + k];
        for (int j = 0; j < d; ++j) {
          if (j != k) m[i * d + j] = neg_mul_add(a, m[k * d + j], m[i * d + j]);
        }
        m[i * d + k] = -(a * pivot);
      }
    }
  }

  // (I + A)^{-1} (I - A) = 2 (I + A)^{-1} - I.
  template <class N, class Dim>
  static HWY_INLINE void forward(Dim d, const N* params, N* q, N* scratch) {
    using T = typename N::Scalar;
    invert(d, params, q);
    for (int i = 0; i < d * d; ++i) q[i] = scale(q[i], constant(T{2}));
    for (int i = 0; i < d; ++i) q[i * d + i] = add_real(q[i * d + i], constant(T{-1}));
    make_unitary(d, q, scratch);
  }

  // dQ = -2 M dA M with M = (I + A)^{-1}, so grad A = -2 M* G M*.
  template <class N, class Dim>
  static HWY_INLINE void backward(Dim d, const N* params, N* grad, N* grad_params, N* scratch) {
    using T = typename N::Scalar;
    N* m = scratch;
    N* half = scratch + d * d;
    invert(d, params, m);
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j <= i; ++j) {
        const N a = m[i * d + j];
        m[i * d + j] = conj(m[j * d + i]);
        m[j * d + i] = conj(a);
      }
    }
    product<false>(d, m, grad, half);
    product<false>(d, half, m, grad);
    skew_backward(
        d, [&](int i, int j) HWY_ATTR { return scale(grad[i * d + j], constant(T{-2})); },
        grad_params);
  }
};

struct MatrixExp {
  static constexpr int num_params(int d) { return triangle(d); }
  static constexpr int forward_scratch(int d) { return 4 * d * d; }
  static constexpr int backward_scratch(int d) { return 10 * d * d; }

  /// Degree of the Taylor polynomial, whose remainder for norms up to kNorm, and its derivative's,
  /// is below the rounding error. One less than a multiple of 3.
  template <class T>
  static constexpr int kDegree = std::is_same_v<T, float> ? 8 : 14;
  template <class T>
  static constexpr T kNorm = T{0.5};
  /// Beyond this, all digits of the angles are noise anyway.
  static constexpr int kMaxSquarings = 64;

  template <class T>
  static constexpr T coefficient(int i) {
    T factorial = 1;
    for (int k = 2; k <= i; ++k) factorial *= static_cast<T>(k);
    return 1 / factorial;
  }

  /// q = exp(a), a overwritten. M may be dual; the norm is that of the values. scratch: 3 d^2.
  ///
  /// Scaling, Taylor polynomial, squaring. Each lane is scaled according to its own norm, so that
  /// results do not depend on the other lanes.
  template <class T, class M, class Dim>
  static HWY_INLINE void exponential(Dim d, Lanes<T> norm, M* a, M* q, M* scratch) {
    const hn::ScalableTag<T> tag;
    Lanes<T> factor = constant(T{1});
    Lanes<T> squarings = hn::Zero(tag);
    for (int s = 0; s < kMaxSquarings; ++s) {
      const auto is_large = hn::Gt(norm, constant(kNorm<T>));
      if (hn::AllFalse(tag, is_large)) break;
      const Lanes<T> half = hn::IfThenElse(is_large, constant(T{0.5}), constant(T{1}));
      norm = hn::Mul(norm, half);
      factor = hn::Mul(factor, half);
      squarings = hn::Add(squarings, hn::IfThenElseZero(is_large, constant(T{1})));
    }
    for (int i = 0; i < d * d; ++i) a[i] = scale(a[i], factor);

    taylor<T>(d, a, q, scratch);

    for (int s = 0; s < kMaxSquarings; ++s) {
      const auto is_open = hn::Gt(squarings, constant(static_cast<T>(s)));
      if (hn::AllFalse(tag, is_open)) break;
      product<false>(d, q, q, scratch);
      for (int i = 0; i < d * d; ++i) q[i] = select(is_open, scratch[i], q[i]);
    }
  }

  /// Horner's rule in a^3 (Paterson and Stockmeyer), in which a polynomial of degree 14 costs 6
  /// products.
  template <class T, class M, class Dim>
  static HWY_INLINE void taylor(Dim d, const M* a, M* q, M* scratch) {
    M* square = scratch;
    M* cube = scratch + d * d;
    M* next = scratch + 2 * d * d;
    product<false>(d, a, a, square);
    product<false>(d, square, a, cube);
    const auto set_segment = [&](int degree, M* out) HWY_ATTR {
      const Lanes<T> c0 = constant(coefficient<T>(degree));
      const Lanes<T> c1 = constant(coefficient<T>(degree + 1));
      const Lanes<T> c2 = constant(coefficient<T>(degree + 2));
      for (int i = 0; i < d * d; ++i) out[i] = add_scaled(scale(a[i], c1), c2, square[i]);
      for (int i = 0; i < d; ++i) out[i * d + i] = add_real(out[i * d + i], c0);
    };
    set_segment(kDegree<T> - 2, q);
    for (int degree = kDegree<T> - 5; degree >= 0; degree -= 3) {
      set_segment(degree, next);
      product<true>(d, q, cube, next);
      for (int i = 0; i < d * d; ++i) q[i] = next[i];
    }
  }

  template <class N, class Dim, class T = typename N::Scalar>
  static HWY_INLINE Lanes<T> frobenius_norm(Dim d, const N* params) {
    Lanes<T> sum = hn::Zero(hn::ScalableTag<T>());
    for_skew(d, params, [&](int, int, N a) HWY_ATTR { sum = hn::Add(sum, dot(a, a)); });
    return hn::Sqrt(sum);
  }

  template <class N, class Dim>
  static HWY_INLINE void forward(Dim d, const N* params, N* q, N* scratch) {
    using T = typename N::Scalar;
    for_skew(d, params, [&](int i, int j, N a) HWY_ATTR { scratch[i * d + j] = a; });
    exponential<T>(d, frobenius_norm(d, params), scratch, q, scratch + d * d);
    make_unitary(d, q, scratch);
  }

  // The adjoint of the derivative at A is the derivative at A* = -A, which dual numbers carry
  // along.
  template <class N, class Dim>
  static HWY_INLINE void backward(Dim d, const N* params, N* grad, N* grad_params, N* scratch) {
    using T = typename N::Scalar;
    auto* a = reinterpret_cast<Dual<N>*>(scratch);
    Dual<N>* q = a + d * d;
    for_skew(d, params, [&](int i, int j, N entry) HWY_ATTR {
      a[i * d + j] = {-entry, grad[i * d + j]};
    });
    exponential<T>(d, frobenius_norm(d, params), a, q, q + d * d);
    skew_backward(
        d, [&](int i, int j) HWY_ATTR { return q[i * d + j].tangent; }, grad_params);
  }
};

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
