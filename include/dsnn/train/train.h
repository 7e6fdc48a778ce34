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
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// Indicators used by training_warnings().
struct LearningSigns {
  double first_loss = 0, guess_loss = 0;  ///< of the first epoch; of uniform probabilities
  double train_accuracy = 0;              ///< the best of any epoch
  double majority_share = 0;  ///< of the most frequent class among training nodes or pairs
};

/// The result on one split. The test score is that of the epoch with the best validation score; it
/// is not used for selection.
struct SplitResult {
  int split = 0;
  Scores validation, test;
  std::int64_t num_validation = 0, num_test = 0;  ///< numbers of scored nodes or pairs
  std::int64_t best_epoch = 0;  ///< from 1; 0 if training failed in the first one: no scores
  std::int64_t epochs = 0;      ///< number of trained epochs
  double seconds = 0;
  Arithmetic arithmetic;  ///< used for training
  LearningSigns signs;
  std::string failure;  ///< why training failed; empty if it did not
};

/// The progress of training on a split. Of links, accuracies are values of the metric.
struct TrainProgress {
  int split = 0;
  std::int64_t epoch = 0, epochs = 0;  ///< done, and the maximum
  double train_loss = 0, validation_accuracy = 0, best_validation_accuracy = 0;
  double seconds = 0;
  bool is_finished = false;
};

struct TrainPart;

struct TrainOptions {
  std::string model = "diag-dsnn";
  /// Of model, task and training (default_config); without parameters: the defaults for nodes.
  Config config;
  std::vector<int> splits;  ///< empty: all
  std::uint64_t seed = 0;
  int jobs = 1;     ///< splits trained in parallel; does not change results
  int threads = 0;  ///< of each job; 0: the cores divided by the number of running jobs
  /// "cpu", "cuda", "cuda:N", or "auto": the faster one of the processor and the first GPU,
  /// measured in a few epochs before the training. Results depend on the kind of device in their
  /// last digits. Jobs share a GPU.
  std::string device = "cpu";
  /// The folder of the run: config.toml, metrics and the best model of each split, result.json. If
  /// empty, nothing is written.
  std::filesystem::path folder;
  bool resume = false;                                 ///< continue the run in the folder
  bool logs_tensorboard = false;                       ///< event files in the folders of the splits
  double checkpoint_seconds = 10;                      ///< the longest time that can be lost
  std::function<void(const TrainProgress&)> observer;  ///< called from any job, one at a time
  /// Set if the dataset is the part of a graph that this rank trains on (load_part). Then training
  /// is collective, splits are trained one by one, and only rank 0 writes files and observes.
  std::shared_ptr<const TrainPart> part = {};
};

/// The configuration and the results of a training.
struct TrainResult {
  RunConfig config;
  std::vector<SplitResult> splits;
  std::string device_choice = {};  ///< what "auto" chose, and why; empty for other devices
};

/// Trains a model on each split and returns the results in order. The same seed gives the same
/// results, bit for bit, for any number of threads and jobs, and also after an interruption. Throws
/// Error for data without labels, features or splits, for inconsistent arrays, and for splits whose
/// sets overlap.
DSNN_API TrainResult train(const Dataset& dataset, const TrainOptions& options);
/// The same for a dataset that is not needed afterwards: large graphs are stored only once.
DSNN_API TrainResult train(Dataset&& dataset, const TrainOptions& options);

/// Warnings about the data before training, one sentence each, with the option that helps: classes
/// with fewer than five training nodes, prepared features of very different scale.
DSNN_API std::vector<std::string> data_warnings(const Dataset& dataset,
                                                const TrainOptions& options);
/// Warnings about a training: a very high initial loss, a training accuracy no better than
/// guessing.
DSNN_API std::vector<std::string> training_warnings(const TrainResult& result);

/// The JSON text of result.json. Splits that are only in `earlier`, a result of the same run, are
/// included.
DSNN_API std::string result_json(const TrainResult& result, const std::string& earlier = {});

/// A hash of everything in the dataset that training uses.
DSNN_API std::string checksum(const Dataset& dataset);
/// The same without the splits.
DSNN_API std::string content_checksum(const Dataset& dataset);

}  // namespace dsnn
