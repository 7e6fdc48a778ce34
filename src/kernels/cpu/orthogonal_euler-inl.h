// Products of plane rotations [eq:orthogonal-euler].
#if defined(DSNN_KERNELS_CPU_ORTHOGONAL_EULER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_ORTHOGONAL_EULER_INL_H_
#undef DSNN_KERNELS_CPU_ORTHOGONAL_EULER_INL_H_
#else
#define DSNN_KERNELS_CPU_ORTHOGONAL_EULER_INL_H_
#endif

#include "kernels/cpu/math-inl.h"
#include "kernels/cpu/numbers-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// For d = 1, 2 and 3.
struct Euler {
  static constexpr int num_params(int d) { return d * (d - 1) / 2; }
  static constexpr int forward_scratch(int /*d*/) { return 0; }
  static constexpr int backward_scratch(int d) { return d * d; }

  struct Plane {
    int first;
    int second;
  };
  /// Of rotation k. In this order and orientation the real angles are yaw, pitch and roll.
  static constexpr Plane kPlanes[] = {{0, 1}, {2, 0}, {1, 2}};

  /// [[cosine, -conj(phase) sine], [phase sine, cosine]]
  template <class N>
  struct Rotation {
    Lanes<typename N::Scalar> cosine;
    Lanes<typename N::Scalar> sine;
    N phase;
  };

  template <class N>
  static HWY_INLINE Rotation<N> rotation(N param) {
    using T = typename N::Scalar;
    const hn::ScalableTag<T> d;
    const auto [sine, cosine] = sin_cos(d, param.re);
    Rotation<N> r = {cosine, sine, make<N>(T{1})};
    if constexpr (N::kPlanes == 2) {
      const auto phase = sin_cos(d, param.im);
      r.phase = {phase.cos, phase.sin};
    }
    return r;
  }

  /// Rows x, y <- the rotation times them; the inverse has the opposite sign of the sine.
  template <class N>
  static HWY_INLINE void rotate(const Rotation<N>& r, N& x, N& y) {
    const N s = scale(r.phase, r.sine);
    const N old = x;
    x = neg_mul_add(conj(s), y, scale(old, r.cosine));
    y = mul_add(s, old, scale(y, r.cosine));
  }

  template <class N, class Dim>
  static HWY_INLINE void forward(Dim d, const N* params, N* q, N* /*scratch*/) {
    using T = typename N::Scalar;
    for (int i = 0; i < d; ++i) {
      for (int j = 0; j < d; ++j) q[i * d + j] = make<N>(i == j ? T{1} : T{0});
    }
    for (int k = num_params(d) - 1; k >= 0; --k) {
      const Rotation<N> r = rotation(params[k]);
      for (int j = 0; j < d; ++j)
        rotate(r, q[kPlanes[k].first * d + j], q[kPlanes[k].second * d + j]);
    }
  }

  // Each rotation is undone, in the product as in the gradient. With rows x, y before the rotation
  // and a, b of the gradient after it:
  //   d angle = Re(-sin (a* x + b* y) + cos (phase b* x - conj(phase) a* y))
  //   d phase = Re(i sin (phase b* x + conj(phase) a* y))
  template <class N, class Dim>
  static HWY_INLINE void backward(Dim d, const N* params, N* grad, N* grad_params, N* q) {
    using T = typename N::Scalar;
    forward(d, params, q, static_cast<N*>(nullptr));
    for (int k = 0; k < num_params(d); ++k) {
      const Rotation<N> r = rotation(params[k]);
      const Rotation<N> inverse = {r.cosine, hn::Neg(r.sine), r.phase};
      Lanes<T> along = hn::Zero(hn::ScalableTag<T>());
      N up = make<N>(T{0});
      N down = make<N>(T{0});
      for (int j = 0; j < d; ++j) {
        N& x = q[kPlanes[k].first * d + j];
        N& y = q[kPlanes[k].second * d + j];
        N& a = grad[kPlanes[k].first * d + j];
        N& b = grad[kPlanes[k].second * d + j];
        rotate(inverse, x, y);
        along = hn::Add(along, hn::Add(dot(a, x), dot(b, y)));
        up = mul_add(conj(b), x, up);
        down = mul_add(conj(a), y, down);
        rotate(inverse, a, b);
      }
      up = r.phase * up;
      down = conj(r.phase) * down;
      const Lanes<T> angle = hn::MulSub(r.cosine, hn::Sub(up.re, down.re), hn::Mul(r.sine, along));
      if constexpr (N::kPlanes == 2) {
        grad_params[k] = {angle, hn::Neg(hn::Mul(r.sine, hn::Add(up.im, down.im)))};
      } else {
        grad_params[k] = {angle};
      }
    }
  }
};

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
