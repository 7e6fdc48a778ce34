// Numbers whose lanes belong to different matrices, so that one vector computes several small
// matrices. Methods are written once, for real, complex and dual numbers.
#if defined(DSNN_KERNELS_CPU_NUMBERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_NUMBERS_INL_H_
#undef DSNN_KERNELS_CPU_NUMBERS_INL_H_
#else
#define DSNN_KERNELS_CPU_NUMBERS_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Lanes = hn::Vec<hn::ScalableTag<T>>;
template <class T>
using LaneMask = hn::Mask<hn::ScalableTag<T>>;

template <class T>
HWY_INLINE Lanes<T> constant(T value) {
  return hn::Set(hn::ScalableTag<T>(), value);
}

// The constructors below are explicit code because implicit ones are outside the region of an
// instruction set, where gcc cannot inline those of a NEON vector.

template <class T>
struct Real {
  using Scalar = T;
  static constexpr int kPlanes = 1;
  Lanes<T> re;

  HWY_INLINE Real() {}
  HWY_INLINE Real(Lanes<T> real) : re(real) {}
};

template <class T>
struct Complex {
  using Scalar = T;
  static constexpr int kPlanes = 2;
  Lanes<T> re;
  Lanes<T> im;

  HWY_INLINE Complex() {}
  HWY_INLINE Complex(Lanes<T> real, Lanes<T> imag) : re(real), im(imag) {}
};

/// value + tangent e with e^2 = 0: a function of value + tangent e is its value and its derivative
/// in the tangent's direction.
template <class N>
struct Dual {
  using Scalar = typename N::Scalar;
  N value;
  N tangent;

  HWY_INLINE Dual() {}
  HWY_INLINE Dual(N number, N direction) : value(number), tangent(direction) {}
};

/// Constructs a number; the imaginary part is dropped for real numbers.
template <class N>
HWY_INLINE N make(Lanes<typename N::Scalar> re, Lanes<typename N::Scalar> im) {
  if constexpr (N::kPlanes == 2) {
    return {re, im};
  } else {
    return {re};
  }
}

template <class N>
HWY_INLINE N make(Lanes<typename N::Scalar> re) {
  return make<N>(re, hn::Zero(hn::ScalableTag<typename N::Scalar>()));
}

template <class N>
HWY_INLINE N make(typename N::Scalar re) {
  return make<N>(constant(re));
}

template <class T>
HWY_INLINE Real<T> operator+(Real<T> a, Real<T> b) {
  return {hn::Add(a.re, b.re)};
}
template <class T>
HWY_INLINE Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)};
}

template <class T>
HWY_INLINE Real<T> operator-(Real<T> a, Real<T> b) {
  return {hn::Sub(a.re, b.re)};
}
template <class T>
HWY_INLINE Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)};
}

template <class T>
HWY_INLINE Real<T> operator-(Real<T> a) {
  return {hn::Neg(a.re)};
}
template <class T>
HWY_INLINE Complex<T> operator-(Complex<T> a) {
  return {hn::Neg(a.re), hn::Neg(a.im)};
}

template <class T>
HWY_INLINE Real<T> operator*(Real<T> a, Real<T> b) {
  return {hn::Mul(a.re, b.re)};
}
template <class T>
HWY_INLINE Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {hn::NegMulAdd(a.im, b.im, hn::Mul(a.re, b.re)),
          hn::MulAdd(a.im, b.re, hn::Mul(a.re, b.im))};
}
template <class N>
HWY_INLINE Dual<N> operator*(Dual<N> a, Dual<N> b) {
  return {a.value * b.value, mul_add(a.tangent, b.value, a.value * b.tangent)};
}

/// a b + c
template <class T>
HWY_INLINE Real<T> mul_add(Real<T> a, Real<T> b, Real<T> c) {
  return {hn::MulAdd(a.re, b.re, c.re)};
}
template <class T>
HWY_INLINE Complex<T> mul_add(Complex<T> a, Complex<T> b, Complex<T> c) {
  return {hn::NegMulAdd(a.im, b.im, hn::MulAdd(a.re, b.re, c.re)),
          hn::MulAdd(a.im, b.re, hn::MulAdd(a.re, b.im, c.im))};
}
template <class N>
HWY_INLINE Dual<N> mul_add(Dual<N> a, Dual<N> b, Dual<N> c) {
  return {mul_add(a.value, b.value, c.value),
          mul_add(a.tangent, b.value, mul_add(a.value, b.tangent, c.tangent))};
}

/// c - a b
template <class T>
HWY_INLINE Real<T> neg_mul_add(Real<T> a, Real<T> b, Real<T> c) {
  return {hn::NegMulAdd(a.re, b.re, c.re)};
}
template <class T>
HWY_INLINE Complex<T> neg_mul_add(Complex<T> a, Complex<T> b, Complex<T> c) {
  return {hn::MulAdd(a.im, b.im, hn::NegMulAdd(a.re, b.re, c.re)),
          hn::NegMulAdd(a.im, b.re, hn::NegMulAdd(a.re, b.im, c.im))};
}

template <class T>
HWY_INLINE Real<T> conj(Real<T> a) {
  return a;
}
template <class T>
HWY_INLINE Complex<T> conj(Complex<T> a) {
  return {a.re, hn::Neg(a.im)};
}

/// Re(conj(a) b): the product of a and b as real vectors.
template <class T>
HWY_INLINE Lanes<T> dot(Real<T> a, Real<T> b) {
  return hn::Mul(a.re, b.re);
}
template <class T>
HWY_INLINE Lanes<T> dot(Complex<T> a, Complex<T> b) {
  return hn::MulAdd(a.im, b.im, hn::Mul(a.re, b.re));
}

/// By a real factor.
template <class T>
HWY_INLINE Real<T> scale(Real<T> a, Lanes<T> factor) {
  return {hn::Mul(a.re, factor)};
}
template <class T>
HWY_INLINE Complex<T> scale(Complex<T> a, Lanes<T> factor) {
  return {hn::Mul(a.re, factor), hn::Mul(a.im, factor)};
}
template <class N>
HWY_INLINE Dual<N> scale(Dual<N> a, Lanes<typename N::Scalar> factor) {
  return {scale(a.value, factor), scale(a.tangent, factor)};
}

template <class T>
HWY_INLINE Real<T> reciprocal(Real<T> a) {
  return {hn::Div(constant(T{1}), a.re)};
}
template <class T>
HWY_INLINE Complex<T> reciprocal(Complex<T> a) {
  return scale(conj(a), hn::Div(constant(T{1}), dot(a, a)));
}

/// a + a real number
template <class T>
HWY_INLINE Real<T> add_real(Real<T> a, Lanes<T> b) {
  return {hn::Add(a.re, b)};
}
template <class T>
HWY_INLINE Complex<T> add_real(Complex<T> a, Lanes<T> b) {
  return {hn::Add(a.re, b), a.im};
}
template <class N>
HWY_INLINE Dual<N> add_real(Dual<N> a, Lanes<typename N::Scalar> b) {
  return {add_real(a.value, b), a.tangent};
}

/// a + factor b with a real factor
template <class T>
HWY_INLINE Real<T> add_scaled(Real<T> a, Lanes<T> factor, Real<T> b) {
  return {hn::MulAdd(factor, b.re, a.re)};
}
template <class T>
HWY_INLINE Complex<T> add_scaled(Complex<T> a, Lanes<T> factor, Complex<T> b) {
  return {hn::MulAdd(factor, b.re, a.re), hn::MulAdd(factor, b.im, a.im)};
}
template <class N>
HWY_INLINE Dual<N> add_scaled(Dual<N> a, Lanes<typename N::Scalar> factor, Dual<N> b) {
  return {add_scaled(a.value, factor, b.value), add_scaled(a.tangent, factor, b.tangent)};
}

/// a where the mask is set, b elsewhere.
template <class T>
HWY_INLINE Real<T> select(LaneMask<T> mask, Real<T> a, Real<T> b) {
  return {hn::IfThenElse(mask, a.re, b.re)};
}
template <class T>
HWY_INLINE Complex<T> select(LaneMask<T> mask, Complex<T> a, Complex<T> b) {
  return {hn::IfThenElse(mask, a.re, b.re), hn::IfThenElse(mask, a.im, b.im)};
}
template <class N>
HWY_INLINE Dual<N> select(LaneMask<typename N::Scalar> mask, Dual<N> a, Dual<N> b) {
  return {select(mask, a.value, b.value), select(mask, a.tangent, b.tangent)};
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
