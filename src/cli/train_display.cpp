#include "cli/train_display.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

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
  if (is_terminal) {
    next_ = now + std::chrono::milliseconds(100);
    std::vector<std::string> lines = {fmt::format("{}{} of {} splits done, {:.0f} s", heading_,
                                                  num_finished_, num_splits_, seconds)};
    for (const auto& [split, p] : running_) lines.push_back("  " + line_of(p));
    lines_.show(std::move(lines));
    return;
  }
  next_ = now + std::chrono::seconds(5);
  if (seconds < 2) return;
  for (const auto& [split, p] : running_) {
    print_error(fmt::format("dsnn: {}{}\n", heading_, line_of(p)));
  }
}

}  // namespace dsnn::cli
