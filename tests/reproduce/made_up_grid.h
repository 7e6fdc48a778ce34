#pragma once

#include "reproduce/grid.h"

#include <optional>
#include <string>
#include <vector>

namespace dsnn::testing {

inline reproduce::Cell made_up_cell(const std::string& model, const std::string& column,
                                    std::vector<double> accuracies = {},
                                    std::optional<MeanAndDeviation> paper = std::nullopt) {
  reproduce::Cell cell;
  cell.model = model;
  cell.column = column;
  cell.paper = paper;
  if (accuracies.empty()) return cell;
  cell.config.emplace();
  cell.scores.emplace();
  cell.scores->num_splits = static_cast<int>(accuracies.size());
  cell.scores->accuracies = std::move(accuracies);
  cell.scores->seeds = {1};
  cell.scores->seed_means = {cell.scores->mean().mean};
  cell.scores->validation = 90;
  cell.scores->seconds = 12.34;
  cell.scores->wall_seconds = 6;
  cell.scores->arithmetic.version = kArithmeticVersion;
  cell.scores->circumstances = {{"1a2b3c4", 2, 4, "Some CPU"}};
  cell.test_per_train = 0.4;
  return cell;
}

/// Two datasets and four models: two networks that can be compared, one that is pending, one that
/// failed.
inline reproduce::Grid made_up_grid() {
  reproduce::Grid grid;
  grid.models = {"diag-dsnn", "diag-nsd", "gcn", "mlp"};
  grid.columns = {"texas", "cora"};
  grid.cells = {made_up_cell("diag-dsnn", "texas", {81, 84, 87}, {{85, 1}}),
                made_up_cell("diag-nsd", "texas", {80, 82, 88}, {{80, 2}}),
                made_up_cell("gcn", "texas", {}, {{55.14, 5.16}}),
                made_up_cell("mlp", "texas", {70, 71, 72}, {{80.81, 4.75}}),
                made_up_cell("diag-dsnn", "cora", {86, 86, 86}, {{87.5, 1}}),
                made_up_cell("diag-nsd", "cora"),
                made_up_cell("gcn", "cora", {80, 80, 83}),
                made_up_cell("mlp", "cora", {}, {{75.69, 2}})};
  grid.at("gcn", "texas").config.emplace();  // pending
  grid.at("mlp", "texas").scores->num_failed = 1;
  // Started by one build and finished by another.
  grid.at("mlp", "texas").scores->circumstances.push_back({"5d6e7f8", 1, 4, "Some CPU"});
  grid.at("mlp", "texas").scores->failure = "the loss is not finite";
  return grid;
}

}  // namespace dsnn::testing
