#pragma once

#include "dsnn/data/csv.h"

#include "data/build_dataset.h"
#include "data/node_index.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {

/// A column of the node file that becomes one or several features.
struct FeatureColumn {
  std::size_t position = 0;  ///< in the file, from 0
  std::string name;
  bool is_categorical = false;
  Categories categories;   ///< its values, if it is categorical
  std::string text;        ///< one of them that is not a number
  bool has_dates = false;  ///< whether some of its numbers were dates
  /// The value for missing entries, if there are any: the mean of the others. The feature
  /// "name=missing" is 1 for them.
  std::optional<float> fill;
};

/// The contents of a CSV node file.
struct NodeTable {
  static constexpr std::int32_t kNoCategory = -1;
  static constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

  NodeIndex index;
  std::vector<std::int64_t> label_codes;  ///< [n], of `classes`, -1: not known; or empty
  Categories classes;
  std::vector<std::vector<std::uint8_t>> split_parts;  ///< for each split [n]: 0 none, 1 train,
                                                       ///< 2 validation, 3 test
  std::vector<FeatureColumn> columns;
  std::vector<float> numbers;            ///< [n, columns that are not categorical]
  std::vector<std::int32_t> categories;  ///< [n, categorical columns]
  bool has_heading = false;
  std::string id_heading;  ///< the heading of the id column, if any
  std::vector<std::string> notes;

  /// Adds a node without any data.
  NodeId add(std::string_view id);
};

NodeTable read_csv_nodes(const CsvOptions& options);

/// The features of the table, with means for missing values and a column for each category; the
/// notes record the filled values.
void set_features(Dataset& dataset, NodeTable& table);

}  // namespace dsnn
