#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace dsnn {

/// The output of numpy.random.default_rng(seed), to reproduce published splits defined with NumPy:
/// a SeedSequence that spreads the seed, the generator PCG64 (O'Neill's PCG XSL-RR 128/64), and
/// shuffles by masked rejection.
class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed) {
    const std::array<std::uint64_t, 4> words = spread(seed);
    increment_ = ((Wide{words[2]} << 64 | words[3]) << 1) | 1;
    step();
    state_ += Wide{words[0]} << 64 | words[1];
    step();
  }

  std::uint64_t next64() {
    step();
    const auto high = static_cast<std::uint64_t>(state_ >> 64);
    const auto low = static_cast<std::uint64_t>(state_);
    return std::rotr(high ^ low, static_cast<int>(high >> 58));
  }

  /// Halves of next64(), the lower one first.
  std::uint32_t next32() {
    has_half_ = !has_half_;
    if (!has_half_) return half_;
    const std::uint64_t both = next64();
    half_ = static_cast<std::uint32_t>(both >> 32);
    return static_cast<std::uint32_t>(both);
  }

  /// Generator.permutation() of an array with fewer than 2^32 entries.
  template <class T>
  std::vector<T> permutation(std::vector<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[below(static_cast<std::uint32_t>(i))]);
    }
    return values;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  void step() {
    constexpr Wide kMultiplier = Wide{0x2360ed051fc65da4} << 64 | 0x4385df649fccf645;
    state_ = state_ * kMultiplier + increment_;
  }

  /// Uniform in 0 .. bound-1: as many bits as bound-1 has, with rejection of larger values.
  std::uint32_t below(std::uint32_t bound) {
    const std::uint32_t mask = ~std::uint32_t{0} >> std::countl_zero(bound - 1);
    std::uint32_t value = next32() & mask;
    while (value >= bound) value = next32() & mask;
    return value;
  }

  /// SeedSequence(seed).generate_state(4, uint64).
  static std::array<std::uint64_t, 4> spread(std::uint64_t seed) {
    const auto fold = [](std::uint32_t value) { return value ^ (value >> 16); };
    std::uint32_t hash = 0x43b0d7e5;
    const auto hashed = [&](std::uint32_t value) {
      value ^= hash;
      hash *= 0x931e8875;
      return fold(value * hash);
    };
    std::array<std::uint32_t, 4> pool = {static_cast<std::uint32_t>(seed),
                                         static_cast<std::uint32_t>(seed >> 32), 0, 0};
    for (std::uint32_t& word : pool) word = hashed(word);
    for (std::size_t from = 0; from < pool.size(); ++from) {
      for (std::size_t to = 0; to < pool.size(); ++to) {
        if (from == to) continue;
        pool[to] = fold(0xca01f9dd * pool[to] - 0x4973f715 * hashed(pool[from]));
      }
    }
    std::array<std::uint64_t, 4> result{};
    hash = 0x8b51f9dd;
    for (std::size_t i = 0; i < 2 * result.size(); ++i) {
      std::uint32_t value = pool[i % pool.size()] ^ hash;
      hash *= 0x58f38ded;
      value = fold(value * hash);
      result[i / 2] |= std::uint64_t{value} << (32 * (i % 2));
    }
    return result;
  }

  Wide state_ = 0;
  Wide increment_ = 0;
  std::uint32_t half_ = 0;
  bool has_half_ = false;
};

}  // namespace dsnn
