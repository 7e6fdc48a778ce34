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
  /// The number of a node; nothing if there is none with this id.
  std::optional<NodeId> find(std::string_view id) const;
  /// Adds a node that is not there yet and returns its number.
  NodeId add(std::string_view id);
  /// The ids by number, or nothing if they are the numbers.
  std::vector<std::string> ids() &&;
  /// Renumbers by the ids if all are whole numbers; returns the new number of each old one, or
  /// nothing if they stay.
  std::vector<std::int32_t> sort_if_numbers();

 private:
  NodeId size_ = 0;
  bool is_identity_ = true;
  Categories ids_;  // only if not is_identity_
};

}  // namespace dsnn
