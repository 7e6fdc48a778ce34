#include "cli/cell_display.h"

#include "reproduce/report.h"
#include "util/duration.h"

#include <fmt/format.h>

namespace dsnn::cli {
namespace {

using reproduce::Cell;

std::string name_of(const Cell& cell, int number, int total) {
  return fmt::format("cell {} of {}, {} {}", number, total, cell.column, cell.model);
}

std::string outcome_of(const Cell& cell) {
  if (cell.has_failed()) {
    return "failed: " + (cell.failure.empty() ? cell.scores->failure : cell.failure);
  }
  if (!cell.scores) return "trained by another process";
  std::string text = reproduce::score_text(cell.scores->mean());
  if (cell.paper) {
    text +=
        fmt::format(" (paper {}, {})", reproduce::score_text(*cell.paper), to_text(*cell.mark()));
  }
  return text;
}

}  // namespace

void CellDisplay::begin(const Cell& cell, int number, int total, std::size_t num_splits,
                        double seconds_left) {
  display_.emplace(num_splits);
  name_ = name_of(cell, number, total);
  seconds_left_ = seconds_left;
  start_ = std::chrono::steady_clock::now();
}

void CellDisplay::show(const TrainProgress& progress) {
  const double left = seconds_left_ - seconds_since(start_);
  display_->set_heading(left < 1 ? name_
                                 : fmt::format("{}, about {} left", name_, duration_text(left)));
  display_->show(progress);
}

void CellDisplay::end(const Cell& cell, int number, int total, double seconds) {
  clear();
  print_error(fmt::format("dsnn: {}: {}, {}\n", name_of(cell, number, total), outcome_of(cell),
                          duration_text(seconds)));
  changed_();
}

void CellDisplay::note(const std::string& text) {
  print_error(fmt::format("dsnn: note: {}\n", text));
}

}  // namespace dsnn::cli
