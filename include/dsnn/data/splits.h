#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dsnn {

/// Shares of each class; the rest is the test set.
struct SplitShares {
  double train = 0.48;
  double validation = 0.32;
};

/// `count` random splits, stratified by class: of k nodes of a class, round(train k) are training
/// nodes and round(validation k) validation nodes. Nodes with unknown (negative) labels are in no
/// set. The same seed gives the same splits on every machine.
DSNN_API std::vector<Split> stratified_splits(std::span<const std::int64_t> labels,
                                              std::int64_t num_classes, SplitShares shares,
                                              int count, std::uint64_t seed);

/// The same kind of splits, drawn as by NumPy: split i from default_rng(i), one permutation per
/// class, class by class. For published splits defined this way; halves are rounded to even, as in
/// Python.
DSNN_API std::vector<Split> numpy_stratified_splits(std::span<const std::int64_t> labels,
                                                    std::int64_t num_classes, SplitShares shares,
                                                    int count);

/// Numbers of nodes per class; the rest is the test set.
struct SplitCounts {
  std::int64_t train = 20;
  std::int64_t validation = 30;
};

/// The same with fixed numbers of nodes per class. The nodes of a smaller class go to training
/// first, then to validation.
DSNN_API std::vector<Split> per_class_splits(std::span<const std::int64_t> labels,
                                             std::int64_t num_classes, SplitCounts counts,
                                             int count, std::uint64_t seed);

/// A problem with the splits of a dataset.
struct SplitProblem {
  bool is_error;           ///< scores would be wrong or impossible; else a warning
  bool prevents_training;  ///< an error that makes training impossible
  std::string text;
};

/// Errors: masks of the wrong length, nodes in two parts of a split, no training node with a label
/// (all three prevent training), no test nodes.
/// Warnings: no validation nodes, classes without a training node, nodes without a label.
/// Throws Error unless there is one label per node, below num_classes.
DSNN_API std::vector<SplitProblem> check_splits(const Dataset& dataset);
/// The same for some of the splits.
DSNN_API std::vector<SplitProblem> check_splits(const Dataset& dataset,
                                                std::span<const int> numbers);

}  // namespace dsnn
