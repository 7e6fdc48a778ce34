#pragma once

#include <cstdint>

namespace dsnn {

/// Whether so many bytes unpacked to so many more that somebody made them for it. Honest arrays of
/// zeros shrink as much, but not gigabytes of them.
inline bool is_bomb(std::uint64_t packed, std::uint64_t unpacked) {
  constexpr std::uint64_t kHarmless = std::uint64_t{1} << 30;
  constexpr std::uint64_t kMostRatio = 500;
  return unpacked > kHarmless && unpacked / kMostRatio > packed;
}

}  // namespace dsnn
