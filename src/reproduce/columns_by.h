#pragma once

#include "reproduce/grid.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace dsnn::reproduce {

/// Names of the cells with scores, by key_of(cell): columns, with their models in parentheses if
/// other cells of the column have another key: "texas", "cora (gcn, mlp)".
template <class KeyOf>
auto columns_by(const Grid& grid, const KeyOf& key_of) {
  using Key = std::decay_t<std::invoke_result_t<KeyOf, const Cell&>>;
  std::map<Key, std::vector<std::string>> names;
  for (const std::string& column : grid.columns) {
    std::map<Key, std::vector<std::string>> models;
    for (const std::string& model : grid.models) {
      const Cell& cell = grid.at(model, column);
      if (cell.scores) models[key_of(cell)].push_back(model);
    }
    for (const auto& [key, some] : models) {
      names[key].push_back(
          models.size() == 1 ? column : fmt::format("{} ({})", column, fmt::join(some, ", ")));
    }
  }
  return names;
}

}  // namespace dsnn::reproduce
