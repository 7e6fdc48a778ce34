#pragma once

#include <cstdint>

namespace dsnn {

/// The largest expansion ratio of Deflate.
inline constexpr std::uint64_t kMaxInflation = 1032;

/// Whether data expands so much that it is probably a decompression bomb. Arrays of zeros compress
/// as well, but rarely exceed `harmless` bytes.
inline bool is_bomb(std::uint64_t packed, std::uint64_t unpacked,
                    std::uint64_t harmless = std::uint64_t{1} << 30) {
  constexpr std::uint64_t kMostRatio = 500;
  return unpacked > harmless && unpacked / kMostRatio > packed;
}

}  // namespace dsnn
