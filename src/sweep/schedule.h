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

/// One training of a sweep: a trial on a split, for so many epochs at most.
struct Training {
  std::int64_t trial = 0;
  std::int64_t epochs = 0;
  int split = 0;
  auto operator<=>(const Training&) const = default;
};

/// Validation accuracies of those that are done; -1 for a training that failed.
using Outcomes = std::map<Training, double>;

/// How far a trial has come.
struct Standing {
  std::int64_t trial = 0;
  int rung = -1;  ///< the highest whose trainings are all done, and none failed; -1 for none
  double validation = -1;  ///< mean over its splits
  bool is_failed = false;  ///< one of its trainings failed, at whatever rung
};

/// Which trainings a sweep consists of [eq:halving]. It is a function of outcomes alone: what has
/// been decided does not depend on who trained what when, so a sweep that is cut and resumed, or
/// worked on by several processes, ends as any other.
///
/// Trials stand in brackets of fixed size. All of a bracket are trained as its first rung says;
/// once they are, the best one in `keep` of them (rounded up) go on to the next, and so on. A trial
/// fails as a whole if one of its trainings does: it goes on no more.
class DSNN_INTERNAL_API Schedule {
 public:
  /// Of trials 0 .. num_trials-1, or without end. `rungs` have their numbers of splits and epochs.
  Schedule(std::vector<Rung> rungs, int keep, std::int64_t bracket,
           std::optional<std::int64_t> num_trials);

  /// Up to `limit` trainings that are to be done next, but not those in `taken`, in their order.
  std::vector<Training> ready(const Outcomes& outcomes, const std::set<Training>& taken,
                              std::size_t limit) const;
  /// Whether nothing is left to do, whatever is still under way comes to.
  bool is_complete(const Outcomes& outcomes) const;

  /// All trials with an outcome; the best first: by rung, then by validation, then by number. Those
  /// that failed come last.
  std::vector<Standing> standings(const Outcomes& outcomes) const;

  /// Trials that are not trained any further: they failed, were left behind, or are done.
  std::set<std::int64_t> settled(const Outcomes& outcomes) const;

  /// The mean over the splits of a rung, or -1 if one failed; nothing unless all are done.
  std::optional<double> score(const Outcomes& outcomes, std::int64_t trial, int rung) const;

  /// Trainings at each rung, if none fails; those that a rung shares with one before, with the same
  /// number of epochs, are counted there. Without an end: of one bracket.
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
