#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/dataset.h"
#include "dsnn/data/feature_preparation.h"
#include "dsnn/engine/shape.h"
#include "dsnn/export.h"
#include "dsnn/train/scores.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// Named values within a network, as a pass on a dataset computed them.
struct DSNN_API NetworkParts {
  struct Part {
    engine::Shape shape;
    std::vector<float> numbers;
  };
  std::map<std::string, Part> parts;
  /// The graph as the network saw it: nodes and half-edges of the parts are these.
  DirectedGraph graph;
  /// Its nodes in the dataset [n].
  std::vector<NodeId> nodes;
};

/// The folder of a run, to use its models.
class DSNN_API Run {
 public:
  /// Throws Error if there is no run, or if a file of it is missing or damaged.
  explicit Run(std::filesystem::path folder);

  const std::string& model() const { return model_; }
  const std::string& dataset() const { return dataset_; }  ///< its name
  const std::filesystem::path& folder() const { return folder_; }
  std::uint64_t seed() const { return seed_; }
  const std::string& checksum() const { return checksum_; }
  /// Whether the models were trained on these nodes, arcs, features and labels, but on other
  /// splits: then test nodes of these may have been trained on.
  bool has_other_splits(const Dataset& dataset) const;
  const Config& config() const { return config_; }
  const std::vector<std::string>& label_names() const { return label_names_; }
  std::int64_t num_classes() const { return num_classes_; }
  /// How its models take features.
  const FeaturePreparation& preparation() const { return preparation_; }
  const std::vector<std::string>& feature_names() const { return feature_names_; }
  /// Splits with a model, ascending.
  const std::vector<int>& splits() const { return splits_; }
  /// Whether all splits that have a model are trained to their end; else models are those so far.
  bool is_finished() const;
  /// The split with the best validation accuracy; of a run that is not finished, the first.
  int best_split() const;
  /// The epoch of a split's model, from 1; nothing for a split that is not trained to its end.
  std::optional<std::int64_t> best_epoch(int split) const;

  /// Logits [n, classes] of a split's model on a dataset whose features are those that the model
  /// was trained on: matched by name where both have names, else by number. Throws Error if they
  /// are others, or if a logit is not finite.
  std::vector<float> logits(int split, const Dataset& dataset) const;
  /// The same for several splits: what models make of the graph is made once.
  std::vector<std::vector<float>> logits(const std::vector<int>& splits,
                                         const Dataset& dataset) const;

  /// Values within a split's network on a dataset, of those names that its model has
  /// (nn::Pass::show). Throws Error as logits() does.
  NetworkParts parts(int split, const Dataset& dataset,
                     const std::vector<std::string>& names) const;

  /// Scores on the test nodes of the same split of a dataset. Classes are matched as features are.
  /// Throws Error, too, if no such node has a label.
  Scores test_scores(int split, const Dataset& dataset) const;
  /// The same for several splits: what models make of the graph is made once.
  std::vector<Scores> test_scores(const std::vector<int>& splits, const Dataset& dataset) const;
  /// The same of logits that are given, such as those of an ensemble.
  std::vector<Scores> test_scores(const std::vector<int>& splits,
                                  const std::vector<std::vector<float>>& logits,
                                  const Dataset& dataset) const;

 private:
  struct Prepared;
  Prepared prepare(const Dataset& dataset) const;
  std::vector<float> logits(int split, const Prepared& prepared, const Dataset& dataset,
                            const std::vector<std::string>& names = {},
                            NetworkParts* parts = nullptr) const;
  void check_split(int split) const;  ///< throws Error if it has no model
  /// Throws Error if it has no model of one, or the dataset no such split.
  void check_splits(const std::vector<int>& splits, const Dataset& dataset) const;
  /// The labels of the dataset as the run numbers its classes.
  std::vector<std::int64_t> labels_of(const Dataset& dataset) const;

  std::filesystem::path folder_;
  std::string model_, dataset_, checksum_, content_;
  Config config_;
  std::uint64_t seed_ = 0;
  FeaturePreparation preparation_;
  std::int64_t num_features_ = 0, num_classes_ = 0;
  std::vector<std::string> feature_names_, label_names_;
  std::vector<int> splits_;
};

/// Features with the columns `names`, taken from those of the dataset by their names. A category
/// (name=value) that the dataset lacks is 0 everywhere, one that is not among the names is left
/// out, as long as both have some value of that name; any other difference is an Error.
DSNN_API Features match_features(const Dataset& dataset, const std::vector<std::string>& names);

}  // namespace dsnn
