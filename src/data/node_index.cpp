#include "data/node_index.h"

#include "dsnn/util/error.h"

#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dsnn {

std::optional<NodeId> NodeIndex::find(std::string_view id) const {
  if (!is_identity_) return ids_.find(id);
  const std::optional<std::int64_t> number = parse_plain_integer(id);
  if (!number || *number < 0 || *number >= size_) return std::nullopt;
  return static_cast<NodeId>(*number);
}

NodeId NodeIndex::add(std::string_view id) {
  if (size_ == kMaxNodes)
    throw Error(fmt::format("too many nodes, expected at most {}", kMaxNodes));
  if (is_identity_ && parse_plain_integer(id) != size_) {
    is_identity_ = false;
    for (NodeId node = 0; node < size_; ++node) ids_.code(fmt::format_int(node).str());
  }
  if (!is_identity_) ids_.code(id);
  return size_++;
}

std::vector<std::string> NodeIndex::ids() && {
  return is_identity_ ? std::vector<std::string>{} : std::move(ids_).names();
}

std::vector<std::int32_t> NodeIndex::sort_if_numbers() {
  if (is_identity_ || !ids_.are_whole_numbers()) return {};
  std::vector<std::int32_t> new_number = ids_.sort();
  is_identity_ = ids_.are_numbers();
  return new_number;
}

}  // namespace dsnn
