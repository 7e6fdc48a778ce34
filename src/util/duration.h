#pragma once

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace dsnn {

/// "42 s", "3:07 min", "1:30 h"
inline std::string duration_text(double seconds) {
  const auto s = static_cast<std::int64_t>(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02} min", s / 60, s % 60);
  return fmt::format("{}:{:02} h", s / 3600, s / 60 % 60);
}

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace dsnn
