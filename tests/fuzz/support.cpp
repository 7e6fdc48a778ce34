#include "support.h"

#include "dsnn/data/splits.h"

#include "data/utf8.h"
#include "util/index.h"

#include <stdlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace dsnn::fuzz {
namespace {

namespace fs = std::filesystem;

// Larger ones are due to a single large number; writing them takes long and tests nothing new.
constexpr NodeId kMostNodesWritten = 10'000;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

void check_features(const Features& features, NodeId num_nodes) {
  const auto num_values = std::ssize(features.values);
  if (features.empty() && !features.is_sparse()) {
    expect(features.values.empty(), "no features have no values");
    return;
  }
  expect(features.num_rows == num_nodes, "features have a row for each node");
  if (!features.is_sparse()) {
    expect(num_values == features.num_rows * features.num_columns, "dense features are all there");
    return;
  }
  const auto& offsets = features.offsets;
  expect(std::ssize(offsets) == features.num_rows + 1, "sparse features have an offset a row");
  expect(offsets.front() == 0 && offsets.back() == num_values, "offsets span the entries");
  expect(features.columns.size() == features.values.size(), "every entry has a column");
  expect(std::ranges::is_sorted(offsets), "offsets ascend");
  for (std::int64_t row = 0; row < features.num_rows; ++row) {
    for (std::int64_t e = offsets[at(row)]; e < offsets[at(row + 1)]; ++e) {
      const std::int32_t column = features.columns[at(e)];
      expect(column >= 0 && column < features.num_columns, "columns are in range");
      expect(e == offsets[at(row)] || features.columns[at(e - 1)] < column, "columns ascend");
    }
  }
}

void check_names(const std::vector<std::string>& names, std::int64_t count, const char* what) {
  expect(names.empty() || std::ssize(names) == count, what);
}

void check_mask(const std::vector<std::uint8_t>& mask, NodeId num_nodes) {
  expect(std::ssize(mask) == num_nodes, "a mask has an entry for each node");
  expect(std::ranges::all_of(mask, [](std::uint8_t byte) { return byte <= 1; }), "masks are 0, 1");
}

void check_promises(const Dataset& dataset) {
  const NodeId n = dataset.graph.num_nodes();
  for (const Arc& arc : dataset.graph.arcs()) {
    expect(arc.source >= 0 && arc.source < n && arc.target >= 0 && arc.target < n, "arcs in range");
  }
  check_features(dataset.features, n);
  expect(dataset.labels.empty() || std::ssize(dataset.labels) == n, "a label for each node");
  for (const std::int64_t label : dataset.labels) {
    expect(label < dataset.num_classes, "labels are below the number of classes");
  }
  for (const Split& split : dataset.splits) {
    for (const auto* mask : {&split.train, &split.validation, &split.test}) check_mask(*mask, n);
  }
  check_names(dataset.node_ids, n, "an id for each node");
  check_names(dataset.label_names, dataset.num_classes, "a name for each class");
  check_names(dataset.feature_names, dataset.features.num_columns, "a name for each feature");
  check_splits(dataset);
}

// --- the same after writing and reading ---

// Bit by bit, since NaN differs from itself.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  return std::ranges::equal(
      a, b, [](T x, T y) { return std::bit_cast<Bits>(x) == std::bit_cast<Bits>(y); });
}

bool same_arc(const Arc& a, const Arc& b) { return a.source == b.source && a.target == b.target; }

// An archive has code points: bytes that are not UTF-8 are read back as converted.
bool same_names(std::vector<std::string> before, const std::vector<std::string>& after) {
  for (std::string& name : before) {
    std::string text;
    for (std::string_view rest = name; !rest.empty();) append_utf8(text, take_code_point(rest));
    name = text;
  }
  return before == after;
}

bool same_split(const Split& a, const Split& b) {
  return a.train == b.train && a.validation == b.validation && a.test == b.test;
}

void check_round_trip(const Dataset& dataset) {
  const fs::path path = Scratch::instance().path() / "again.npz";
  write_dataset(path, dataset);
  Dataset again;
  try {
    again = read_dataset(path);
  } catch (const Error& error) {
    expect(false, error.what());
  }
  expect(again.graph.num_nodes() == dataset.graph.num_nodes(), "as many nodes again");
  expect(std::ranges::equal(again.graph.arcs(), dataset.graph.arcs(), same_arc), "the same arcs");
  expect(same_bits(again.graph.arc_weights(), dataset.graph.arc_weights()), "the same weights");
  const Features& before = dataset.features;
  const Features& after = again.features;
  expect(after.num_columns == before.num_columns && after.offsets == before.offsets &&
             after.columns == before.columns && same_bits(after.values, before.values),
         "the same features");
  expect(again.labels == dataset.labels, "the same labels");
  expect(dataset.labels.empty() || again.num_classes == dataset.num_classes, "the same classes");
  // Without nodes, the number of splits is not stored.
  expect(dataset.graph.num_nodes() == 0 ||
             std::ranges::equal(again.splits, dataset.splits, same_split),
         "the same splits");
  expect(same_names(dataset.node_ids, again.node_ids), "the same ids");
  expect(same_names(dataset.feature_names, again.feature_names), "the same names of features");
  expect(same_names(dataset.label_names, again.label_names), "the same names of classes");
}

}  // namespace

std::vector<std::string_view> split_parts(std::string_view text, std::size_t count) {
  std::vector<std::string_view> parts(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t length = std::min(text.find('\f'), text.size());
    parts[i] = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  return parts;
}

Scratch& Scratch::instance() {
  static Scratch scratch;
  return scratch;
}

Scratch::Scratch() {
  std::string name = (fs::temp_directory_path() / "dsnn-fuzz-XXXXXX").string();
  expect(::mkdtemp(name.data()) != nullptr, "a folder can be made in TMPDIR");
  // Readers search around dataset folders, so these are nested deeper than all others.
  path_ = fs::path(name) / "a" / "b";
  fs::create_directories(path_);
}

Scratch::~Scratch() {
  std::error_code ignored;
  fs::remove_all(path_.parent_path().parent_path(), ignored);
}

fs::path Scratch::write(const std::string& name, std::string_view bytes) const {
  const fs::path path = path_ / name;
  if (bytes.empty()) {
    fs::remove(path);
    return path;
  }
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  expect(!file.fail(), "an input can be written to TMPDIR");
  return path;
}

void check_dataset(const Dataset& dataset) {
  check_promises(dataset);
  if (dataset.graph.num_nodes() <= kMostNodesWritten) check_round_trip(dataset);
}

}  // namespace dsnn::fuzz
