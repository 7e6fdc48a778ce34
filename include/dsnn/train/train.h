#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/dataset.h"
#include "dsnn/export.h"
#include "dsnn/train/arithmetic.h"
#include "dsnn/train/run_config.h"
#include "dsnn/train/scores.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// How learning went, by which training_warnings() tells that something is wrong.
struct LearningSigns {
  double first_loss = 0, guess_loss = 0;  ///< of the first epoch; of equal probabilities
  double train_accuracy = 0;              ///< the best of any epoch
  double majority_share = 0;              ///< of the most frequent class among training nodes
};

/// What was reached on one split. The test score is that of the epoch with the best validation
/// score, and chooses nothing.
struct SplitResult {
  int split = 0;
  Scores validation, test;
  std::int64_t num_validation = 0, num_test = 0;  ///< nodes that they are of
  std::int64_t best_epoch = 0;  ///< from 1; 0 if training failed in the first one: no scores
  std::int64_t epochs = 0;      ///< that were trained
  double seconds = 0;
  Arithmetic arithmetic;  ///< that it was trained with
  LearningSigns signs;
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
  bool resume = false;  ///< go on with the run in the folder
  /// Write event files for TensorBoard into the folders of the splits.
  bool logs_tensorboard = false;
  double checkpoint_seconds = 10;                      ///< at most so much work is lost
  std::function<void(const TrainProgress&)> observer;  ///< called by any job, one at a time
};

/// What a training was, and what came of it.
struct TrainResult {
  RunConfig config;
  std::vector<SplitResult> splits;
};

/// Trains a model on each split and returns the results in their order. The same seed gives the
/// same numbers, bit for bit, whatever the threads and jobs, and also after an interruption. Throws
/// Error for data without labels, features or splits, for arrays that do not fit together, and for
/// splits with nodes in two parts.
DSNN_API TrainResult train(const Dataset& dataset, const TrainOptions& options);
/// The same with a dataset that nobody needs afterwards: of a large graph, memory holds one copy
/// instead of two.
DSNN_API TrainResult train(Dataset&& dataset, const TrainOptions& options);

/// What a user should know about the data before training, one sentence each, with the option that
/// helps: classes with fewer than five training nodes, prepared features of very different scale.
DSNN_API std::vector<std::string> data_warnings(const Dataset& dataset,
                                                const TrainOptions& options);
/// The same about a training: a loss that began absurdly high, a training accuracy that stayed at
/// that of guessing.
DSNN_API std::vector<std::string> training_warnings(const TrainResult& result);

/// A result as JSON, as result.json of a run has it; `earlier` is one of the same run, whose other
/// splits are taken over.
DSNN_API std::string result_json(const TrainResult& result, const std::string& earlier = {});

/// A hash of everything in the dataset that training sees.
DSNN_API std::string checksum(const Dataset& dataset);
/// The same without the splits.
DSNN_API std::string content_checksum(const Dataset& dataset);

}  // namespace dsnn
