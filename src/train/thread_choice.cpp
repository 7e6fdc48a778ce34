#include "train/thread_choice.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

namespace dsnn {
namespace {

constexpr int kWarmUp = 2;        // epochs that are not counted, in which memory is first touched
constexpr int kBusyWarmUp = 100;  // so that short trainings lose nothing by a trial
constexpr int kTrial = 3;         // epochs of a trial
constexpr int kBusyTrial = 5;
constexpr int kLeastInterval = 30, kMostInterval = 1000;  // epochs between trials
constexpr double kTrialShare = 0.01;  // of the time, the most that unsuccessful trials may lose
constexpr double kLongEpoch = 0.03;   // seconds; one such epoch is enough for a trial

/// Whether other processes use the cores.
bool is_busy(double seconds, std::int64_t interruptions) {
  constexpr double kOften = 50;          // per second
  constexpr std::int64_t kByChance = 2;  // may also happen on a quiet machine
  return interruptions > kByChance && static_cast<double>(interruptions) > kOften * seconds;
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

/// Whether epochs with all threads are clearly shorter, by the shortest epoch, which is free of
/// noise. If other processes use the cores, interruptions matter, so the mean is used.
bool ThreadChoice::is_all_shorter() const {
  const Times& all = uses_all_ ? chosen_ : other_;
  const Times& one = uses_all_ ? other_ : chosen_;
  if (is_busy(all.sum + one.sum, all.interruptions + one.interruptions)) {
    constexpr double kClearly = 0.85;
    return all.sum * one.count < kClearly * one.sum * all.count;
  }
  constexpr double kClearly = 0.95;
  return all.shortest < kClearly * one.shortest;
}

int ThreadChoice::trial_length(bool is_long) const {
  if (is_long) return 1;
  return is_busy(chosen_.sum, chosen_.interruptions) ? kBusyTrial : kTrial;
}

/// Whether a trial on a busy machine cannot succeed: its first epochs took as long as all of the
/// choice's.
bool ThreadChoice::is_lost() const {
  return is_busy(chosen_.sum + other_.sum, chosen_.interruptions + other_.interruptions) &&
         other_.sum >= chosen_.sum;
}

/// After an unsuccessful trial, so long that what it lost is a small share of the time. On a busy
/// machine it also loses time afterwards: the system's scheduler counts the threads for a while.
int ThreadChoice::epochs_until_trial() const {
  if (is_busy(chosen_.sum + other_.sum, chosen_.interruptions + other_.interruptions))
    return kMostInterval;
  const double usual = chosen_.sum / chosen_.count;
  const double lost = other_.sum - usual * other_.count;
  return std::clamp(static_cast<int>(lost / (kTrialShare * usual)), kLeastInterval, kMostInterval);
}

int ThreadChoice::next(int most) {
  if (most != most_) {  // the number of jobs has changed: start again
    *this = {};
    most_ = most;
    uses_all_ = most <= 1 || !are_cores_taken();
    epochs_left_ = uses_all_ ? kWarmUp : kBusyWarmUp;
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
  if (tries_other_ && is_lost()) epochs_left_ = 0;
  if (epochs_left_ > 0) return;
  if (tries_other_) {
    const bool stays = is_all_shorter() == uses_all_;
    epochs_left_ = stays ? epochs_until_trial() : kLeastInterval;
    if (!stays) uses_all_ = !uses_all_;
    tries_other_ = false;
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
