#pragma once

#include "util/internal_api.h"

#include <filesystem>
#include <vector>

namespace dsnn {

/// The paths of the files of a run; the only place with their names.
class DSNN_INTERNAL_API RunFiles {
 public:
  explicit RunFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path config() const { return folder_ / "config.toml"; }
  std::filesystem::path data() const { return folder_ / "data.json"; }
  std::filesystem::path result() const { return folder_ / "result.json"; }
  std::filesystem::path split(int number) const;
  std::filesystem::path metrics(int number) const { return split(number) / "metrics.csv"; }
  std::filesystem::path model(int number) const { return split(number) / "model.npz"; }
  /// The preparation of features for one split, of links.
  std::filesystem::path preparation(int number) const { return split(number) / "preparation.json"; }
  /// Of an unfinished or finished split.
  std::filesystem::path checkpoint(int number) const { return split(number) / "checkpoint.npz"; }

  /// Whether the run exists.
  bool has_run() const;
  /// Splits with a model, ascending.
  std::vector<int> trained_splits() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace dsnn
