#pragma once

#include <cstddef>
#include <cstdint>

namespace dsnn {

/// Sizes and counts are signed 64-bit here, container indices unsigned: converts one to the other.
inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace dsnn
