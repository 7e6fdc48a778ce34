#pragma once

#include "dsnn/data/link_split.h"
#include "dsnn/data/npz.h"

#include <array>
#include <cstdint>
#include <vector>

// Link splits in npz files: arrays pos_train, pos_val and pos_test, and optionally neg_train,
// neg_val and neg_test, each [splits, pairs, 2]. Pairs (-1, -1) are padding.
namespace dsnn {

/// None if the file has no such arrays. Throws Error that names file and array.
std::vector<LinkSplit> read_link_splits(const NpzReader& npz, NodeId num_nodes);

/// The same as arrays to write.
class LinkSplitArrays {
 public:
  explicit LinkSplitArrays(const std::vector<LinkSplit>& splits);
  /// Adds the arrays, which must outlive the writer's commit().
  void add_to(NpzWriter& npz) const;

 private:
  std::int64_t num_splits_ = 0;
  std::array<std::vector<std::int64_t>, 6> numbers_;
};

}  // namespace dsnn
