#include "data/check_dataset.h"

#include "dsnn/util/error.h"

#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>

namespace dsnn {

void check_labels(const Dataset& dataset) {
  const std::vector<std::int64_t>& labels = dataset.labels;
  if (dataset.num_classes < 0) {
    throw Error(fmt::format("labels: {} classes, expected 0 or more", dataset.num_classes));
  }
  if (!labels.empty() && labels.size() != at(dataset.graph.num_nodes())) {
    throw Error(fmt::format("labels: {} labels for {} nodes, expected one per node", labels.size(),
                            dataset.graph.num_nodes()));
  }
  for (std::size_t u = 0; u < labels.size(); ++u) {
    if (labels[u] < dataset.num_classes) continue;
    throw Error(fmt::format("labels: node {} has label {}, expected less than {}", u, labels[u],
                            dataset.num_classes));
  }
}

void check_features(const Features& features) {
  const auto& [rows, columns, values, offsets, entries] = features;
  const bool has_shape = rows >= 0 && columns >= 0;
  const bool is_dense =
      has_shape && offsets.empty() && entries.empty() && std::ssize(values) == rows * columns;
  const bool is_sparse =
      has_shape && std::ssize(offsets) == rows + 1 && offsets.front() == 0 &&
      std::ranges::is_sorted(offsets) && offsets.back() == std::ssize(values) &&
      entries.size() == values.size() &&
      std::ranges::all_of(entries, [&](std::int32_t c) { return c >= 0 && c < columns; });
  if (is_dense || is_sparse) return;
  throw Error(fmt::format(
      "features: {} values, {} row offsets and {} column indices do not form a [{}, {}] matrix",
      values.size(), offsets.size(), entries.size(), rows, columns));
}

}  // namespace dsnn
