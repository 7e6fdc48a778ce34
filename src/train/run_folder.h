#pragma once

#include "dsnn/data/feature_preparation.h"
#include "dsnn/train/run_config.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"

#include "train/run_files.h"
#include "train/split_trainer.h"
#include "util/folder_lock.h"
#include "util/internal_api.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// Another process is training into the folder.
class DSNN_INTERNAL_API FolderInUse : public Error {
 public:
  using Error::Error;
};

/// What a result.json says of itself; version 1 where it says nothing.
DSNN_INTERNAL_API Arithmetic read_arithmetic(const std::string& result);

/// Writes the files of a run. Every file appears when it is complete.
class RunFolder {
 public:
  /// Creates the folder. Without `resume` it must hold no other run; with it, the same. Throws
  /// Error, too, while another process trains into it.
  RunFolder(std::filesystem::path path, const RunConfig& config, bool resume);

  const RunFiles& files() const { return files_; }

  /// How the run prepares features: as fitted, or, in a run from before there were others than
  /// normalised rows, as it was begun. Throws Error if the run that the folder holds was begun with
  /// another preparation.
  FeaturePreparation preparation(const Dataset& dataset, const FeaturePreparation& fitted) const;
  /// data.json: what a model must know to be used on other data.
  void write_data(const Dataset& dataset, const FeaturePreparation& preparation) const;

  /// metrics.csv and the best model so far; no model before the first epoch.
  void write_split(const SplitTrainer& trainer) const;
  /// Splits that an earlier result has, and these do not, stay in it.
  void write_result(const TrainResult& result) const;

 private:
  RunFiles files_;
  RunConfig config_;
  std::optional<FolderLock> lock_;
};

}  // namespace dsnn
