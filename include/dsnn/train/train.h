#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/nn/config.h"
#include "dsnn/train/scores.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// What was reached on one split. The test score is that of the epoch with the best validation
/// score, and chooses nothing.
struct SplitResult {
  int split = 0;
  Scores validation, test;
  std::int64_t num_validation = 0, num_test = 0;  ///< nodes that they are of
  std::int64_t best_epoch = 0;  ///< from 1; 0 if training failed in the first one: no scores
  std::int64_t epochs = 0;      ///< that were trained
  double seconds = 0;
  std::string failure;  ///< why training stopped early; empty if it did not
};

/// Where training on a split stands.
struct TrainProgress {
  int split = 0;
  std::int64_t epoch = 0, epochs = 0;  ///< done, and at most
  double train_loss = 0, validation_accuracy = 0, best_validation_accuracy = 0;
  double seconds = 0;
  bool is_finished = false;
};

struct TrainOptions {
  std::string model = "diag-dsnn";
  Config config;            ///< of the model; without parameters: the defaults
  std::vector<int> splits;  ///< empty: all
  std::uint64_t seed = 0;
  int jobs = 1;     ///< splits side by side; the numbers are the same
  int threads = 0;  ///< of each job; 0: the machine's over the jobs that still have a split
  /// Where the run is kept: config.toml, metrics and the best model of each split, result.json. No
  /// folder: nothing is written.
  std::filesystem::path folder;
  bool resume = false;                                 ///< go on with the run in the folder
  double checkpoint_seconds = 10;                      ///< at most so much work is lost
  std::function<void(const TrainProgress&)> observer;  ///< called by any job, one at a time
};

/// Trains a model on each split and returns the results in their order. The same seed gives the
/// same numbers, bit for bit, whatever the threads and jobs, and also after an interruption. Throws
/// Error for data without labels, features or splits, for arrays that do not fit together, and for
/// splits with nodes in two parts. Sets the number of threads of operators (ops/threads.h), also
/// for what comes after it.
DSNN_API std::vector<SplitResult> train(const Dataset& dataset, const TrainOptions& options);

/// The smallest number of the matrix; what a sparse one does not hold is 0.
DSNN_API float smallest_number(const Features& features);
/// Features as training takes them: the smallest number of the matrix subtracted, then each row
/// over max(its sum, 1).
DSNN_API Features normalise_rows(const Features& features);
/// The same with the smallest number of other features, those that a model was trained on.
DSNN_API Features normalise_rows(const Features& features, float smallest);

}  // namespace dsnn
