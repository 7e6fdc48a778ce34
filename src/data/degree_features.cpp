#include "dsnn/data/degree_features.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace dsnn {
namespace {

// 0 for degree 0, then one for each power of two.
std::int32_t bucket_of(NodeId degree) {
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint32_t>(degree)));
}

std::string bucket_name(const char* kind, std::int32_t bucket) {
  const std::int64_t least = bucket == 0 ? 0 : std::int64_t{1} << (bucket - 1);
  const std::int64_t most = bucket == 0 ? 0 : 2 * least - 1;
  return least == most ? fmt::format("{}={}", kind, least)
                       : fmt::format("{}={}-{}", kind, least, most);
}

Features degrees(const DirectedGraph& graph) {
  Features features = Features::dense(graph.num_nodes(), 2, {});
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    features.values.push_back(static_cast<float>(graph.out_degree(u)));
    features.values.push_back(static_cast<float>(graph.in_degree(u)));
  }
  return features;
}

Features buckets(const DirectedGraph& graph, std::vector<std::string>& names) {
  std::array<std::int32_t, 2> widths = {0, 0};  // buckets of out-degrees, of in-degrees
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    widths[0] = std::max(widths[0], bucket_of(graph.out_degree(u)) + 1);
    widths[1] = std::max(widths[1], bucket_of(graph.in_degree(u)) + 1);
  }
  Features features;
  features.num_rows = graph.num_nodes();
  features.num_columns = widths[0] + widths[1];
  features.offsets.push_back(0);
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    features.columns.push_back(bucket_of(graph.out_degree(u)));
    features.columns.push_back(widths[0] + bucket_of(graph.in_degree(u)));
    features.offsets.push_back(2 * (std::int64_t{u} + 1));
  }
  features.values.assign(features.columns.size(), 1.0f);
  for (std::int32_t b = 0; b < widths[0]; ++b) names.push_back(bucket_name("out-degree", b));
  for (std::int32_t b = 0; b < widths[1]; ++b) names.push_back(bucket_name("in-degree", b));
  return features;
}

}  // namespace

void set_degree_features(Dataset& dataset, DegreeFeatures kind) {
  const std::string before = dataset.features.empty() ? ""
                                                      : fmt::format(", replacing {} features",
                                                                    dataset.features.num_columns);
  dataset.feature_names.clear();
  if (kind == DegreeFeatures::kDegrees) {
    dataset.features = degrees(dataset.graph);
    dataset.feature_names = {"out-degree", "in-degree"};
    dataset.notes.push_back(
        fmt::format("the features are the out-degree and in-degree of each node{}", before));
  } else {
    dataset.features = buckets(dataset.graph, dataset.feature_names);
    dataset.notes.push_back(
        fmt::format("the features are one-hot buckets of out-degree and in-degree, {} columns{}",
                    dataset.features.num_columns, before));
  }
}

bool has_degree_features(const Dataset& dataset) {
  return std::ranges::any_of(dataset.feature_names, [](const std::string& name) {
    return name.starts_with("out-degree") || name.starts_with("in-degree");
  });
}

}  // namespace dsnn
