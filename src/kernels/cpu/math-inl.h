// Exponentials and related functions of vectors. Implemented here, because the same bits on every
// machine require a fixed polynomial in a fixed order of operations, independent of installed
// libraries. Errors are a few units in the last place. NaN is propagated. Compiled once for each
// instruction set.
#if defined(DSNN_KERNELS_CPU_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_MATH_INL_H_
#undef DSNN_KERNELS_CPU_MATH_INL_H_
#else
#define DSNN_KERNELS_CPU_MATH_INL_H_
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Constants that depend on the number type. Polynomials are truncated where the remainder is below
/// half a unit in the last place.
template <class T>
struct MathConstants;
template <>
struct MathConstants<float> {
  static constexpr int kMantissaBits = 23;
  static constexpr float kRound = 0x1.8p23f;    // x + kRound - kRound is x rounded to an integer
  static constexpr float kLeastExponent = -87;  // e^x is a normal number above
  static constexpr float kLn2High = 0x1.62e4p-1f, kLn2Low = 0x1.7f7d1cp-20f;
  static constexpr float kHalfPi[3] = {0x1.921fb6p0f, -0x1.777a5cp-25f, -0x1.ee59dap-50f};
  static constexpr int kExpDegree = 7, kSinDegree = 9, kCosDegree = 10, kAtanhDegree = 15;
};
template <>
struct MathConstants<double> {
  static constexpr int kMantissaBits = 52;
  static constexpr double kRound = 0x1.8p52;
  static constexpr double kLeastExponent = -708;
  static constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;
  static constexpr double kHalfPi[3] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54,
                                        -0x1.f1976b7ed8fbcp-110};
  static constexpr int kExpDegree = 13, kSinDegree = 17, kCosDegree = 18, kAtanhDegree = 35;
};

/// Coefficients of a power series: 1 / i! for i = kFirst, kFirst + kStep ..., with alternating
/// signs or without.
template <class T, int kCount, int kFirst, int kStep, bool kTurnsSign>
constexpr std::array<T, kCount> factorial_series() {
  std::array<T, kCount> result{};
  for (int j = 0; j < kCount; ++j) {
    double factorial = j % 2 == 1 && kTurnsSign ? -1 : 1;
    for (int k = 2; k <= kFirst + j * kStep; ++k) factorial *= k;
    result[static_cast<std::size_t>(j)] = static_cast<T>(1 / factorial);
  }
  return result;
}
/// 2 / (2 j + 1)
template <class T, int kCount>
constexpr std::array<T, kCount> atanh_series() {
  std::array<T, kCount> result{};
  for (int j = 0; j < kCount; ++j)
    result[static_cast<std::size_t>(j)] = static_cast<T>(2.0 / (2 * j + 1));
  return result;
}

/// sum_j coefficients[j] z^j by Horner's rule.
template <class D, class V, class T, std::size_t kCount>
HWY_INLINE V horner(D d, V z, const std::array<T, kCount>& coefficients) {
  V sum = hn::Set(d, coefficients[kCount - 1]);
#pragma GCC unroll 20
  for (std::size_t j = 1; j < kCount; ++j) {
    sum = hn::MulAdd(sum, z, hn::Set(d, coefficients[kCount - 1 - j]));
  }
  return sum;
}

/// x = k ln 2 + r with integer k and |r| <= ln 2 / 2, for kLeastExponent <= x <= 0.
template <class D>
struct ExponentParts {
  hn::Vec<D> r;
  hn::Vec<D> power;  // 2^k
};
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE ExponentParts<D> split_exponent(D d, V x) {
  using C = MathConstants<T>;
  const hn::RebindToSigned<D> di;
  constexpr T kLog2E = static_cast<T>(1.4426950408889634074);
  // The last bits of `shifted` are k, and its exponent's place is as many bits higher.
  const V shifted = hn::MulAdd(x, hn::Set(d, kLog2E), hn::Set(d, C::kRound));
  const V k = hn::Sub(shifted, hn::Set(d, C::kRound));
  const auto one = hn::BitCast(di, hn::Set(d, T{1}));
  const auto bits = hn::Add(hn::ShiftLeft<C::kMantissaBits>(hn::BitCast(di, shifted)), one);
  const V r =
      hn::NegMulAdd(k, hn::Set(d, C::kLn2Low), hn::NegMulAdd(k, hn::Set(d, C::kLn2High), x));
  return {r, hn::BitCast(d, bits)};
}

/// e^x for x <= 0, which is sufficient here and cannot overflow. 0 if the result is not a normal
/// number.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE V exp_of_negative(D d, V x) {
  using C = MathConstants<T>;
  const auto [r, power] = split_exponent(d, x);
  static constexpr auto kSeries = factorial_series<T, C::kExpDegree + 1, 0, 1, false>();
  const V e = horner(d, r, kSeries);
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, C::kLeastExponent)), hn::Mul(e, power));
}

/// e^x - 1 for x <= 0, exact to the last digits also near 0.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE V expm1_of_negative(D d, V x) {
  using C = MathConstants<T>;
  const V one = hn::Set(d, T{1});
  const auto [r, power] = split_exponent(d, x);
  static constexpr auto kSeries = factorial_series<T, C::kExpDegree - 1, 2, 1, false>();
  const V e = hn::MulAdd(hn::Mul(r, r), horner(d, r, kSeries), r);  // e^r - 1
  return hn::IfThenElse(hn::Lt(x, hn::Set(d, C::kLeastExponent)), hn::Neg(one),
                        hn::MulAdd(power, e, hn::Sub(power, one)));
}

/// tanh |x| = -t / (2 + t) with t = e^(-2 |x|) - 1.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE V tanh(D d, V x) {
  const V t = expm1_of_negative(d, hn::Mul(hn::Abs(x), hn::Set(d, T{-2})));
  return hn::CopySign(hn::Div(t, hn::Add(t, hn::Set(d, T{2}))), x);
}

/// 1 / (1 + e^-x), computed from e^-|x|.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE V sigmoid(D d, V x) {
  const V one = hn::Set(d, T{1});
  const V e = exp_of_negative(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(one, e));
}

/// log(1 + x) for 0 <= x <= 1: 2 atanh(s) = 2 (s + s^3 / 3 + s^5 / 5 ...) with s = x / (2 + x).
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE V log1p_of_unit(D d, V x) {
  const V s = hn::Div(x, hn::Add(x, hn::Set(d, T{2})));
  static constexpr auto kSeries = atanh_series<T, MathConstants<T>::kAtanhDegree / 2 + 1>();
  return hn::Mul(s, horner(d, hn::Mul(s, s), kSeries));
}

template <class D>
struct SinCos {
  hn::Vec<D> sin, cos;
};
/// Beyond 39,000, whole turns are removed first; the resulting error is no larger than the rounding
/// error of the angle itself.
template <class D, class V, class T = hn::TFromD<D>>
HWY_INLINE SinCos<D> sin_cos(D d, V angle) {
  using C = MathConstants<T>;
  const hn::RebindToSigned<D> di;
  constexpr T kTurn = static_cast<T>(6.283185307179586477), kMost = 39000;
  const V turns = hn::Round(hn::Mul(angle, hn::Set(d, 1 / kTurn)));
  angle = hn::IfThenElse(hn::Gt(hn::Abs(angle), hn::Set(d, kMost)),
                         hn::NegMulAdd(turns, hn::Set(d, kTurn), angle), angle);
  // angle = k pi/2 + r with |r| <= pi/4
  constexpr T kTwoOverPi = static_cast<T>(0.63661977236758134308);
  const V shifted = hn::MulAdd(angle, hn::Set(d, kTwoOverPi), hn::Set(d, C::kRound));
  const V k = hn::Sub(shifted, hn::Set(d, C::kRound));
  V r = angle;
#pragma GCC unroll 3
  for (int i = 0; i < 3; ++i) r = hn::NegMulAdd(k, hn::Set(d, C::kHalfPi[i]), r);
  const V z = hn::Mul(r, r);
  static constexpr auto kSinSeries = factorial_series<T, C::kSinDegree / 2 + 1, 1, 2, true>();
  static constexpr auto kCosSeries = factorial_series<T, C::kCosDegree / 2 + 1, 0, 2, true>();
  const V sin = hn::Mul(r, horner(d, z, kSinSeries));
  const V cos = horner(d, z, kCosSeries);
  // Odd quarters swap the two; the second and third change the sign of the sine, the first and
  // second that of the cosine.
  const auto quarter = hn::BitCast(di, shifted);
  const auto bit = [&](auto bits, auto which) HWY_ATTR {
    const auto mask = hn::Set(di, which);
    return hn::RebindMask(d, hn::Eq(hn::And(bits, mask), mask));
  };
  using I = hn::TFromD<decltype(di)>;
  const auto is_odd = bit(quarter, I{1});
  const V s = hn::IfThenElse(is_odd, cos, sin), c = hn::IfThenElse(is_odd, sin, cos);
  const auto next = hn::Add(quarter, hn::Set(di, I{1}));
  return {hn::IfThenElse(bit(quarter, I{2}), hn::Neg(s), s),
          hn::IfThenElse(bit(next, I{2}), hn::Neg(c), c)};
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
