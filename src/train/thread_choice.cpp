#include "train/thread_choice.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

namespace dsnn {
namespace {

constexpr int kWarmUp = 2;  // epochs that are not counted, in which memory is first touched
constexpr int kTrial = 3;   // epochs of a trial
constexpr int kBusyTrial = 5;
constexpr std::int64_t kFirstInterval = 30, kMostInterval = 500;
constexpr double kLongEpoch = 0.03;  // seconds; one such epoch is enough for a trial

/// Whether other processes use the cores.
bool is_busy(double seconds, std::int64_t interruptions) {
  constexpr double kOften = 50;  // per second
  return static_cast<double>(interruptions) > kOften * seconds;
}

}  // namespace

std::int64_t num_interruptions() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

bool are_cores_taken() {
  // Linux: three load averages, then the runnable threads, as in "0.61 0.55 0.60 3/412 9021".
  std::ifstream file("/proc/loadavg");
  std::string mean;
  unsigned running = 0;
  if (!(file >> mean >> mean >> mean >> running)) return false;
  return running > std::thread::hardware_concurrency();  // one of them is this thread
}

void ThreadChoice::Times::add(double seconds, std::int64_t number) {
  shortest = count == 0 ? seconds : std::min(shortest, seconds);
  sum += seconds;
  interruptions += number;
  ++count;
}

/// Uses the shortest epoch, which is free of noise. If other processes use the cores, interruptions
/// matter, so the mean is used.
bool ThreadChoice::is_shorter(const Times& a, const Times& b) {
  if (is_busy(a.sum + b.sum, a.interruptions + b.interruptions)) {
    constexpr double kClearly = 0.85;
    return a.sum * b.count < kClearly * b.sum * a.count;
  }
  return a.shortest < b.shortest;
}

int ThreadChoice::trial_length(bool is_long) const {
  if (is_long) return 1;
  return is_busy(chosen_.sum, chosen_.interruptions) ? kBusyTrial : kTrial;
}

int ThreadChoice::next(int most) {
  if (most != most_) {  // the number of jobs has changed: start again
    *this = {};
    most_ = most;
    epochs_left_ = kWarmUp;
    interval_ = kFirstInterval;
    uses_all_ = most <= 1 || !are_cores_taken();
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
    epochs_left_ = trial_length(is_long);
    return;
  }
  (tries_other_ ? other_ : chosen_).add(seconds, interruptions);
  if (epochs_left_ > 0) return;
  if (tries_other_) {
    const bool is_better = is_shorter(other_, chosen_);
    if (is_better) uses_all_ = !uses_all_;
    interval_ = is_better ? kFirstInterval : std::min(2 * interval_, kMostInterval);
    tries_other_ = false;
    epochs_left_ = static_cast<int>(interval_);
    chosen_ = other_ = {};
  } else if (is_long && uses_all_ && !is_busy(seconds, interruptions)) {
    epochs_left_ = 1;  // checks again after every epoch, at no cost
    chosen_ = {};
  } else {
    tries_other_ = true;
    epochs_left_ = trial_length(is_long);
  }
}

}  // namespace dsnn
