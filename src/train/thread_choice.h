#pragma once

#include <cstdint>

namespace dsnn {

/// Chooses the number of threads for an epoch: all, or one if all are not faster. Whether threads
/// help depends on the size of the graph, on how fast the machine wakes threads and on other
/// processes, so it is measured: both are tried at the start and again from time to time. The first
/// choice is one thread if other processes already keep all cores busy. Long epochs scale well with
/// threads, unless other processes use the cores: then the system preempts threads every few
/// milliseconds, which is measured, and only then is one thread tried. The results of an epoch do
/// not depend on the choice.
class ThreadChoice {
 public:
  /// The number of threads for the next epoch, at most `most`.
  int next(int most);
  /// The time of that epoch, and how often the system preempted this process meanwhile.
  void add(double seconds, std::int64_t interruptions);

 private:
  int most_ = 0;          // 0: not measured yet
  bool uses_all_ = true;  // the choice
  bool tries_other_ = false;
  bool is_warm_ = false;
  /// The times of the epochs of a trial.
  struct Times {
    int count = 0;
    double sum = 0, shortest = 0;
    std::int64_t interruptions = 0;
    void add(double seconds, std::int64_t number);
  };
  static bool is_shorter(const Times& a, const Times& b);
  int trial_length(bool is_long) const;

  int epochs_left_ = 0;        // until the trial ends or begins
  Times chosen_, other_;       // in this trial
  std::int64_t interval_ = 0;  // epochs between trials
};

/// Whether threads of other processes currently use all cores; false if unknown.
bool are_cores_taken();

/// How often the system has preempted a running thread of this process.
std::int64_t num_interruptions();

}  // namespace dsnn
