#pragma once

#include "reproduce/grid.h"

#include <string>

namespace dsnn::reproduce {

struct BarChartOptions {
  std::string title;    ///< alternative text
  std::string x_label;  ///< meaning of the groups
  double chance = 0;    ///< percent; a dashed line
};

/// A bar chart of test accuracy, with a group for each column of the grid and a bar for each model,
/// error bars, and the paper's means as diamonds. A self-contained SVG that follows the reader's
/// light or dark mode.
std::string bar_chart(const Grid& grid, const BarChartOptions& options);

}  // namespace dsnn::reproduce
