#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/sweep/space.h"
#include "dsnn/train/train.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// Where a sweep stands.
struct SweepProgress {
  std::int64_t num_done = 0, num_total = 0;  ///< trainings; the total is 0 if it has no end
  std::int64_t num_trials = 0;               ///< begun
  std::int64_t best_trial = -1;
  double best_validation = 0;
  double seconds = 0;
  std::optional<double> seconds_left;  ///< about; nothing if that cannot be told
  /// Trainings under way here: trial, split, epoch.
  struct Running {
    std::int64_t trial = 0;
    int split = 0;
    std::int64_t epoch = 0;
    double best_validation = 0;
  };
  std::vector<Running> running;
};

struct SweepOptions {
  std::string model = "diag-dsnn";
  Config base;  ///< what the space does not say; without parameters: the defaults
  SearchSpace space;
  std::uint64_t seed = 0;
  std::optional<std::int64_t> trials;  ///< none: a grid's all, else until the budget is spent
  double budget_seconds = std::numeric_limits<double>::infinity();
  int jobs = 0;     ///< trainings side by side; 0: one for each core
  int threads = 1;  ///< of each
  std::filesystem::path folder;
  bool resume = false;
  std::function<void(const SweepProgress&)> observer;  ///< called a few times a second
};

/// How a trial did at a rung whose trainings are all done.
struct RungScore {
  double validation = 0;  ///< mean over its splits, in [0, 1]; -1 if it failed
  int num_splits = 0;
  double finished_at = 0;  ///< seconds of the sweep's work until then
  bool is_failed = false;  ///< one of its trainings did
};

/// What a sweep knows of a trial. Test scores choose nothing.
struct Trial {
  std::int64_t number = 0;
  std::uint64_t seed = 0;  ///< of its trainings
  Config config;
  int rung = -1;                                        ///< the highest it has finished
  double validation = 0, test = 0, test_deviation = 0;  ///< means there, in [0, 1]
  int num_splits = 0;                                   ///< of that rung
  double seconds = 0;                                   ///< of all its trainings
  double finished_at = 0;        ///< seconds of the sweep's work when it came this far
  std::string failure;           ///< of one of its trainings
  std::vector<RungScore> rungs;  ///< from the first to the highest, and the one it failed at

  /// Whether it has finished a rung, and has not failed since.
  bool has_score() const { return rung >= 0 && failure.empty(); }
};

struct Sweep {
  std::string model, dataset, method;
  std::vector<Dimension> dimensions;
  std::vector<Trial> trials;  ///< the best first, those that failed last
  int num_rungs = 0;
  std::int64_t bracket = 0;          ///< trials that are compared with each other
  std::int64_t num_trained = 0;      ///< trainings that this call of run_sweep did itself
  bool is_complete = false;          ///< all trials that were asked for are trained
  std::vector<std::string> commits;  ///< of the programs that worked on it; "unknown" for some

  /// Null if no trial has a score.
  const Trial* best() const {
    return trials.empty() || !trials.front().has_score() ? nullptr : &trials.front();
  }
};

/// Searches a space: draws trials, trains them as the space says, and writes to the folder
/// sweep.sqlite (everything, at any moment), trial-N.toml for each trial and, when done, best.toml
/// unless all failed. Several processes may work on one folder. Who did what when has no influence
/// on the result, unless the budget cuts it. Throws Cancelled after request_cancel(); with `resume`
/// it goes on.
DSNN_API Sweep run_sweep(const Dataset& dataset, const SweepOptions& options);

/// What is in the folder of a sweep.
DSNN_API Sweep read_sweep(const std::filesystem::path& folder);

}  // namespace dsnn
