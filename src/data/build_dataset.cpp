#include "data/build_dataset.h"

#include "dsnn/util/error.h"

#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <new>
#include <numeric>

namespace dsnn {

std::optional<std::int64_t> parse_plain_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || fmt::format_int(value).size() != text.size()) {
    return std::nullopt;
  }
  return value;
}

void fail(const std::filesystem::path& path, std::string_view what) {
  throw Error(fmt::format("{}: {}", path.string(), what));
}

void fail_without_nodes(const std::filesystem::path& path) {
  fail(path, "contains no arcs and does not give the number of nodes (use --num-nodes)");
}

void fail_folder(const std::filesystem::path& folder) {
  fail(folder,
       "is a directory that contains neither out1_graph_edges.txt and out1_node_feature_label.txt "
       "(Geom-GCN) nor raw/edge.csv.gz (OGB)");
}

NodeId plausible_num_nodes(const std::filesystem::path& path, std::int64_t num_nodes,
                           std::size_t num_arcs) {
#ifdef DSNN_BUILD_FUZZERS
  constexpr std::int64_t kAlwaysPlausible = std::int64_t{1}
                                            << 16;  // to try more inputs in a second
#else
  constexpr std::int64_t kAlwaysPlausible = std::int64_t{1} << 24;
#endif
  constexpr std::int64_t kNodesPerArc = 1000;
  if (num_nodes > kAlwaysPlausible &&
      num_nodes / kNodesPerArc > static_cast<std::int64_t>(num_arcs)) {
    fail(path,
         fmt::format("has node {} but only {} arc(s); if {} nodes are intended, use --num-nodes",
                     num_nodes - 1, num_arcs, num_nodes));
  }
  return static_cast<NodeId>(num_nodes);
}

std::int64_t max_classes(std::int64_t num_nodes) {
  constexpr std::int64_t kAlwaysPlausible = 1'000'000;
  return std::max(kAlwaysPlausible, num_nodes);
}

Dataset make_dataset(const std::filesystem::path& path, const ArcList& list, NodeId num_nodes) {
  Dataset dataset;
  dataset.name = path.stem().string();
  try {
    dataset.graph = DirectedGraph::from_arcs(num_nodes, list.arcs, list.weights);
  } catch (const std::bad_alloc&) {
    fail(path, fmt::format("not enough memory for a graph of {} nodes and {} arcs", num_nodes,
                           list.arcs.size()));
  }
  return dataset;
}

std::int32_t Categories::code(std::string_view text) {
  const auto found = codes_.find(text);
  if (found != codes_.end()) return found->second;
  const auto code = static_cast<std::int32_t>(names_.size());
  codes_.emplace(text, code);
  names_.emplace_back(text);
  return code;
}

std::optional<std::int32_t> Categories::find(std::string_view text) const {
  const auto found = codes_.find(text);
  return found == codes_.end() ? std::nullopt : std::optional(found->second);
}

bool Categories::are_whole_numbers() const {
  return std::ranges::all_of(
      names_, [](const std::string& name) { return parse_plain_integer(name).has_value(); });
}

std::vector<std::int32_t> Categories::sort() {
  const bool all_numbers = are_whole_numbers();
  std::vector<std::int64_t> numbers;
  for (const std::string& name : names_) {
    numbers.push_back(all_numbers ? *parse_plain_integer(name) : 0);
  }
  std::vector<std::int32_t> order(names_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::int32_t a, std::int32_t b) {
    return all_numbers ? numbers[at(a)] < numbers[at(b)] : names_[at(a)] < names_[at(b)];
  });
  std::vector<std::int32_t> new_code(names_.size());
  std::vector<std::string> sorted;
  for (const std::int32_t old : order) {
    new_code[at(old)] = static_cast<std::int32_t>(sorted.size());
    codes_[names_[at(old)]] = new_code[at(old)];
    sorted.push_back(names_[at(old)]);
  }
  names_ = std::move(sorted);
  return new_code;
}

bool Categories::are_numbers() const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] != fmt::format_int(i).c_str()) return false;
  }
  return true;
}

void set_labels(Dataset& dataset, std::vector<std::int64_t> codes, Categories& classes) {
  const std::vector<std::int32_t> new_code = classes.sort();
  for (std::int64_t& code : codes) {
    if (code >= 0) code = new_code[at(code)];
  }
  dataset.labels = std::move(codes);
  dataset.num_classes = static_cast<std::int64_t>(classes.size());
  if (!classes.are_numbers()) dataset.label_names = classes.names();
}

void sort_rows(Features& features) {
  struct Entry {
    std::int32_t column;
    float value;
  };
  std::vector<Entry> row;
  std::size_t kept = 0;
  for (std::int64_t r = 0; r < features.num_rows; ++r) {
    const std::size_t begin = at(features.offsets[at(r)]), end = at(features.offsets[at(r + 1)]);
    row.clear();
    for (std::size_t e = begin; e < end; ++e) {
      row.push_back({features.columns[e], features.values[e]});
    }
    std::ranges::stable_sort(row, {}, &Entry::column);
    features.offsets[at(r)] = static_cast<std::int64_t>(kept);
    const std::size_t first = kept;
    for (const Entry& entry : row) {
      if (kept > first && features.columns[kept - 1] == entry.column) {
        features.values[kept - 1] += entry.value;
        continue;
      }
      features.columns[kept] = entry.column;
      features.values[kept] = entry.value;
      ++kept;
    }
  }
  features.offsets[at(features.num_rows)] = static_cast<std::int64_t>(kept);
  features.columns.resize(kept);
  features.values.resize(kept);
}

void note_features(Dataset& dataset) {
  const auto is_bad = [](float value) { return !std::isfinite(value); };
  const std::int64_t count = std::ranges::count_if(dataset.features.values, is_bad);
  if (count == 0) return;
  dataset.notes.push_back(
      fmt::format("{} feature value{} not finite", count, count == 1 ? " is" : "s are"));
}

}  // namespace dsnn
