#include "train/thread_choice.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

namespace dsnn {
namespace {

constexpr int kWarmUp = 2;  // epochs that count for nothing: memory is touched first
constexpr int kTrial = 3;   // epochs of a trial; the shortest counts
constexpr std::int64_t kFirstInterval = 30, kMostInterval = 500;
constexpr double kLongEpoch = 0.03;  // seconds; of these one is enough for a trial
constexpr double kNone = std::numeric_limits<double>::infinity();

/// Whether others use the cores.
bool is_busy(double seconds, std::int64_t interruptions) {
  constexpr double kOften = 50;  // a second
  return static_cast<double>(interruptions) > kOften * seconds;
}

}  // namespace

std::int64_t num_interruptions() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

int ThreadChoice::next(int most) {
  if (most != most_) {  // others came or went: all is open again
    *this = {};
    most_ = most;
    epochs_left_ = kWarmUp;
    chosen_seconds_ = other_seconds_ = kNone;
    interval_ = kFirstInterval;
  }
  return uses_all_ != tries_other_ ? most_ : 1;
}

void ThreadChoice::add(double seconds, std::int64_t interruptions) {
  if (most_ <= 1) return;
  const bool is_long = seconds > kLongEpoch;
  --epochs_left_;
  if (!is_warm_) {
    if (epochs_left_ > 0 && !is_long) return;
    is_warm_ = true;
    epochs_left_ = is_long ? 1 : kTrial;
    return;
  }
  double& shortest = tries_other_ ? other_seconds_ : chosen_seconds_;
  shortest = std::min(shortest, seconds);
  if (epochs_left_ > 0) return;
  if (tries_other_) {
    const bool is_better = other_seconds_ < chosen_seconds_;
    if (is_better) uses_all_ = !uses_all_;
    interval_ = is_better ? kFirstInterval : std::min(2 * interval_, kMostInterval);
    tries_other_ = false;
    epochs_left_ = static_cast<int>(interval_);
    chosen_seconds_ = other_seconds_ = kNone;
  } else if (is_long && uses_all_ && !is_busy(seconds, interruptions)) {
    epochs_left_ = 1;  // looks again after every epoch, at no cost
    chosen_seconds_ = kNone;
  } else {
    tries_other_ = true;
    epochs_left_ = is_long ? 1 : kTrial;
  }
}

}  // namespace dsnn
