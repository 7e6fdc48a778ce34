#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

// Replacements for functions of the standard library whose last bits depend on the machine (with or
// without fused multiply-add) and on the version. Everything that affects training results uses
// these. They consist only of sums, products, quotients and roots, which every machine rounds the
// same way (the compiler does not fuse them: -ffp-contract=off). Errors are about one unit in the
// last place.
namespace dsnn::portable {

namespace detail {

/// sum_j coefficients[j] x^j
template <std::size_t kCount>
constexpr double horner(double x, const std::array<double, kCount>& coefficients) {
  double sum = coefficients[kCount - 1];
  for (std::size_t j = kCount - 1; j-- > 0;) sum = sum * x + coefficients[j];
  return sum;
}

/// 1 / i! for i = first, first + step ...; with alternating signs or without.
template <std::size_t kCount>
constexpr std::array<double, kCount> factorial_series(int first, int step, bool turns_sign) {
  std::array<double, kCount> result{};
  for (std::size_t j = 0; j < kCount; ++j) {
    double factorial = j % 2 == 1 && turns_sign ? -1 : 1;
    for (int k = 2; k <= first + static_cast<int>(j) * step; ++k) factorial *= k;
    result[j] = 1 / factorial;
  }
  return result;
}

/// 1 / (2 j + 3): atanh(s) = s + s^3 (1/3 + s^2 / 5 + ...)
template <std::size_t kCount>
constexpr std::array<double, kCount> atanh_series() {
  std::array<double, kCount> result{};
  for (std::size_t j = 0; j < kCount; ++j) result[j] = 1.0 / static_cast<double>(2 * j + 3);
  return result;
}

// ln 2 in two parts: products of the first with integers up to 2^11 are exact.
inline constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;

}  // namespace detail

namespace detail {

/// 2^(j / kSteps), by the series of e^x.
inline constexpr int kSteps = 32;
constexpr std::array<double, kSteps> powers_of_two() {
  constexpr auto kSeries = factorial_series<20>(0, 1, false);
  std::array<double, kSteps> result{};
  for (std::size_t j = 0; j < kSteps; ++j) {
    // From the nearer end of [1, 2], where the series is more accurate.
    const bool is_upper = j > kSteps / 2;
    const double share = static_cast<double>(j) / kSteps - (is_upper ? 1 : 0);
    const double x = share * kLn2High;
    result[j] = (is_upper ? 2 : 1) * (horner(x, kSeries) * (1 + share * kLn2Low));
  }
  return result;
}

}  // namespace detail

/// e^x. x = (k / 32) ln 2 + r with |r| <= ln 2 / 64: a table, and a short polynomial in r.
inline double exp(double x) {
  if (!(x > -745.2)) return std::isnan(x) ? x : 0;
  if (x > 709.8) return std::numeric_limits<double>::infinity();
  static constexpr auto kPowers = detail::powers_of_two();
  constexpr double kRound = 0x1.8p52, kStepsOverLn2 = detail::kSteps * 1.4426950408889634074;
  const double k = (x * kStepsOverLn2 + kRound) - kRound;
  const double r =
      (x - k * (detail::kLn2High / detail::kSteps)) - k * (detail::kLn2Low / detail::kSteps);
  const double z = r * r;
  const double e =
      r + z * ((0.5 + r * (1.0 / 6)) + z * ((1.0 / 24 + r * (1.0 / 120)) + z * (1.0 / 720)));
  const auto steps = static_cast<std::int64_t>(k);
  const double power = kPowers[static_cast<std::size_t>(steps & (detail::kSteps - 1))];
  const double value = power + power * e;
  const std::int64_t exponent = steps >> std::countr_zero(unsigned{detail::kSteps});  // rounds down
  if (exponent < -1021 || exponent > 1022) return std::ldexp(value, static_cast<int>(exponent));
  return value * std::bit_cast<double>((exponent + 1023) << 52);
}

/// The natural logarithm. x = 2^k m with m from sqrt(1/2) to sqrt(2), log m = 2 atanh(s),
/// s = (m - 1) / (m + 1).
inline double log(double x) {
  if (!(x > 0)) {
    return x == 0 ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
  }
  if (std::isinf(x)) return x;
  constexpr double kTiny = std::numeric_limits<double>::min();
  if (x < kTiny) return log(x * 0x1p52) - 52 * (detail::kLn2High + detail::kLn2Low);
  constexpr auto kRootOfHalf = std::bit_cast<std::int64_t>(0.70710678118654752440);
  const auto bits = std::bit_cast<std::int64_t>(x);
  const std::int64_t exponent = (bits - kRootOfHalf) >> 52;
  const auto k = static_cast<double>(exponent);
  const double f = std::bit_cast<double>(bits - (exponent << 52)) - 1;  // exact
  const double s = f / (2 + f), z = s * s, w = z * z;
  // 1/3 + z/5 + z^2/7 + ... + z^10/23, in two chains.
  constexpr auto c = detail::atanh_series<11>();
  const double even = c[0] + w * (c[2] + w * (c[4] + w * (c[6] + w * (c[8] + w * c[10]))));
  const double odd = c[1] + w * (c[3] + w * (c[5] + w * (c[7] + w * c[9])));
  // 2 atanh(s) = f - f^2 / 2 + s (f^2 / 2 + 2 s^2 (...)): the small parts first.
  const double half_square = 0.5 * f * f;
  const double rest = s * (half_square + 2 * z * (even + z * odd));
  return k * detail::kLn2High + ((k * detail::kLn2Low + (rest - half_square)) + f);
}

/// log(1 + x), exact to the last digits also near 0.
inline double log1p(double x) {
  const double u = 1 + x;
  if (u == 1 || std::isinf(u)) return u == 1 ? x : u;
  return log(u) * (x / (u - 1));
}

/// x^n for n >= 0, by squaring.
constexpr double power(double x, std::int64_t n) {
  double result = 1;
  for (; n > 0; n /= 2, x *= x) {
    if (n % 2 == 1) result *= x;
  }
  return result;
}

/// x^y for x > 0.
inline double power(double x, double y) { return exp(y * log(x)); }

struct SinCos {
  double sin, cos;
};
/// For |angle| <= pi / 4.
inline SinCos sin_cos(double angle) {
  static constexpr auto kSin = detail::factorial_series<8>(3, 2, true);
  static constexpr auto kCos = detail::factorial_series<8>(4, 2, true);
  const double z = angle * angle;
  return {angle - angle * z * detail::horner(z, kSin),
          1 - (0.5 * z - z * z * detail::horner(z, kCos))};
}

}  // namespace dsnn::portable
