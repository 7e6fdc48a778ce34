#pragma once

#include "dsnn/graph/directed_graph.h"

#include "data/build_dataset.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsnn {

/// Nodes by their ids. While the ids are 0, 1, 2, ... in this order, as they often are, nothing is
/// stored.
class NodeIndex {
 public:
  NodeId size() const { return size_; }
  /// The number of a node; nothing if the id is unknown.
  std::optional<NodeId> find(std::string_view id) const;
  /// Adds a new node and returns its number.
  NodeId add(std::string_view id);
  /// The ids by number, or nothing if they equal the numbers.
  std::vector<std::string> ids() &&;
  /// Renumbers nodes in the order of their ids if all ids are integers; returns the new number of
  /// each old one, or nothing if they do not change.
  std::vector<std::int32_t> sort_if_numbers();

 private:
  NodeId size_ = 0;
  bool is_identity_ = true;
  Categories ids_;  // only if not is_identity_
};

}  // namespace dsnn
