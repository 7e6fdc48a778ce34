#pragma once

#include "dsnn/train/train.h"
#include "dsnn/util/error.h"

#include "train/split_trainer.h"
#include "util/folder_lock.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// What a run was started with, as config.toml has it.
struct DSNN_API RunConfig {
  std::string model;
  std::string dataset;   ///< its name
  std::string checksum;  ///< of its content
  std::uint64_t seed = 0;
  Config config;

  /// One line that tells runs apart whose results may differ.
  std::string fingerprint() const;
};

/// A hash of everything in the dataset that training sees.
DSNN_API std::string checksum(const Dataset& dataset);
/// The same without the splits.
DSNN_API std::string content_checksum(const Dataset& dataset);

/// Another process is training into the folder.
class DSNN_API FolderInUse : public Error {
 public:
  using Error::Error;
};

/// The files of a run. Every file appears when it is complete.
class RunFolder {
 public:
  /// Creates the folder. Without `resume` it must hold no other run; with it, the same. Throws
  /// Error, too, while another process trains into it.
  RunFolder(std::filesystem::path path, const RunConfig& config, bool resume);

  /// data.json: what a model must know to be used on other data. Throws Error if the run was begun
  /// with features as they are and now they would be normalised, or the other way round.
  void write_data(const Dataset& dataset, bool is_normalised) const;

  std::filesystem::path checkpoint(int split) const;  ///< of a split in progress or finished
  std::filesystem::path model(int split) const;

  /// metrics.csv and the best model so far; no model before the first epoch.
  void write_split(const SplitTrainer& trainer) const;
  /// Splits that an earlier result has, and these do not, stay in it.
  void write_result(const std::vector<SplitResult>& results) const;

 private:
  std::filesystem::path split_folder(int split) const;

  std::filesystem::path path_;
  RunConfig config_;
  std::optional<FolderLock> lock_;
};

/// result.json of a run; `earlier` is one of the same run, whose other splits are taken over.
DSNN_API std::string result_json(const RunConfig& config, const std::vector<SplitResult>& results,
                                 const std::string& earlier = {});

DSNN_API std::string write_toml(const RunConfig& config);
/// Throws Error with file and line.
DSNN_API RunConfig read_toml(const std::filesystem::path& path);
/// The same from text; `where` stands for the file in errors.
DSNN_API RunConfig parse_toml(const std::string& text, const std::string& where);

}  // namespace dsnn
