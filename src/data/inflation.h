#pragma once

#include <cstdint>

namespace dsnn {

/// Deflate makes at most so many bytes out of one.
inline constexpr std::uint64_t kMaxInflation = 1032;

/// Whether so many bytes unpacked to so many more that somebody made them for it. Honest arrays of
/// zeros shrink as much, but not gigabytes of them (`harmless` is the most that they have).
inline bool is_bomb(std::uint64_t packed, std::uint64_t unpacked,
                    std::uint64_t harmless = std::uint64_t{1} << 30) {
  constexpr std::uint64_t kMostRatio = 500;
  return unpacked > harmless && unpacked / kMostRatio > packed;
}

}  // namespace dsnn
