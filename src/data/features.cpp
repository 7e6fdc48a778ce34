#include "dsnn/data/features.h"

#include "util/index.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dsnn {

Features Features::dense(std::int64_t num_rows, std::int64_t num_columns,
                         std::vector<float> values) {
  Features features;
  features.num_rows = num_rows;
  features.num_columns = num_columns;
  features.values = std::move(values);
  return features;
}

std::int64_t Features::num_nonzeros() const {
  return std::ranges::count_if(values, [](float value) { return value != 0; });
}

double Features::density() const {
  const double size = static_cast<double>(num_rows) * static_cast<double>(num_columns);
  return size == 0 ? std::numeric_limits<double>::quiet_NaN()
                   : static_cast<double>(num_nonzeros()) / size;
}

Features Features::to_dense() const {
  if (!is_sparse()) return *this;
  std::vector<float> result(at(num_rows * num_columns), 0);
  for (std::int64_t row = 0; row < num_rows; ++row) {
    for (std::int64_t e = offsets[at(row)]; e < offsets[at(row + 1)]; ++e) {
      result[at(row * num_columns + columns[at(e)])] = values[at(e)];
    }
  }
  return dense(num_rows, num_columns, std::move(result));
}

Features Features::to_sparse() const {
  const auto count = at(num_nonzeros());
  if (is_sparse() && count == values.size()) return *this;
  Features result;
  result.num_rows = num_rows;
  result.num_columns = num_columns;
  result.values.reserve(count);
  result.columns.reserve(count);
  result.offsets.reserve(at(num_rows + 1));
  result.offsets.push_back(0);
  for (std::int64_t row = 0; row < num_rows; ++row) {
    const std::int64_t begin = is_sparse() ? offsets[at(row)] : row * num_columns;
    const std::int64_t end = is_sparse() ? offsets[at(row + 1)] : begin + num_columns;
    for (std::int64_t e = begin; e < end; ++e) {
      if (values[at(e)] == 0) continue;
      result.values.push_back(values[at(e)]);
      result.columns.push_back(is_sparse() ? columns[at(e)] : static_cast<std::int32_t>(e - begin));
    }
    result.offsets.push_back(static_cast<std::int64_t>(result.values.size()));
  }
  return result;
}

float smallest_value(const Features& features) {
  if (features.values.empty()) return 0;
  const float smallest = *std::ranges::min_element(features.values);
  return features.is_sparse() ? std::min(smallest, 0.0f) : smallest;
}

Features normalise_rows(const Features& features) {
  return normalise_rows(features, smallest_value(features));
}

Features normalise_rows(const Features& features, float smallest) {
  // What is not there is 0; if that is no longer the smallest, all entries are there.
  const bool stays_sparse = features.is_sparse() && smallest == 0;
  Features result = stays_sparse ? features : features.to_dense();
  for (std::int64_t row = 0; row < result.num_rows; ++row) {
    const std::size_t begin = at(stays_sparse ? result.offsets[at(row)] : row * result.num_columns);
    const std::size_t end =
        at(stays_sparse ? result.offsets[at(row + 1)] : (row + 1) * result.num_columns);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += result.values[i] -= smallest;
    for (std::size_t i = begin; i < end; ++i) {
      result.values[i] = static_cast<float>(result.values[i] / std::max(sum, 1.0));
    }
  }
  return result;
}

}  // namespace dsnn
