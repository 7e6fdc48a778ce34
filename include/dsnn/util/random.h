#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace dsnn {

/// Random numbers that are the same on every machine: the standard specifies the output of
/// mt19937_64, but not that of the distributions of <random>, so those are implemented here.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1.0p-53; }

  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

  /// Uniform in 0 .. bound-1, without bias: values past the last full multiple are rejected.
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

/// Element `counter` of the sequence `seed`, uniform in [0, 1), a multiple of 2^-53: a hash with
/// random access to the sequence. SplitMix64, started at a hash of the seed.
inline double uniform_at(std::uint64_t seed, std::uint64_t counter) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  const auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  const std::uint64_t start = mix(seed + kStep);
  return static_cast<double>(mix(start + (counter + 1) * kStep) >> 11) * 0x1.0p-53;
}

}  // namespace dsnn
