#pragma once

#include "dsnn/sweep/space.h"

#include "util/internal_api.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace dsnn {

/// One training of a sweep: a trial on a split, for at most `epochs` epochs.
struct Training {
  std::int64_t trial = 0;
  std::int64_t epochs = 0;
  int split = 0;
  auto operator<=>(const Training&) const = default;
};

/// Validation accuracies of finished trainings; -1 for a failed one.
using Outcomes = std::map<Training, double>;

/// The progress of a trial.
struct Standing {
  std::int64_t trial = 0;
  int rung = -1;           ///< the highest with all trainings done and none failed; -1: none
  double validation = -1;  ///< mean over its splits
  bool is_failed = false;  ///< one of its trainings failed, at any rung
};

/// The trainings of a sweep [eq:halving]. The schedule is a function only of outcomes: decisions do
/// not depend on the order of trainings or on processes, so an interrupted and resumed sweep, or
/// one shared by several processes, gives the same result.
///
/// Trials are grouped in brackets of fixed size. All trials of a bracket are trained for the first
/// rung; then the best one in `keep` (rounded up) continues to the next rung, and so on. A trial
/// fails if one of its trainings fails, and is not continued.
class DSNN_INTERNAL_API Schedule {
 public:
  /// For trials 0 .. num_trials-1, or unlimited. `rungs` have resolved numbers of splits and
  /// epochs.
  Schedule(std::vector<Rung> rungs, int keep, std::int64_t bracket,
           std::optional<std::int64_t> num_trials);

  /// Up to `limit` next trainings, in order, without those in `taken`.
  std::vector<Training> ready(const Outcomes& outcomes, const std::set<Training>& taken,
                              std::size_t limit) const;
  /// Whether nothing is left to do, regardless of running trainings.
  bool is_complete(const Outcomes& outcomes) const;

  /// All trials with an outcome, best first: by rung, validation score and number. Failed trials
  /// are last.
  std::vector<Standing> standings(const Outcomes& outcomes) const;

  /// The mean over the splits of a rung, or -1 if one failed; nothing unless all are done.
  std::optional<double> score(const Outcomes& outcomes, std::int64_t trial, int rung) const;

  /// Trainings at each rung, if none fails; trainings shared with an earlier rung with the same
  /// number of epochs are counted there. For an unlimited sweep: of one bracket.
  std::vector<std::int64_t> num_trainings() const;

 private:
  Training training(std::int64_t trial, int rung, int split) const;
  /// Calls visit(rung, trials) for each rung of a bracket whose trials are known.
  template <class Visit>
  void for_rungs(const Outcomes& outcomes, std::int64_t bracket, const Visit& visit) const;

  std::vector<Rung> rungs_;
  int keep_;
  std::int64_t bracket_;
  std::optional<std::int64_t> num_trials_;
};

}  // namespace dsnn
