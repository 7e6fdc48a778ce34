#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/dataset.h"
#include "dsnn/data/feature_preparation.h"
#include "dsnn/export.h"
#include "dsnn/parts/partition.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dsnn {

/// What is known of the whole graph in each part.
struct DSNN_API WholeData {
  std::string name, checksum, content;  ///< as of the dataset (train.h)
  std::int64_t num_nodes = 0, num_classes = 0;
  bool adds_degrees = false;  ///< by default
  /// Fitted to the whole graph, with degrees, in the order of FeatureScale.
  std::vector<FeaturePreparation> preparations = {};

  static WholeData of(const Dataset& dataset);
  /// The preparation that a configuration asks for.
  FeaturePreparation preparation(const Config& config) const;
};

/// A folder with the parts of a graph: parts.json, and two files for each part.
class DSNN_API PartFolder {
 public:
  /// Throws Error if it has no parts, or if parts.json is damaged.
  explicit PartFolder(std::filesystem::path folder);
  /// Whether the path is a folder with parts.
  static bool is_at(const std::filesystem::path& path);
  /// Writes all parts; parts.json is last.
  static void write(const std::filesystem::path& folder, const Dataset& dataset,
                    const Partition& partition, const std::vector<NodeId>& order, int num_parts);

  int num_parts() const { return static_cast<int>(files_.size()); }
  const WholeData& whole() const { return whole_; }
  /// Throws Error if a file is missing, damaged or of another graph.
  Part read(int part) const;

 private:
  struct PartFile {
    std::int64_t bytes = 0;
    std::string checksum;
  };
  std::filesystem::path folder_;
  WholeData whole_;
  std::vector<PartFile> files_;
};

/// The part of this rank, to train on (TrainOptions::part).
struct DSNN_API TrainPart {
  WholeData whole;
  std::vector<std::int64_t> numbers;  ///< of its nodes in the dataset
  std::shared_ptr<const Halo> halo;
};

/// The part of each rank. Collective; throws Error on all ranks if there are not as many ranks as
/// parts, or if one of them cannot read its part.
struct DSNN_API LoadedPart {
  Dataset data;
  std::shared_ptr<const TrainPart> part;
};
DSNN_API LoadedPart load_part(const std::filesystem::path& folder, Ranks& ranks);

}  // namespace dsnn
