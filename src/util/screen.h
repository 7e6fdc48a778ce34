#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace dsnn {

/// Lines that fit on a screen: long lines are cut, and the last line gives the number omitted.
inline std::vector<std::string> fit_to_screen(std::vector<std::string> lines, std::size_t rows,
                                              std::size_t columns) {
  const std::size_t most = std::max<std::size_t>(rows, 3) - 1;  // the cursor is below them
  if (lines.size() > most) {
    const std::size_t left_out = lines.size() - most + 1;
    lines.resize(most - 1);
    lines.push_back(fmt::format("  and {} more", left_out));
  }
  for (std::string& line : lines) line = line.substr(0, columns);
  return lines;
}

}  // namespace dsnn
