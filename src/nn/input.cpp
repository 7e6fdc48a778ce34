#include "dsnn/nn/input.h"

#include "dsnn/data/features.h"
#include "dsnn/parts/halo.h"
#include "dsnn/util/error.h"

#include "data/check_dataset.h"
#include "data/feature_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace dsnn::nn {
namespace {

// Below this density the sparse form is faster than the dense one.
constexpr double kSparseDensity = 0.2;

engine::SparseMatrix make_sparse(const Features& features) {
  const bool all_one = std::ranges::all_of(features.values, [](float value) { return value == 1; });
  return engine::SparseMatrix(
      features.offsets, features.columns,
      all_one ? std::vector<double>()
              : std::vector<double>(features.values.begin(), features.values.end()),
      features.num_columns);
}

/// Of the whole graph, so that all parts choose the same form.
double density(const Features& features, const Halo* halo) {
  if (halo == nullptr) return features.density();
  std::int64_t nonzeros = 0;
  for_entries(features, [&](std::int64_t row, std::int64_t, float value) {
    if (value != 0 && halo->owns(row)) ++nonzeros;
  });
  return static_cast<double>(halo->ranks().sum(nonzeros)) /
         (static_cast<double>(halo->nodes().num_all) * static_cast<double>(features.num_columns));
}

}  // namespace

struct Input::Data {
  std::optional<engine::SparseMatrix> sparse;
  std::shared_ptr<const engine::Constant> dense;
  std::recursive_mutex mutex;  // a cached value may be computed from another cached value
  std::map<std::string, std::shared_ptr<const void>> memos;
  std::map<std::string, std::weak_ptr<const void>> shared_memos;
};

Input::Input(engine::Graph graph, const Features& features, std::shared_ptr<const Halo> halo)
    : graph_(std::move(graph)),
      num_features_(features.num_columns),
      halo_(std::move(halo)),
      data_(std::make_shared<Data>()) {
  if (features.num_rows != num_nodes() || features.num_columns == 0) {
    throw Error(fmt::format("features: shape [{}, {}], expected features for each of {} nodes",
                            features.num_rows, features.num_columns, num_nodes()));
  }
  check_features(features);
  if (density(features, halo_.get()) < kSparseDensity) {
    data_->sparse = make_sparse(features.to_sparse());
  } else {
    data_->dense = std::make_shared<const engine::Constant>(
        features.is_sparse() ? features.to_dense().values : features.values);
  }
}

Input::~Input() = default;
Input::Input(const Input&) = default;

void Input::complete(std::vector<double>& of_nodes) const {
  if (halo_) halo_->complete(of_nodes);
}

const std::optional<engine::SparseMatrix>& Input::sparse_features() const { return data_->sparse; }
const std::shared_ptr<const engine::Constant>& Input::dense_features() const {
  return data_->dense;
}

std::shared_ptr<const void> Input::kept(const std::string& name,
                                        const std::function<std::shared_ptr<const void>()>& make,
                                        bool stays) const {
  const std::lock_guard lock(data_->mutex);
  if (stays) {
    std::shared_ptr<const void>& memo = data_->memos[name];
    if (!memo) memo = make();
    return memo;
  }
  std::weak_ptr<const void>& known = data_->shared_memos[name];
  std::shared_ptr<const void> held = known.lock();
  if (!held) known = held = make();
  return held;
}

}  // namespace dsnn::nn
