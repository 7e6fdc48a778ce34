// Real, complex and dual numbers of one thread.
#pragma once

#include "kernels/cuda/math.h"

#include <type_traits>

namespace dsnn::kernels::cuda {

template <class T>
struct Real {
  using Scalar = T;
  static constexpr int kPlanes = 1;
  T re;
};
template <class T>
struct Complex {
  using Scalar = T;
  static constexpr int kPlanes = 2;
  T re, im;
};
/// A value and its derivative along a direction.
template <class N>
struct Dual {
  using Scalar = typename N::Scalar;
  N value, tangent;
};

template <class N>
DSNN_GPU_INLINE N make(typename N::Scalar re, typename N::Scalar im = 0) {
  if constexpr (N::kPlanes == 2) {
    return {re, im};
  } else {
    return {re};
  }
}

template <class T>
DSNN_GPU_INLINE Real<T> operator+(Real<T> a, Real<T> b) {
  return {a.re + b.re};
}
template <class T>
DSNN_GPU_INLINE Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
DSNN_GPU_INLINE Real<T> operator-(Real<T> a, Real<T> b) {
  return {a.re - b.re};
}
template <class T>
DSNN_GPU_INLINE Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
DSNN_GPU_INLINE Real<T> operator-(Real<T> a) {
  return {-a.re};
}
template <class T>
DSNN_GPU_INLINE Complex<T> operator-(Complex<T> a) {
  return {-a.re, -a.im};
}
template <class T>
DSNN_GPU_INLINE Real<T> operator*(Real<T> a, Real<T> b) {
  return {a.re * b.re};
}
template <class T>
DSNN_GPU_INLINE Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class N>
DSNN_GPU_INLINE Dual<N> operator+(Dual<N> a, Dual<N> b) {
  return {a.value + b.value, a.tangent + b.tangent};
}
template <class N>
DSNN_GPU_INLINE Dual<N> operator*(Dual<N> a, Dual<N> b) {
  return {a.value * b.value, a.tangent * b.value + a.value * b.tangent};
}
/// a b + c
template <class N>
DSNN_GPU_INLINE N mul_add(N a, N b, N c) {
  return a * b + c;
}
/// c - a b
template <class N>
DSNN_GPU_INLINE N neg_mul_add(N a, N b, N c) {
  return c - a * b;
}
template <class T>
DSNN_GPU_INLINE Real<T> conj(Real<T> a) {
  return a;
}
template <class T>
DSNN_GPU_INLINE Complex<T> conj(Complex<T> a) {
  return {a.re, -a.im};
}
/// Re(conj(a) b): the product of a and b as real vectors.
template <class T>
DSNN_GPU_INLINE T dot(Real<T> a, Real<T> b) {
  return a.re * b.re;
}
template <class T>
DSNN_GPU_INLINE T dot(Complex<T> a, Complex<T> b) {
  return a.re * b.re + a.im * b.im;
}
/// By a real factor.
template <class T>
DSNN_GPU_INLINE Real<T> scale(Real<T> a, T factor) {
  return {a.re * factor};
}
template <class T>
DSNN_GPU_INLINE Complex<T> scale(Complex<T> a, T factor) {
  return {a.re * factor, a.im * factor};
}
template <class N>
DSNN_GPU_INLINE Dual<N> scale(Dual<N> a, typename N::Scalar factor) {
  return {scale(a.value, factor), scale(a.tangent, factor)};
}
template <class T>
DSNN_GPU_INLINE Real<T> reciprocal(Real<T> a) {
  return {1 / a.re};
}
template <class T>
DSNN_GPU_INLINE Complex<T> reciprocal(Complex<T> a) {
  return scale(conj(a), 1 / dot(a, a));
}
/// a + a real number
template <class T>
DSNN_GPU_INLINE Real<T> add_real(Real<T> a, T b) {
  return {a.re + b};
}
template <class T>
DSNN_GPU_INLINE Complex<T> add_real(Complex<T> a, T b) {
  return {a.re + b, a.im};
}
template <class N>
DSNN_GPU_INLINE Dual<N> add_real(Dual<N> a, typename N::Scalar b) {
  return {add_real(a.value, b), a.tangent};
}
/// a + factor b with a real factor
template <class N>
DSNN_GPU_INLINE N add_scaled(N a, typename N::Scalar factor, N b) {
  return a + scale(b, factor);
}

}  // namespace dsnn::kernels::cuda
