#pragma once

#include "dsnn/data/features.h"

#include "util/index.h"

#include <cstdint>
#include <string_view>

namespace dsnn {

/// A value that is missing in column X of a table sets the feature "X=missing" to 1.
inline constexpr std::string_view kMissingSuffix = "=missing";

/// Calls visit(column, value) for the stored entries of a row; entries not stored are 0.
template <class Visit>
void for_row(const Features& features, std::int64_t row, const Visit& visit) {
  if (features.empty()) return;
  if (features.is_sparse()) {
    for (std::int64_t e = features.offsets[at(row)]; e < features.offsets[at(row + 1)]; ++e) {
      visit(std::int64_t{features.columns[at(e)]}, features.values[at(e)]);
    }
    return;
  }
  const std::int64_t begin = row * features.num_columns;
  for (std::int64_t c = 0; c < features.num_columns; ++c) visit(c, features.values[at(begin + c)]);
}

/// Calls visit(row, column, value) for all stored entries.
template <class Visit>
void for_entries(const Features& features, const Visit& visit) {
  for (std::int64_t row = 0; row < features.num_rows; ++row) {
    for_row(features, row, [&](std::int64_t column, float value) { visit(row, column, value); });
  }
}

}  // namespace dsnn
