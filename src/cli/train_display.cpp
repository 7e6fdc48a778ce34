#include "cli/train_display.h"

#include "cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

namespace dsnn::cli {
namespace {

std::string line_of(const TrainProgress& p) {
  const double left = p.epoch == 0 ? 0
                                   : p.seconds / static_cast<double>(p.epoch) *
                                         static_cast<double>(p.epochs - p.epoch);
  return fmt::format(
      "split {:>2}  epoch {:>4}/{}  loss {:7.4f}  validation {:5.2f} %  best {:5.2f} %  at most "
      "{:.0f} s left",
      p.split, p.epoch, p.epochs, p.train_loss, 100 * p.validation_accuracy,
      100 * p.best_validation_accuracy, left);
}

}  // namespace

TrainDisplay::~TrainDisplay() { erase_lines(lines_on_screen_); }

void TrainDisplay::show(const TrainProgress& progress) {
  static const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  if (progress.is_finished) {
    ++num_finished_;
    running_.erase(progress.split);
  } else {
    running_[progress.split] = progress;
  }
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  std::string text;
  for (const auto& [split, p] : running_) {
    text += fmt::format("{}{}\n", is_terminal ? "" : "dsnn: " + heading_, line_of(p));
  }
  if (is_terminal) {
    erase_lines(lines_on_screen_);
    text += fmt::format("{}{} of {} splits done, {:.0f} s\n", heading_, num_finished_, num_splits_,
                        seconds);
    lines_on_screen_ = static_cast<int>(running_.size()) + 1;
    next_ = now + std::chrono::milliseconds(100);
  } else {
    next_ = now + std::chrono::seconds(5);
    if (seconds < 2) return;
  }
  print_error(text);
}

}  // namespace dsnn::cli
