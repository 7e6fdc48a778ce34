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

/// The arithmetic in a result.json; version 1 if missing.
DSNN_INTERNAL_API Arithmetic read_arithmetic(const std::string& result);

/// Writes the files of a run. Files appear only when they are complete.
class RunFolder {
 public:
  /// Creates the folder. Without `resume` it must not contain a run; with it, only the same run.
  /// Also throws Error while another process trains into it.
  RunFolder(std::filesystem::path path, const RunConfig& config, bool resume);

  const RunFiles& files() const { return files_; }

  /// The feature preparation of the run: as fitted, or, for an old run, which only has normalised
  /// rows, the one it was started with. Throws Error if the run in the folder was started with
  /// another preparation.
  FeaturePreparation preparation(const Dataset& dataset, const FeaturePreparation& fitted) const;
  /// data.json: the data needed to use a model on other data. `content` is that of the dataset
  /// (content_checksum), or of the graph that it is a part of.
  void write_data(const Dataset& dataset, const FeaturePreparation& preparation,
                  const std::string& content) const;

  /// The same for links, whose preparations are in the folders of the splits.
  void write_link_data(const Dataset& dataset) const;
  void write_preparation(int split, const FeaturePreparation& preparation) const;

  /// metrics.csv and the best model so far; no model before the first epoch.
  void write_split(const SplitTrainer& trainer) const;
  /// Splits that are only in an earlier result are kept.
  void write_result(const TrainResult& result) const;

 private:
  void make_folder(int split) const;

  RunFiles files_;
  RunConfig config_;
  std::optional<FolderLock> lock_;
};

}  // namespace dsnn
