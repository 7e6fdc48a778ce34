// Eigenvalues and eigenvectors of many small symmetric matrices at once, one in each lane, by
// Jacobi's cyclic rotations. Compiled once for each instruction set.
#if defined(DSNN_KERNELS_CPU_JACOBI_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_JACOBI_INL_H_
#undef DSNN_KERNELS_CPU_JACOBI_INL_H_
#else
#define DSNN_KERNELS_CPU_JACOBI_INL_H_
#endif

#include <cstdint>
#include <hwy/highway.h>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// a: [dim, dim, lanes], positive semidefinite; on return its diagonal contains the eigenvalues. v:
/// [dim, dim, lanes], whose columns become the eigenvectors. Converges quadratically; a converged
/// matrix is not changed further, so that results do not depend on the other lanes. Equal
/// eigenvalues and zero matrices need no special treatment.
template <int kDim>
void jacobi(std::int64_t runtime_dim, double* HWY_RESTRICT a, double* HWY_RESTRICT v) {
  const hn::ScalableTag<double> d;
  using V = hn::Vec<decltype(d)>;
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<double>()));
  const std::int64_t n = kDim > 0 ? kDim : runtime_dim;
  const auto at = [&](std::int64_t i, std::int64_t j) { return (i * n + j) * kLanes; };
  const V zero = hn::Zero(d);
  const V one = hn::Set(d, 1.0);

  // A trace of 1 prevents overflow and underflow of squares.
  V trace = zero;
  for (std::int64_t i = 0; i < n; ++i) trace = hn::Add(trace, hn::Load(d, a + at(i, i)));
  const V scale = hn::IfThenElse(hn::Gt(trace, zero), trace, one);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      hn::Store(hn::Div(hn::Load(d, a + at(i, j)), scale), d, a + at(i, j));
      hn::Store(i == j ? one : zero, d, v + at(i, j));
    }
  }

  constexpr int kMaxSweeps = 30;
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    V off = zero;
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) {
        const V x = hn::Load(d, a + at(p, q));
        off = hn::MulAdd(x, x, off);
      }
    }
    const auto has_converged = hn::Le(off, hn::Set(d, 0.01 * kEpsilon * kEpsilon));
    if (hn::AllTrue(d, has_converged)) break;
    for (std::int64_t p = 0; p < n; ++p) {
      for (std::int64_t q = p + 1; q < n; ++q) {
        // The smaller root t of t^2 apq + t (aqq - app) - apq = 0.
        const V apq = hn::Load(d, a + at(p, q));
        const V app = hn::Load(d, a + at(p, p));
        const V aqq = hn::Load(d, a + at(q, q));
        const V difference = hn::Sub(aqq, app);
        const V twice = hn::Add(apq, apq);
        const V root = hn::Sqrt(hn::MulAdd(difference, difference, hn::Mul(twice, twice)));
        const V below = hn::Add(difference, hn::CopySign(root, difference));
        const auto is_still = hn::Or(has_converged, hn::Eq(below, zero));
        const V t = hn::IfThenElse(is_still, zero, hn::Div(twice, below));
        const V cos = hn::Div(one, hn::Sqrt(hn::MulAdd(t, t, one)));
        const V sin = hn::Mul(t, cos);
        hn::Store(hn::NegMulAdd(t, apq, app), d, a + at(p, p));
        hn::Store(hn::MulAdd(t, apq, aqq), d, a + at(q, q));
        hn::Store(zero, d, a + at(p, q));
        hn::Store(zero, d, a + at(q, p));
        for (std::int64_t k = 0; k < n; ++k) {
          if (k != p && k != q) {
            const V akp = hn::Load(d, a + at(k, p));
            const V akq = hn::Load(d, a + at(k, q));
            const V new_p = hn::NegMulAdd(sin, akq, hn::Mul(cos, akp));
            const V new_q = hn::MulAdd(sin, akp, hn::Mul(cos, akq));
            hn::Store(new_p, d, a + at(k, p));
            hn::Store(new_p, d, a + at(p, k));
            hn::Store(new_q, d, a + at(k, q));
            hn::Store(new_q, d, a + at(q, k));
          }
          const V vkp = hn::Load(d, v + at(k, p));
          const V vkq = hn::Load(d, v + at(k, q));
          hn::Store(hn::NegMulAdd(sin, vkq, hn::Mul(cos, vkp)), d, v + at(k, p));
          hn::Store(hn::MulAdd(sin, vkp, hn::Mul(cos, vkq)), d, v + at(k, q));
        }
      }
    }
  }
  for (std::int64_t i = 0; i < n; ++i) {
    hn::Store(hn::Mul(hn::Load(d, a + at(i, i)), scale), d, a + at(i, i));
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
