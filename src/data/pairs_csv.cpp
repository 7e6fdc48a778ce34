#include "dsnn/data/csv.h"

#include "data/build_dataset.h"
#include "data/csv_table.h"
#include "data/edge_columns.h"
#include "util/index.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <unordered_map>

namespace dsnn {
namespace {

/// The nodes of a dataset by their ids, or by their numbers.
class NodesById {
 public:
  explicit NodesById(const Dataset& dataset) : num_nodes_(dataset.graph.num_nodes()) {
    for (std::size_t i = 0; i < dataset.node_ids.size(); ++i) {
      nodes_.emplace(dataset.node_ids[i], static_cast<NodeId>(i));
    }
  }

  std::optional<NodeId> find(std::string_view id) const {
    if (nodes_.empty()) {
      const auto number = parse_plain_integer(id);
      const bool is_node = number && *number >= 0 && *number < num_nodes_;
      return is_node ? std::optional(static_cast<NodeId>(*number)) : std::nullopt;
    }
    const auto found = nodes_.find(id);
    return found == nodes_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  NodeId num_nodes_;
  std::unordered_map<std::string_view, NodeId> nodes_;
};

}  // namespace

std::vector<Arc> read_pairs(const std::filesystem::path& path, const Dataset& dataset) {
  const NodesById nodes(dataset);
  CsvTable::Options options;
  options.has_comments = true;
  options.is_data = [&](const CsvTable::Row& row) {
    return row.size() >= 2 && nodes.find(row[0]) && nodes.find(row[1]);
  };
  CsvTable table(path, options);
  if (table.num_columns() < 2) table.fail("expected columns of sources and targets");
  const auto source = table.find_column(kSourceWords), target = table.find_column(kTargetWords);
  const bool has_words = source && target;
  std::vector<Arc> pairs;
  while (table.next()) {
    const auto node_in = [&](std::size_t column) {
      const std::string_view id = table.fields()[column];
      const auto node = nodes.find(id);
      if (!node) table.fail(fmt::format("'{}' is not a node of {}", id, dataset.name));
      return *node;
    };
    const NodeId u = node_in(has_words ? *source : 0);
    pairs.push_back({u, node_in(has_words ? *target : 1)});
  }
  return pairs;
}

}  // namespace dsnn
