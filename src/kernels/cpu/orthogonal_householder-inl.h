// Products of reflections [eq:orthogonal-householder].
#if defined(DSNN_KERNELS_CPU_ORTHOGONAL_HOUSEHOLDER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_ORTHOGONAL_HOUSEHOLDER_INL_H_
#undef DSNN_KERNELS_CPU_ORTHOGONAL_HOUSEHOLDER_INL_H_
#else
#define DSNN_KERNELS_CPU_ORTHOGONAL_HOUSEHOLDER_INL_H_
#endif

#include "kernels/cpu/numbers-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// Dim is int, or std::integral_constant if the compiler may unroll.
struct Householder {
  static constexpr int num_params(int d) { return d * (d - 1) / 2; }
  static constexpr int forward_scratch(int /*d*/) { return 0; }
  static constexpr int backward_scratch(int d) { return d * d; }

  /// Entry i > k of v_k; the parameters fill the strict lower triangle row by row.
  static constexpr int entry(int i, int k) { return i * (i - 1) / 2 + k; }

  /// 2 / v_k* v_k
  template <class N, class T = typename N::Scalar>
  static HWY_INLINE Lanes<T> factor(int d, int k, const N* params) {
    Lanes<T> norm = constant(T{1});
    for (int i = k + 1; i < d; ++i) {
      norm = hn::Add(norm, dot(params[entry(i, k)], params[entry(i, k)]));
    }
    return hn::Div(constant(T{2}), norm);
  }

  // From the last reflection to the first. The product to the right of H_k is the identity outside
  // the rows and columns above k, so that row and column k are new.
  template <class N, class Dim>
  static HWY_INLINE void forward(Dim d, const N* params, N* q, N* /*scratch*/) {
    using T = typename N::Scalar;
    q[d * d - 1] = make<N>(T{1});
    for (int k = d - 2; k >= 0; --k) {
      const Lanes<T> tau = factor(d, k, params);
      for (int j = k + 1; j < d; ++j) {
        N w = conj(params[entry(k + 1, k)]) * q[(k + 1) * d + j];
        for (int i = k + 2; i < d; ++i) w = mul_add(conj(params[entry(i, k)]), q[i * d + j], w);
        w = scale(w, tau);
        q[k * d + j] = -w;
        for (int i = k + 1; i < d; ++i) {
          q[i * d + j] = neg_mul_add(params[entry(i, k)], w, q[i * d + j]);
        }
      }
      q[k * d + k] = make<N>(hn::Sub(constant(T{1}), tau));
      for (int i = k + 1; i < d; ++i) {
        q[i * d + k] = scale(params[entry(i, k)], hn::Neg(tau));
      }
    }
  }

  // With F = H R, w = v* R, g = v* G, tau = 2 / v* v:
  //   grad v = -tau (G w* + R g*) + tau^2 Re(w g*) v,   grad R = H G = G - tau v g.
  // Row k of F is -tau w, and R = F + tau v w: the reflection is undone in place. tau g replaces
  // row k of the gradient, which is no longer read.
  template <class N, class Dim>
  static HWY_INLINE void backward(Dim d, const N* params, N* grad, N* grad_params, N* q) {
    using T = typename N::Scalar;
    forward(d, params, q, static_cast<N*>(nullptr));
    for (int k = 0; k < d - 1; ++k) {
      const Lanes<T> tau = factor(d, k, params);
      const N* f = q + k * d;
      N* g = grad + k * d;
      for (int j = k; j < d; ++j) {
        for (int i = k + 1; i < d; ++i) {
          g[j] = mul_add(conj(params[entry(i, k)]), grad[i * d + j], g[j]);
        }
        g[j] = scale(g[j], tau);
      }
      Lanes<T> along = hn::Mul(tau, g[k].re);
      for (int j = k + 1; j < d; ++j) along = hn::Sub(along, dot(f[j], g[j]));
      for (int i = k + 1; i < d; ++i) {
        const N v = params[entry(i, k)];
        N sum = add_scaled(scale(v, along), hn::Neg(tau), grad[i * d + k]);
        for (int j = k + 1; j < d; ++j) {
          N& r = q[i * d + j];
          r = neg_mul_add(v, f[j], r);
          sum = mul_add(grad[i * d + j], conj(f[j]), sum);
          sum = neg_mul_add(r, conj(g[j]), sum);
          grad[i * d + j] = neg_mul_add(v, g[j], grad[i * d + j]);
        }
        grad_params[entry(i, k)] = sum;
      }
    }
  }
};

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
