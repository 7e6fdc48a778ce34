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

/// The progress of a sweep.
struct SweepProgress {
  std::int64_t num_done = 0, num_total = 0;  ///< trainings; the total is 0 if unlimited
  std::int64_t num_trials = 0;               ///< begun
  std::int64_t best_trial = -1;
  double best_validation = 0;
  double seconds = 0;
  std::optional<double> seconds_left;  ///< estimate, if available
  /// Running trainings of this process.
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
  Config base;  ///< values of other parameters; without parameters: the defaults
  SearchSpace space;
  std::uint64_t seed = 0;
  std::optional<std::int64_t> trials;  ///< default: the whole grid, else until the budget is spent
  double budget_seconds = std::numeric_limits<double>::infinity();
  int jobs = 0;                ///< parallel trainings; 0: number of cores
  int threads = 1;             ///< of each training
  std::string device = "cpu";  ///< as TrainOptions::device
  std::filesystem::path folder;
  bool resume = false;
  std::function<void(const SweepProgress&)> observer;  ///< called a few times a second
};

/// The score of a trial at a completed rung.
struct RungScore {
  double validation = 0;  ///< mean over its splits, in [0, 1]; -1 if it failed
  int num_splits = 0;
  double finished_at = 0;  ///< seconds of the sweep's working time
  bool is_failed = false;  ///< one of its trainings failed
};

/// A trial of a sweep. Test scores are not used for selection.
struct Trial {
  std::int64_t number = 0;
  std::uint64_t seed = 0;  ///< of its trainings
  Config config;
  int rung = -1;                                        ///< the highest it has finished
  double validation = 0, test = 0, test_deviation = 0;  ///< means there, in [0, 1]
  int num_splits = 0;                                   ///< of that rung
  double seconds = 0;                                   ///< of all its trainings
  double finished_at = 0;        ///< seconds of the sweep's working time at this rung
  std::string failure;           ///< of one of its trainings
  std::vector<RungScore> rungs;  ///< from the first to the highest, and a failed one

  /// Whether it has finished a rung and has not failed since.
  bool has_score() const { return rung >= 0 && failure.empty(); }
};

struct Sweep {
  std::string model, dataset, method;
  std::vector<Dimension> dimensions;
  std::vector<Trial> trials;  ///< the best first, failed trials last
  int num_rungs = 0;
  std::int64_t bracket = 0;          ///< number of trials compared with each other
  std::int64_t num_trained = 0;      ///< trainings done by this call of run_sweep
  bool is_complete = false;          ///< all requested trials are trained
  std::vector<std::string> commits;  ///< of the builds that worked on it; may contain "unknown"

  /// Null if no trial has a score.
  const Trial* best() const {
    return trials.empty() || !trials.front().has_score() ? nullptr : &trials.front();
  }
};

/// Searches a space: draws trials, trains them, and writes to the folder sweep.sqlite (everything,
/// continuously), trial-N.toml for each trial and, at the end, best.toml unless all trials failed.
/// Several processes may work on one folder. The result does not depend on how the work is
/// distributed, unless the budget ends it early. Throws Cancelled after request_cancel(); `resume`
/// continues.
DSNN_API Sweep run_sweep(const Dataset& dataset, const SweepOptions& options);

/// Reads the folder of a sweep.
DSNN_API Sweep read_sweep(const std::filesystem::path& folder);

}  // namespace dsnn
