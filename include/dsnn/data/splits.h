#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dsnn {

/// Shares of each class; what is left goes to the test set.
struct SplitShares {
  double train = 0.48;
  double validation = 0.32;
};

/// `count` random splits, drawn for each class on its own: of k nodes, round(train k) train and
/// round(validation k) validate. Nodes whose label is not known (negative) are in none. The same
/// seed gives the same splits on every machine.
DSNN_API std::vector<Split> stratified_splits(std::span<const std::int64_t> labels,
                                              std::int64_t num_classes, SplitShares shares,
                                              int count, std::uint64_t seed);

/// The same kind of splits, drawn as NumPy draws them: split i from default_rng(i), the classes one
/// after the other, a permutation of each. For splits that are known by this recipe; halves are
/// rounded to even, as Python does.
DSNN_API std::vector<Split> numpy_stratified_splits(std::span<const std::int64_t> labels,
                                                    std::int64_t num_classes, SplitShares shares,
                                                    int count);

/// So many nodes of each class; what is left goes to the test set.
struct SplitCounts {
  std::int64_t train = 20;
  std::int64_t validation = 30;
};

/// The same with so many nodes of each class. A smaller class gives its nodes to training first,
/// then to validation.
DSNN_API std::vector<Split> per_class_splits(std::span<const std::int64_t> labels,
                                             std::int64_t num_classes, SplitCounts counts,
                                             int count, std::uint64_t seed);

/// What is wrong with the splits of a dataset, in a sentence that says how many nodes.
struct SplitProblem {
  bool is_error;           ///< scores would be wrong or impossible; otherwise worth knowing
  bool prevents_training;  ///< an error that leaves nothing to learn from, or no telling of what
  std::string text;
};

/// Errors: masks of the wrong length, nodes in two parts of a split, no training node with a label
/// (all three prevent training), no test nodes.
/// Worth knowing: no validation nodes, classes without a training node, nodes without a label.
/// Throws Error if the labels are not one a node, or not below num_classes.
DSNN_API std::vector<SplitProblem> check_splits(const Dataset& dataset);
/// The same for some of its splits.
DSNN_API std::vector<SplitProblem> check_splits(const Dataset& dataset,
                                                std::span<const int> numbers);

}  // namespace dsnn
