#include "reproduce/bar_chart.h"

#include "reproduce/drawing.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsnn::reproduce {
namespace {

// All in pixels of the drawing.
constexpr double kWidth = 960, kLeft = 58, kRight = 62, kTop = 18, kPlotHeight = 320;
constexpr double kBottom = kTop + kPlotHeight;
constexpr double kLegendTop = kBottom + 62, kLegendRow = 22;
constexpr int kLegendColumns = 3;
constexpr double kGroupShare = 0.9;  // of a group's width that has bars

/// The hue shows the kind of network, the lightness its maps, so that both can be distinguished
/// with impaired colour vision. Hues of Okabe and Ito.
const char* colour_of(const std::string& model) {
  const bool is_diagonal = model.starts_with("diag-"), is_orthogonal = model.starts_with("orth-");
  const auto shade = [&](const char* dark, const char* middle, const char* light) {
    return is_diagonal ? dark : is_orthogonal ? middle : light;
  };
  if (model.ends_with("-dsnn")) return shade("#005a8f", "#2f9bd8", "#a4d8f5");
  if (model.ends_with("-nsd-compl")) return shade("#a34700", "#e69f00", "#f7d58a");
  if (model.ends_with("-nsd")) return shade("#7d3560", "#cc79a7", "#ecc6db");
  return "#8a929b";
}

double y_of(double percent) {
  return kBottom - std::clamp(percent, 0.0, 100.0) / 100 * kPlotHeight;
}

void draw_axes(Drawing& drawing, const BarChartOptions& options) {
  for (int percent = 0; percent <= 100; percent += 20) {
    const double y = y_of(percent);
    drawing.line(percent == 0 ? "axis" : "grid", kLeft, y, kWidth - kRight, y);
    drawing.text("soft", "end", kLeft - 8, y + 4.5, fmt::format("{}", percent));
  }
  const double middle = (kTop + kBottom) / 2;
  drawing.text("ink", "middle", 16, middle, "test accuracy, %",
               fmt::format(" transform=\"rotate(-90 16 {:.1f})\"", middle));
  drawing.text("ink", "middle", (kLeft + kWidth - kRight) / 2, kBottom + 42, options.x_label);
}

void draw_bar(Drawing& drawing, const Cell& cell, double x, double width) {
  const double gap = 0.08 * width;
  if (cell.is_scored()) {
    const auto [mean, deviation] = cell.scores->mean();
    drawing.bar(colour_of(cell.model), x + gap, y_of(mean), width - 2 * gap, kBottom - y_of(mean),
                fmt::format("{}: {:.2f} ± {:.2f} %", cell.model, mean, deviation));
    drawing.error_bar(x + 0.32 * width, y_of(mean + deviation), y_of(mean - deviation));
  }
  if (cell.paper) {
    drawing.diamond(x + 0.68 * width, y_of(cell.paper->mean),
                    fmt::format("{}, paper: {:.2f} ± {:.2f} %", cell.model, cell.paper->mean,
                                cell.paper->deviation));
  }
}

/// Column by column, so that the three kinds of maps of a network are below each other.
double draw_legend(Drawing& drawing, const std::vector<std::string>& models, bool has_paper) {
  const auto rows = (models.size() + kLegendColumns - 1) / kLegendColumns;
  const double column_width = 190;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const std::size_t column = i / rows, row = i % rows;
    const double x = kLeft + column_width * static_cast<double>(column);
    const double y = kLegendTop + kLegendRow * static_cast<double>(row);
    drawing.bar(colour_of(models[i]), x, y, 14, 14, models[i]);
    drawing.text("ink", "start", x + 22, y + 12, models[i]);
  }
  const double x = kLeft + column_width * kLegendColumns;
  double y = kLegendTop;
  if (has_paper) {
    drawing.diamond(x + 7, y + 7, "paper");
    drawing.text("ink", "start", x + 22, y + 12, "the paper's mean");
    y += kLegendRow;
  }
  drawing.error_bar(x + 7, y, y + 14);
  drawing.text("ink", "start", x + 22, y + 12, "one standard deviation, over splits");
  return kLegendTop + kLegendRow * static_cast<double>(std::max<std::size_t>(rows, 2)) + 10;
}

}  // namespace

std::string bar_chart(const Grid& grid, const BarChartOptions& options) {
  Drawing drawing;
  draw_axes(drawing, options);
  const double group_width = (kWidth - kLeft - kRight) /
                             static_cast<double>(std::max<std::size_t>(1, grid.columns.size()));
  const double bar_width =
      kGroupShare * group_width / static_cast<double>(std::max<std::size_t>(1, grid.models.size()));
  bool has_paper = false;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    const double left = kLeft + group_width * static_cast<double>(i);
    const double first = left + (1 - kGroupShare) / 2 * group_width;
    for (std::size_t j = 0; j < grid.models.size(); ++j) {
      const Cell& cell = grid.at(grid.models[j], grid.columns[i]);
      has_paper |= cell.paper.has_value();
      draw_bar(drawing, cell, first + bar_width * static_cast<double>(j), bar_width);
    }
    drawing.text("ink", "middle", left + group_width / 2, kBottom + 20, grid.columns[i]);
  }
  if (options.chance > 0) {
    const double y = y_of(options.chance);
    for (const char* style : {"halo", "ink-line"}) {
      drawing.line(style, kLeft, y, kWidth - kRight, y, " stroke-dasharray=\"6 4\"");
    }
    drawing.text("ink", "start", kWidth - kRight + 8, y + 4.5, "chance");
  }
  const double height = draw_legend(drawing, grid.models, has_paper);
  return drawing.svg(kWidth, height, options.title);
}

}  // namespace dsnn::reproduce
