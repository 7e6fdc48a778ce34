#pragma once

#include <cstdint>

namespace dsnn {

/// How many threads an epoch gets: all, or one where all are no faster. Whether threads help
/// depends on the graph's size, on how fast the machine wakes them and on who else uses its cores,
/// so it is measured: both are tried at the start and again now and then. The numbers of an epoch
/// do not depend on it.
class ThreadChoice {
 public:
  /// For the next epoch, of at most so many.
  int next(int most);
  /// What that epoch took.
  void add(double seconds);

 private:
  int most_ = 0;          // 0: nothing is known yet
  bool uses_all_ = true;  // the choice
  bool tries_other_ = false;
  int epochs_left_ = 0;                            // until the trial ends, or begins
  double chosen_seconds_ = 0, other_seconds_ = 0;  // the shortest of late
  std::int64_t interval_ = 0;                      // epochs between trials
};

}  // namespace dsnn
