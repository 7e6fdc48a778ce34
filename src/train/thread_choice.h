#pragma once

#include <cstdint>

namespace dsnn {

/// How many threads an epoch gets: all, or one where all are no faster. Whether threads help
/// depends on the graph's size, on how fast the machine wakes them and on who else uses its cores,
/// so it is measured: both are tried at the start and again now and then. The first is one thread
/// where others already keep all cores busy. Epochs that take long are shared well by threads,
/// unless others use the cores: then the system takes them away every few milliseconds, which
/// shows, and only then is one thread tried. The numbers of an epoch do not depend on any of it.
class ThreadChoice {
 public:
  /// For the next epoch, of at most so many.
  int next(int most);
  /// What that epoch took, and how often the system took a core away from this process meanwhile.
  void add(double seconds, std::int64_t interruptions);

 private:
  int most_ = 0;          // 0: nothing is known yet
  bool uses_all_ = true;  // the choice
  bool tries_other_ = false;
  bool is_warm_ = false;
  /// What the epochs of a trial took.
  struct Times {
    int count = 0;
    double sum = 0, shortest = 0;
    std::int64_t interruptions = 0;
    void add(double seconds, std::int64_t number);
  };
  static bool is_shorter(const Times& a, const Times& b);
  int trial_length(bool is_long) const;

  int epochs_left_ = 0;        // until the trial ends, or begins
  Times chosen_, other_;       // of this trial
  std::int64_t interval_ = 0;  // epochs between trials
};

/// Whether threads of others want all cores of the machine at this moment; false where the system
/// does not tell.
bool are_cores_taken();

/// How often the system has taken a core away from a thread of this process that had work to do.
std::int64_t num_interruptions();

}  // namespace dsnn
