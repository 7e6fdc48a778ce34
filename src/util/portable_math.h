#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

// Functions that the standard library has as well, but with other last bits from machine to
// machine: with and without fused multiply-add, and from version to version. Whatever a training's
// numbers depend on uses these. Sums, products, quotients and roots alone, which every machine
// rounds the same way (the compiler joins none of them: -ffp-contract=off). Errors are about one
// unit in the last place.
namespace dsnn::portable {

namespace detail {

/// sum_j coefficients[j] x^j
template <std::size_t kCount>
constexpr double horner(double x, const std::array<double, kCount>& coefficients) {
  double sum = coefficients[kCount - 1];
  for (std::size_t j = kCount - 1; j-- > 0;) sum = sum * x + coefficients[j];
  return sum;
}

/// 1 / i! for i = first, first + step ...; with turning signs or without.
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

// ln 2 in two parts: products of the first with whole numbers up to 2^11 are exact.
inline constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;

}  // namespace detail

/// e^x. x = k ln 2 + r with |r| <= ln 2 / 2, and a polynomial in r.
inline double exp(double x) {
  if (!(x > -745.2)) return std::isnan(x) ? x : 0;
  if (x > 709.8) return std::numeric_limits<double>::infinity();
  constexpr double kRound = 0x1.8p52, kLog2E = 1.4426950408889634074;
  const double k = (x * kLog2E + kRound) - kRound;
  const double r = (x - k * detail::kLn2High) - k * detail::kLn2Low;
  static constexpr auto kSeries = detail::factorial_series<12>(2, 1, false);
  const double e = 1 + (r + r * r * detail::horner(r, kSeries));
  const auto power = static_cast<std::int64_t>(k);
  if (power < -1022 || power > 1023) return std::ldexp(e, static_cast<int>(power));
  return e * std::bit_cast<double>((power + 1023) << 52);
}

/// The natural logarithm. x = 2^k m with m near 1, log m = 2 atanh(s), s = (m - 1) / (m + 1).
inline double log(double x) {
  if (!(x > 0)) {
    return x == 0 ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::quiet_NaN();
  }
  if (std::isinf(x)) return x;
  int k = 0;
  double m = std::frexp(x, &k);  // [1/2, 1)
  constexpr double kRootOfHalf = 0.70710678118654752440;
  if (m < kRootOfHalf) {
    m *= 2;
    --k;
  }
  const double f = m - 1;  // exact
  const double s = f / (2 + f), z = s * s;
  static constexpr auto kSeries = detail::atanh_series<11>();
  // 2 atanh(s) = f - f^2 / 2 + s (f^2 / 2 + 2 s^2 (...)): the small parts first.
  const double half_square = 0.5 * f * f;
  const double rest = s * (half_square + 2 * z * detail::horner(z, kSeries));
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
