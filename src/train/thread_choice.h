#pragma once

#include <cstdint>

namespace dsnn {

/// Chooses the number of threads for an epoch: all, or one if all are not faster. Whether threads
/// help depends on the size of the graph, on how fast the machine wakes threads and on other
/// processes, so it is measured: both are tried at the start and again from time to time. If other
/// processes already keep all cores busy, training starts with one thread, and trials are rare.
/// Long epochs scale well with threads, unless other processes use the cores: then the system
/// preempts threads every few milliseconds, which is measured, and only then is one thread tried.
/// The results of an epoch do not depend on the choice.
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
  bool is_all_shorter() const;
  int trial_length(bool is_long) const;
  bool is_lost() const;
  int epochs_until_trial() const;

  int epochs_left_ = 0;   // until the trial ends or begins
  Times chosen_, other_;  // in this trial
};

/// Whether threads of other processes currently use all cores; false if unknown.
bool are_cores_taken();

/// How often the system has preempted a running thread of this process.
std::int64_t num_interruptions();

}  // namespace dsnn
