#include "dsnn/engine/sparse_matrix.h"

#include "dsnn/util/error.h"

#include "engine/operators/checks.h"
#include "util/index.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace dsnn::engine {
namespace {

constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max();

void check_entries(const std::vector<std::int64_t>& row_offsets,
                   const std::vector<std::int32_t>& cols, std::size_t num_values,
                   std::int64_t num_cols) {
  const Shapes none;
  const Checks checks("SparseMatrix", none);
  const auto num_entries = static_cast<std::int64_t>(cols.size());
  const std::int64_t num_rows = static_cast<std::int64_t>(row_offsets.size()) - 1;
  if (num_cols < 0 || num_cols > kMostRows) {
    checks.fail(fmt::format("num_cols is {}, expected 0 to {}", num_cols, kMostRows));
  }
  if (num_rows < 0 || num_rows > kMostRows) {
    checks.fail(
        fmt::format("row_offsets has {} elements, expected the number of rows (0 to {}) plus one",
                    row_offsets.size(), kMostRows));
  }
  if (row_offsets.front() != 0 || row_offsets.back() != num_entries) {
    checks.fail(
        fmt::format("row_offsets goes from {} to {}, expected 0 to the number of entries, {}",
                    row_offsets.front(), row_offsets.back(), num_entries));
  }
  if (num_values != 0 && num_values != cols.size()) {
    checks.fail(fmt::format("values has {} elements, expected one for each of the {} entries",
                            num_values, num_entries));
  }
  for (std::int64_t r = 0; r < num_rows; ++r) {
    if (row_offsets[at(r)] > row_offsets[at(r + 1)]) {
      checks.fail(fmt::format("row_offsets decreases from {} to {} after row {}",
                              row_offsets[at(r)], row_offsets[at(r + 1)], r));
    }
  }
  // Checks rows first: their ranges must lie within cols.
  for (std::int64_t r = 0; r < num_rows; ++r) {
    for (std::int64_t e = row_offsets[at(r)]; e < row_offsets[at(r + 1)]; ++e) {
      if (cols[at(e)] < 0 || cols[at(e)] >= num_cols) {
        checks.fail(fmt::format("entry {}, in row {}, has column {}, expected 0 to {}", e, r,
                                cols[at(e)], num_cols - 1));
      }
    }
  }
}

}  // namespace

SparseMatrix::SparseMatrix(std::vector<std::int64_t> row_offsets, std::vector<std::int32_t> cols,
                           std::vector<double> values, std::int64_t num_cols) {
  check_entries(row_offsets, cols, values.size(), num_cols);
  // A counting sort by column, which keeps the rows in order. Offsets are stored two places late,
  // so that they are correct after they were advanced while placing entries.
  std::vector<std::int64_t> col_offsets(at(num_cols + 2));
  for (const std::int32_t col : cols) ++col_offsets[at(col) + 2];
  for (std::size_t i = 2; i < col_offsets.size(); ++i) col_offsets[i] += col_offsets[i - 1];
  std::vector<std::int32_t> rows(cols.size());
  std::vector<std::int64_t> positions(cols.size());
  for (std::size_t r = 0; r + 1 < row_offsets.size(); ++r) {
    for (std::int64_t e = row_offsets[r]; e < row_offsets[r + 1]; ++e) {
      const std::size_t place = at(col_offsets[at(cols[at(e)]) + 1]++);
      rows[place] = static_cast<std::int32_t>(r);
      positions[place] = e;
    }
  }
  col_offsets.pop_back();
  data_ =
      std::make_shared<Data>(Data{std::move(row_offsets), std::move(cols), std::move(values),
                                  std::move(col_offsets), std::move(rows), std::move(positions)});
}

SparseMatrix SparseMatrix::from_pairs(std::int64_t num_rows, std::int64_t num_cols,
                                      std::span<const Arc> pairs,
                                      std::vector<std::int64_t>& places) {
  const Shapes none;
  const Checks checks("SparseMatrix", none);
  std::vector<std::int64_t> offsets(at(num_rows + 1));
  for (const Arc pair : pairs) {
    if (pair.source < 0 || pair.source >= num_rows) {
      checks.fail(fmt::format("a pair is in row {}, expected 0 to {}", pair.source, num_rows - 1));
    }
    ++offsets[at(pair.source) + 1];
  }
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  std::vector<std::int64_t> next = offsets;
  std::vector<std::int32_t> cols(pairs.size());
  places.resize(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    places[i] = next[at(pairs[i].source)]++;
    cols[at(places[i])] = pairs[i].target;
  }
  return {std::move(offsets), std::move(cols), {}, num_cols};
}

void SparseMatrix::replace(SparseMatrix&& other) {
  const bool fits = other.num_rows() == num_rows() && other.num_cols() == num_cols() &&
                    other.num_entries() == num_entries() &&
                    other.values().size() == values().size();
  if (!fits) {
    const Shapes none;
    Checks("SparseMatrix", none)
        .fail(fmt::format("replaced by {} x {} with {} entries, expected {} x {} with {}",
                          other.num_rows(), other.num_cols(), other.num_entries(), num_rows(),
                          num_cols(), num_entries()));
  }
  std::swap(*data_, *other.data_);
}

}  // namespace dsnn::engine
