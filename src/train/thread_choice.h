#pragma once

#include <cstdint>

namespace dsnn {

/// How many threads an epoch gets: all, or one where all are no faster. Whether threads help
/// depends on the graph's size, on how fast the machine wakes them and on who else uses its cores,
/// so it is measured: both are tried at the start and again now and then. Epochs that take long are
/// shared well by threads, unless others use the cores: then the system takes them away every few
/// milliseconds, which shows, and only then is one thread tried. The numbers of an epoch do not
/// depend on any of it.
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
  int epochs_left_ = 0;                            // until the trial ends, or begins
  double chosen_seconds_ = 0, other_seconds_ = 0;  // the shortest of late
  std::int64_t interval_ = 0;                      // epochs between trials
};

/// How often the system has taken a core away from a thread of this process that had work to do.
std::int64_t num_interruptions();

}  // namespace dsnn
