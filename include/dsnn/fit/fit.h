#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/train/ensemble.h"
#include "dsnn/train/run_config.h"
#include "dsnn/train/scores.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// A model with a configuration that fit() tries. Test scores are not used.
struct FitTrial {
  std::int64_t number = 0;
  std::string model;
  Config config;
  std::uint64_t seed = 0;
  std::string changes;  ///< parameters that differ from the defaults: "layers=4 q=0.1"
  int rung = -1;        ///< the highest rung it was trained for
  std::int64_t epochs = 0;
  Scores validation;  ///< of its best epoch so far
  double seconds = 0;
  std::string failure;  ///< why it cannot be used; empty if usable

  bool has_score() const { return rung >= 0 && failure.empty(); }
};

struct FitProgress {
  std::int64_t num_begun = 0;  ///< trials
  std::string best_model;
  double best_validation = 0;  ///< accuracy, of links the metric
  double seconds = 0;
  bool is_final = false;  ///< the members are trained to the end
  struct Running {
    std::int64_t trial = 0;
    std::string model;
    std::int64_t epoch = 0;
    double best_validation = 0;
  };
  std::vector<Running> running;
};

struct FitOptions {
  TaskKind task = TaskKind::kNodes;
  std::optional<std::int64_t> trials;  ///< number of trials; default: as many as the time allows
  double seconds = 120;                ///< time limit, if no number of trials is given
  int members = 5;
  int split = 0;
  std::uint64_t seed = 0;
  std::string device = "cpu";  ///< as TrainOptions::device
  /// "normalise_features=none", for all trials; of links for those whose model has the parameter.
  std::vector<std::string> settings;
  std::filesystem::path folder;
  bool resume = false;
  std::function<void(const FitProgress&)> observer;  ///< called a few times a second
};

struct FitResult {
  std::vector<FitTrial> trials;       ///< the best first
  std::vector<std::int64_t> members;  ///< numbers of trials
  EnsembleScores scores;              ///< of the members' averaged probabilities
  double seconds = 0;                 ///< of all calls for this fit
};

/// Finds networks for a dataset: tries several models (of links also decoders) by successive
/// halving on the validation nodes or pairs of a split, trains the best to the end, and saves them
/// as an Ensemble in the folder, with the dataset (data.npz) and all trials (fit.json). With a
/// number of trials, the same seed gives the same members and probabilities, bit for bit. After
/// request_cancel() the best members so far are written before Cancelled is thrown; `resume`
/// continues.
DSNN_API FitResult fit(const Dataset& dataset, const FitOptions& options);

}  // namespace dsnn
