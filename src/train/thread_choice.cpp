#include "train/thread_choice.h"

#include <algorithm>
#include <limits>

namespace dsnn {
namespace {

constexpr int kWarmUp = 2;  // epochs that count for nothing: memory is touched first
constexpr int kTrial = 3;   // epochs of a trial; the shortest counts
constexpr std::int64_t kFirstInterval = 30, kMostInterval = 500;
constexpr double kLongEpoch = 0.2, kLongestEpoch = 2;  // seconds: one is enough; none is worth it
constexpr double kNone = std::numeric_limits<double>::infinity();

}  // namespace

int ThreadChoice::next(int most) {
  if (most != most_) {  // others came or went: all is open again
    most_ = most;
    uses_all_ = true;
    tries_other_ = false;
    epochs_left_ = kWarmUp + kTrial;
    chosen_seconds_ = other_seconds_ = kNone;
    interval_ = kFirstInterval;
  }
  return uses_all_ != tries_other_ ? most_ : 1;
}

void ThreadChoice::add(double seconds) {
  if (most_ <= 1) return;
  if (--epochs_left_ >= kTrial && chosen_seconds_ == kNone) return;  // warming up
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
  } else if (chosen_seconds_ > kLongestEpoch) {
    epochs_left_ = static_cast<int>(kMostInterval);
    chosen_seconds_ = kNone;
  } else {
    tries_other_ = true;
    epochs_left_ = chosen_seconds_ > kLongEpoch ? 1 : kTrial;
  }
}

}  // namespace dsnn
