#include "cli/sweep_display.h"

#include "util/duration.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace dsnn::cli {

void SweepDisplay::show(const SweepProgress& progress) {
  static const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  std::string text =
      fmt::format("{} trials, {}{} trainings", progress.num_trials, progress.num_done,
                  progress.num_total > 0 ? fmt::format(" of {}", progress.num_total) : "");
  if (progress.best_trial >= 0) {
    text += fmt::format(", best {:.2f} % (trial {})", 100 * progress.best_validation,
                        progress.best_trial);
  }
  text += ", " + duration_text(progress.seconds);
  if (progress.seconds_left && *progress.seconds_left < 1) {
    text += ", finishing the last trainings";
  } else if (progress.seconds_left) {
    text += fmt::format(", about {} left", duration_text(*progress.seconds_left));
  }
  if (!is_terminal) {
    next_ = now + std::chrono::seconds(5);
    if (progress.seconds >= 2) print_error(fmt::format("dsnn: {}\n", text));
    return;
  }
  next_ = now + std::chrono::milliseconds(200);
  std::vector<std::string> lines = {text};
  for (const SweepProgress::Running& running : progress.running) {
    lines.push_back(fmt::format("  trial {:>3}  split {:>2}  epoch {:>4}  best {:5.2f} %",
                                running.trial, running.split, running.epoch,
                                100 * running.best_validation));
  }
  lines_.show(std::move(lines));
}

}  // namespace dsnn::cli
