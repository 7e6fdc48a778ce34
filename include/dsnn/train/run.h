#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/dataset.h"
#include "dsnn/data/feature_preparation.h"
#include "dsnn/engine/shape.h"
#include "dsnn/export.h"
#include "dsnn/train/run_config.h"
#include "dsnn/train/scores.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

class Halo;
struct TrainPart;

/// Named values within a network, computed by a pass on a dataset.
struct DSNN_API NetworkParts {
  struct Part {
    engine::Shape shape;
    std::vector<float> numbers;
  };
  std::map<std::string, Part> parts;
  /// The graph seen by the network; it defines the nodes and half-edges of the parts.
  DirectedGraph graph;
  /// The corresponding nodes of the dataset [n].
  std::vector<NodeId> nodes;
};

/// A trained run, opened from its folder.
class DSNN_API Run {
 public:
  /// Throws Error if the folder is not a run, or if a file is missing or damaged. Its models run on
  /// this device (TrainOptions::device).
  explicit Run(std::filesystem::path folder, std::string device = "cpu");

  const std::string& model() const { return model_; }
  const std::string& dataset() const { return dataset_; }  ///< its name
  const std::filesystem::path& folder() const { return folder_; }
  const std::string& device() const { return device_; }
  std::uint64_t seed() const { return seed_; }
  const std::string& checksum() const { return checksum_; }
  /// Whether the models were trained on the same nodes, arcs, features and labels, but on other
  /// splits: then test nodes of the dataset may have been used in training.
  bool has_other_splits(const Dataset& dataset) const;
  bool has_other_splits(const TrainPart& part) const;
  const Config& config() const { return config_; }
  const std::vector<std::string>& label_names() const { return label_names_; }
  std::int64_t num_classes() const { return num_classes_; }  ///< of nodes or pairs
  TaskKind task() const { return task_of(config_); }
  /// The feature preparation of its models of nodes.
  const FeaturePreparation& preparation() const { return preparation_; }
  /// That of one split; of links, each has its own.
  FeaturePreparation preparation(int split) const;
  std::int64_t num_features() const { return num_features_; }
  const std::vector<std::string>& feature_names() const { return feature_names_; }
  /// Splits with a model, ascending.
  const std::vector<int>& splits() const { return splits_; }
  /// Whether training is finished for all splits that have a model.
  bool is_finished() const;
  /// The split with the best validation score; the first split of an unfinished run.
  int best_split() const;
  /// The epoch of a split's model, from 1; nothing if the split is not finished.
  std::optional<std::int64_t> best_epoch(int split) const;

  /// Logits [n, classes] of a split's model on a dataset with the features of the training data,
  /// matched by name if both have names, else by position. Throws Error if the features do not
  /// match, or if a logit is not finite.
  std::vector<float> logits(int split, const Dataset& dataset) const;
  /// The same for several splits, sharing values derived from the graph.
  std::vector<std::vector<float>> logits(const std::vector<int>& splits,
                                         const Dataset& dataset) const;

  /// Values within a split's network on a dataset, for those of the names that the model has
  /// (nn::Pass::show). Throws Error like logits().
  NetworkParts parts(int split, const Dataset& dataset,
                     const std::vector<std::string>& names) const;

  /// Scores on the test nodes of the same split of a dataset. Classes are matched like features.
  /// Also throws Error if no test node has a label.
  Scores test_scores(int split, const Dataset& dataset) const;
  /// The same for several splits, sharing values derived from the graph.
  std::vector<Scores> test_scores(const std::vector<int>& splits, const Dataset& dataset) const;
  /// The same of logits that are given, such as those of an ensemble.
  std::vector<Scores> test_scores(const std::vector<int>& splits,
                                  const std::vector<std::vector<float>>& logits,
                                  const Dataset& dataset) const;

  // --- on a graph in parts (load_part); all ranks call them, on a processor ---

  /// The logits of the nodes of a part; those of ghosts are not to be used.
  std::vector<float> logits(int split, const Dataset& data, const TrainPart& part) const;
  /// Scores on the test nodes of all parts.
  std::vector<Scores> test_scores(const std::vector<int>& splits, const Dataset& data,
                                  const TrainPart& part) const;

 private:
  struct Prepared;
  Prepared prepare(const Dataset& dataset, std::shared_ptr<const Halo> halo = {}) const;
  std::vector<float> logits(int split, const Prepared& prepared, const Dataset& dataset,
                            const std::vector<std::string>& names = {},
                            NetworkParts* parts = nullptr) const;
  void check_split(int split) const;  ///< throws Error if it has no model
  /// Throws Error if it has no model of one, or the dataset no such split.
  void check_splits(const std::vector<int>& splits, const Dataset& dataset) const;
  /// The labels of the dataset as the run numbers its classes.
  std::vector<std::int64_t> labels_of(const Dataset& dataset) const;

  std::filesystem::path folder_;
  std::string device_;
  std::string model_, dataset_, checksum_, content_;
  Config config_;
  std::uint64_t seed_ = 0;
  FeaturePreparation preparation_;
  std::int64_t num_features_ = 0, num_classes_ = 0;
  std::vector<std::string> feature_names_, label_names_;
  std::vector<int> splits_;
};

/// The features of a dataset with the columns `names`, matched by name. A category (name=value)
/// that the dataset does not have is 0 everywhere, and one that is not in `names` is dropped,
/// provided that both have some value of that name; any other difference is an Error.
DSNN_API Features match_features(const Dataset& dataset, const std::vector<std::string>& names);

}  // namespace dsnn
