#include "dsnn/data/folders.h"
#include "dsnn/data/npz.h"
#include "dsnn/util/error.h"

#include "data/build_dataset.h"
#include "data/csv_records.h"
#include "data/dataset_files.h"
#include "data/text_reader.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dsnn {
namespace {

constexpr const char* kNodeFile = "out1_node_feature_label.txt";
constexpr const char* kEdgeFile = "out1_graph_edges.txt";
// Columns are read as floats, like any other number there; these hold whole numbers up to here.
constexpr float kMaxColumn = 1 << 24;

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Takes the text before the next tab off the front of a line.
std::string_view take_field(std::string_view& line) {
  const std::size_t length = std::min(line.find('\t'), line.size());
  const std::string_view field = line.substr(0, length);
  line.remove_prefix(std::min(length + 1, line.size()));
  return field;
}

std::int64_t parse_integer(const TextReader& reader, std::string_view text, std::int64_t most,
                           std::string_view what) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end && value >= 0 && value <= most) return value;
  reader.fail(fmt::format("'{}' is not a {}, expected an integer from 0 to {}", printable(text),
                          what, most));
}

// Whether a row has all its numbers or the columns that are 1 shows only when all rows are read, so
// they are kept as they stand.
struct NodeRows {
  std::vector<std::int64_t> ids, labels;
  std::vector<std::int64_t> offsets = {0};
  std::vector<float> numbers;
  bool is_rectangular = true;    // all rows are of the same length
  bool has_large_whole = false;  // a number above 1, and only whole numbers
  bool has_fraction = false;
};

void parse_features(const TextReader& reader, std::string_view text, NodeRows& rows) {
  while (!text.empty()) {
    const std::size_t length = std::min(text.find(','), text.size());
    const std::optional<double> number = parse_number(text.substr(0, length));
    if (!number || !std::isfinite(*number)) {
      reader.fail(fmt::format("'{}' is not a feature value, expected a number",
                              printable(text.substr(0, length))));
    }
    grow_for_file(rows.numbers, reader);
    rows.numbers.push_back(static_cast<float>(*number));
    const bool is_whole = *number == std::floor(*number);
    rows.has_fraction = rows.has_fraction || !is_whole || *number < 0;
    rows.has_large_whole = rows.has_large_whole || *number > 1;
    text.remove_prefix(std::min(length + 1, text.size()));
  }
  const auto end = std::ssize(rows.numbers);
  if (rows.offsets.size() > 1 && end - rows.offsets.back() != rows.offsets[1]) {
    rows.is_rectangular = false;
  }
  rows.offsets.push_back(end);
}

NodeRows read_nodes(const fs::path& path) {
  TextReader reader(path, "lines of 'node feature,feature,... label' separated by tabs");
  NodeRows rows;
  std::string_view line;
  reader.next_line(line);  // the heading
  while (reader.next_line(line)) {
    if (line.empty()) continue;
    if (std::ranges::count(line, '\t') != 2) {
      reader.fail("expected node, features and label, separated by tabs");
    }
    rows.ids.push_back(parse_integer(reader, take_field(line), kMaxNodes - 1, "node"));
    parse_features(reader, take_field(line), rows);
    // How many nodes there are, and so how many classes there may be, shows only at the end.
    const std::int64_t most = max_classes(kMaxNodes) - 1;
    rows.labels.push_back(parse_integer(reader, take_field(line), most, "label"));
  }
  return rows;
}

// Row of the file that each node stands in; the nodes are 0 .. n-1 in any order.
std::vector<std::size_t> rows_by_node(const fs::path& path, const std::vector<std::int64_t>& ids) {
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> row_of(ids.size(), kNone);
  for (std::size_t row = 0; row < ids.size(); ++row) {
    if (ids[row] >= std::ssize(ids)) {
      fail(path, fmt::format("has node {}, but only {} nodes in total", ids[row], ids.size()));
    }
    if (row_of[at(ids[row])] != kNone) fail(path, fmt::format("has node {} twice", ids[row]));
    row_of[at(ids[row])] = row;
  }
  return row_of;
}

Features make_features(const fs::path& path, const NodeRows& rows,
                       const std::vector<std::size_t>& row_of) {
  const bool are_columns = !rows.has_fraction && (!rows.is_rectangular || rows.has_large_whole);
  if (!are_columns && !rows.is_rectangular) {
    fail(path,
         "has rows of different lengths; expected either all values of each row or, as integers, "
         "the "
         "indices of the columns that are 1");
  }
  Features features;
  features.num_rows = std::ssize(row_of);
  features.offsets.push_back(0);
  const auto count =
      at(are_columns ? std::ssize(rows.numbers)
                     : std::ssize(rows.numbers) - std::ranges::count(rows.numbers, 0.0f));
  features.columns.reserve(count);
  features.values.reserve(count);
  for (const std::size_t row : row_of) {
    const std::int64_t begin = rows.offsets[row], end = rows.offsets[row + 1];
    for (std::int64_t e = begin; e < end; ++e) {
      const float number = rows.numbers[at(e)];
      if (!are_columns && number == 0) continue;
      if (are_columns && number >= kMaxColumn) {
        fail(path, fmt::format("has feature {}, expected at most {}", number, kMaxColumn - 1));
      }
      const std::int64_t column = are_columns ? static_cast<std::int64_t>(number) : e - begin;
      features.columns.push_back(static_cast<std::int32_t>(column));
      features.values.push_back(are_columns ? 1.0f : number);
      features.num_columns = std::max(features.num_columns, column + 1);
    }
    features.offsets.push_back(std::ssize(features.values));
  }
  if (!are_columns && row_of.size() > 0) features.num_columns = rows.offsets[1];
  if (features.num_columns == 0) return {};
  sort_rows(features);
  if (are_columns) std::ranges::fill(features.values, 1.0f);  // named twice is still 1
  return features;
}

ArcList read_edges(const fs::path& path, std::int64_t num_nodes) {
  TextReader reader(path, "lines of 'node node' separated by a tab");
  ArcList list;
  std::string_view line;
  reader.next_line(line);  // the heading
  while (reader.next_line(line)) {
    if (line.empty()) continue;
    if (std::ranges::count(line, '\t') != 1) reader.fail("expected two nodes separated by a tab");
    const auto node = [&] {
      return static_cast<NodeId>(parse_integer(reader, take_field(line), num_nodes - 1, "node"));
    };
    const NodeId source = node();
    grow_for_file(list.arcs, reader);
    list.arcs.push_back({source, node()});
  }
  return list;
}

// --- splits ---

// "texas" for new_data/texas and for texas/raw.
std::string dataset_name(const fs::path& folder) {
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.filename() == "raw") path = path.parent_path();
  return path.filename().string();
}

// The last number in a name: 7 for texas_split_0.6_0.2_7.
std::int64_t last_number(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t begin = stem.find_last_not_of("0123456789") + 1;
  std::int64_t number = -1;
  std::from_chars(stem.data() + begin, stem.data() + stem.size(), number);
  return number;
}

std::vector<fs::path> list_splits(const fs::path& folder, std::string_view prefix) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.find("_split_") != std::string::npos &&
        name.ends_with(".npz")) {
      found.push_back(entry.path());
    }
  }
  std::ranges::sort(found, {},
                    [](const fs::path& path) { return std::pair(last_number(path), path); });
  return found;
}

std::vector<fs::path> find_splits(const fs::path& folder) {
  std::vector<fs::path> found = list_splits(folder, "");
  const std::string prefix = dataset_name(folder) + "_split_";
  for (const char* place : {"splits", "../splits", "../../splits"}) {
    if (found.empty()) found = list_splits(folder / place, prefix);
  }
  return found;
}

Split read_split(const fs::path& path, std::int64_t num_nodes) {
  const NpzReader npz(path);
  const auto read = [&](const char* name) {
    Array<std::uint8_t> mask = npz.read<std::uint8_t>(name);
    if (mask.shape != std::vector<std::int64_t>{num_nodes}) {
      fail(path, fmt::format("array '{}' has {} elements, but the graph has {} nodes", name,
                             mask.data.size(), num_nodes));
    }
    return std::move(mask.data);
  };
  return {read("train_mask"), read("val_mask"), read("test_mask")};
}

}  // namespace

bool is_geom_gcn_folder(const fs::path& folder) {
  return is_file(folder / kNodeFile) && is_file(folder / kEdgeFile);
}

std::vector<fs::path> geom_gcn_files(const fs::path& folder) {
  std::vector<fs::path> files = find_splits(folder);
  files.push_back(folder / kNodeFile);
  files.push_back(folder / kEdgeFile);
  return files;
}

Dataset read_geom_gcn(const fs::path& folder) {
  const fs::path node_path = folder / kNodeFile;
  const NodeRows rows = read_nodes(node_path);
  const std::vector<std::size_t> row_of = rows_by_node(node_path, rows.ids);
  const auto num_nodes = static_cast<NodeId>(row_of.size());
  Dataset dataset = make_dataset(folder, read_edges(folder / kEdgeFile, num_nodes), num_nodes);
  dataset.name = dataset_name(folder);
  dataset.features = make_features(node_path, rows, row_of);
  for (const std::size_t row : row_of) {
    const std::int64_t label = rows.labels[row];
    if (label >= max_classes(num_nodes)) {
      fail(node_path, fmt::format("node {} has label {}, expected at most {} for {} nodes",
                                  rows.ids[row], label, max_classes(num_nodes) - 1, num_nodes));
    }
    dataset.labels.push_back(label);
    dataset.num_classes = std::max(dataset.num_classes, label + 1);
  }
  for (const fs::path& path : find_splits(folder)) {
    dataset.splits.push_back(read_split(path, num_nodes));
  }
  return dataset;
}

}  // namespace dsnn
