#include "nn/sparse_rows.h"

#include "dsnn/util/error.h"

#include "util/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dsnn::nn {

/// Each entry takes 12 bytes by rows, 12 by columns and 8 for its value, plus up to 24 while its
/// row is collected.
std::size_t most_sparse_entries() {
  constexpr std::uint64_t kBytes = 56;
  return static_cast<std::size_t>(physical_memory() / kBytes);
}

engine::SparseMatrix scaled(SparseRows rows, Scaling scaling,
                            const std::function<void(std::vector<double>&)>& complete) {
  const std::int64_t n = rows.num_rows();
  if (scaling != Scaling::kNone) {
    std::vector<double> row_sums(static_cast<std::size_t>(n)), col_sums(row_sums);
    const auto for_entries = [&](const auto& work) {
      for (std::size_t u = 0; u + 1 < rows.offsets.size(); ++u) {
        for (auto e = static_cast<std::size_t>(rows.offsets[u]);
             e < static_cast<std::size_t>(rows.offsets[u + 1]); ++e) {
          work(u, static_cast<std::size_t>(rows.cols[e]), rows.values[e]);
        }
      }
    };
    for_entries([&](std::size_t u, std::size_t v, double value) {
      row_sums[u] += value;
      col_sums[v] += value;
    });
    if (complete) {
      complete(row_sums);
      complete(col_sums);
    }
    for_entries([&](std::size_t u, std::size_t v, double& value) {
      value /= scaling == Scaling::kRows ? row_sums[u] : std::sqrt(row_sums[u] * col_sums[v]);
    });
  }
  const bool all_one = std::ranges::all_of(rows.values, [](double value) { return value == 1; });
  if (all_one) rows.values.clear();
  return engine::SparseMatrix(std::move(rows.offsets), std::move(rows.cols), std::move(rows.values),
                              n);
}

SparseRows transposed(const SparseRows& a) {
  SparseRows result;
  const auto n = static_cast<std::size_t>(a.num_rows());
  result.offsets.assign(n + 1, 0);
  for (const std::int32_t col : a.cols) ++result.offsets[static_cast<std::size_t>(col) + 1];
  for (std::size_t i = 0; i < n; ++i) result.offsets[i + 1] += result.offsets[i];
  result.cols.resize(a.cols.size());
  result.values.resize(a.values.size());
  std::vector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::int64_t row = 0; row < a.num_rows(); ++row) {
    a.for_row(row, [&](std::int32_t col, double value) {
      const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(col)]++);
      result.cols[place] = static_cast<std::int32_t>(row);
      result.values[place] = value;
    });
  }
  return result;
}

SparseRows product(const SparseRows& a, const SparseRows& b) {
  const std::size_t most = most_sparse_entries();
  SparseRows result;
  std::vector<double> sums(static_cast<std::size_t>(a.num_rows()));
  std::vector<std::int64_t> seen_by(sums.size(), -1);
  std::vector<std::int32_t> touched;
  for (std::int64_t row = 0; row < a.num_rows(); ++row) {
    touched.clear();
    a.for_row(row, [&](std::int32_t middle, double left) {
      b.for_row(middle, [&](std::int32_t col, double right) {
        const auto place = static_cast<std::size_t>(col);
        if (std::exchange(seen_by[place], row) != row) {
          touched.push_back(col);
          sums[place] = 0;
        }
        sums[place] += left * right;
      });
    });
    if (result.cols.size() + touched.size() > most) {
      throw Error(
          fmt::format("the product of two sparse matrices has more than {} entries, over "
                      "which this model sums: not enough memory",
                      most));
    }
    std::ranges::sort(touched);
    for (const std::int32_t col : touched) result.add(col, sums[static_cast<std::size_t>(col)]);
    result.end_row();
  }
  return result;
}

}  // namespace dsnn::nn
