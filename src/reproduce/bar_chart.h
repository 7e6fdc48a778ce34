#pragma once

#include "reproduce/grid.h"

#include <string>

namespace dsnn::reproduce {

struct BarChartOptions {
  std::string title;    ///< for readers that do not see it
  std::string x_label;  ///< what the groups are
  double chance = 0;    ///< percent; a dashed line
};

/// Bars of test accuracy, a group for each column of the grid and a bar for each model, with error
/// bars, and the paper's means as diamonds. An SVG that needs no other file and follows the
/// reader's choice of light or dark.
std::string bar_chart(const Grid& grid, const BarChartOptions& options);

}  // namespace dsnn::reproduce
