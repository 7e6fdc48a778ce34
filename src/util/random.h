#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace dsnn {

/// Random numbers that are the same on every machine: the standard fixes what mt19937_64 yields,
/// but not what the distributions of <random> make of it, so those are written here.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform in 0 .. bound-1, without bias: numbers past the last full multiple are drawn again.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t limit = ~std::uint64_t{0} - (~std::uint64_t{0} % bound + 1) % bound;
    std::uint64_t value = engine_();
    while (value > limit) value = engine_();
    return value % bound;
  }

  /// Fisher-Yates.
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace dsnn
