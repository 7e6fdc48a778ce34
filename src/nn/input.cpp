#include "nn/input.h"

#include "dsnn/data/features.h"
#include "dsnn/util/error.h"

#include "data/check_dataset.h"

#include <ATen/Functions.h>

#include <fmt/format.h>

#include <utility>

namespace dsnn::nn {
namespace {

// Below this density reading the entries that are there costs less than reading all.
constexpr double kSparseDensity = 0.2;

ops::SparseMatrix make_sparse(const Features& features) {
  const bool all_one = std::ranges::all_of(features.values, [](float value) { return value == 1; });
  return ops::SparseMatrix(
      features.offsets, features.columns,
      all_one ? std::vector<double>()
              : std::vector<double>(features.values.begin(), features.values.end()),
      features.num_columns);
}

}  // namespace

Input::Input(ops::Graph graph, const Features& features, bool double_precision)
    : graph_(std::move(graph)) {
  const std::int64_t n = graph_.directed().num_nodes();
  if (features.num_rows != n || features.num_columns == 0) {
    throw Error(fmt::format("features: [{}, {}] of them, expected some for each of {} nodes",
                            features.num_rows, features.num_columns, n));
  }
  check_features(features);
  auto data = std::make_shared<Data>();
  if (features.density() < kSparseDensity) {
    data->sparse = make_sparse(features.to_sparse());
  } else {
    const Features dense = features.to_dense();
    data->dense = at::empty({n, dense.num_columns}, at::kFloat);
    std::copy(dense.values.begin(), dense.values.end(), data->dense.data_ptr<float>());
    if (double_precision) data->dense = data->dense.to(at::kDouble);
  }
  data_ = std::move(data);
}

Input::~Input() = default;
Input::Input(const Input&) = default;

std::int64_t Input::num_nodes() const { return graph_.directed().num_nodes(); }

std::int64_t Input::num_features() const {
  return data_->sparse ? data_->sparse->num_cols() : data_->dense.size(1);
}

}  // namespace dsnn::nn
