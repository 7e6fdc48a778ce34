#include "cli/cell_display.h"

#include "reproduce/report.h"
#include "util/duration.h"

#include <fmt/format.h>

namespace dsnn::cli {
namespace {

using reproduce::Cell;
using reproduce::SeedRun;

std::string name_of(const Cell& cell, const SeedRun& run, int number, int total) {
  return fmt::format("training {} of {}, {} {} seed {}", number, total, cell.column, cell.model,
                     run.seed);
}

std::string outcome_of(const Cell& cell, const SeedRun& run) {
  if (!run.failure.empty()) return "failed: " + run.failure;
  if (!run.scores) return "trained by another process";
  if (run.scores->num_failed > 0) return "failed: " + run.scores->failure;
  const MeanAndDeviation score = run.scores->mean();
  std::string text = reproduce::score_text(score);
  if (cell.paper) {
    text += fmt::format(" (paper {}, {})", reproduce::score_text(*cell.paper),
                        to_text(reproduce::mark_of(score.mean, *cell.paper)));
  }
  return text;
}

}  // namespace

void CellDisplay::plan(int total, double seconds) {
  print_error(fmt::format(
      "dsnn: {} training{} to do, {}\n", total, total == 1 ? "" : "s",
      seconds > 0 ? fmt::format("about {}", duration_text(seconds)) : "of unknown time"));
}

void CellDisplay::begin(const Cell& cell, const SeedRun& run, int number, int total,
                        std::size_t num_splits, double seconds_left) {
  display_.emplace(num_splits * static_cast<std::size_t>(cell.members));
  name_ = name_of(cell, run, number, total);
  seconds_left_ = seconds_left;
  start_ = std::chrono::steady_clock::now();
}

void CellDisplay::show(const TrainProgress& progress) {
  const double left = seconds_left_ - seconds_since(start_);
  display_->set_heading(left < 1 ? name_
                                 : fmt::format("{}, about {} left", name_, duration_text(left)));
  display_->show(progress);
}

void CellDisplay::end(const Cell& cell, const SeedRun& run, int number, int total, double seconds) {
  clear();
  print_error(fmt::format("dsnn: {}: {}, {}\n", name_of(cell, run, number, total),
                          outcome_of(cell, run), duration_text(seconds)));
  changed_();
}

void CellDisplay::note(const std::string& text) {
  print_error(fmt::format("dsnn: note: {}\n", text));
}

}  // namespace dsnn::cli
