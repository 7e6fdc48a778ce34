#pragma once

#include "dsnn/data/dataset.h"
#include "dsnn/export.h"

#include <cstdint>
#include <span>
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

}  // namespace dsnn
