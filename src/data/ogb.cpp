#include "dsnn/data/folders.h"
#include "dsnn/util/error.h"

#include "data/build_dataset.h"
#include "data/csv_records.h"
#include "data/dataset_files.h"
#include "data/inflation.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace dsnn {
namespace {

namespace fs = std::filesystem;

// NAME.csv.gz, or NAME.csv if it was unpacked; an empty path if neither exists.
fs::path find_table(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const char* suffix : {".csv.gz", ".csv"}) {
    fs::path path = folder / (name + suffix);
    if (fs::is_regular_file(path, ignored)) return path;
  }
  return {};
}

// The same for the first file whose name begins like this.
fs::path find_table_like(const fs::path& folder, std::string_view start) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(start) && (name.ends_with(".csv.gz") || name.ends_with(".csv"))) {
      found.push_back(entry.path());
    }
  }
  return found.empty() ? fs::path{} : *std::ranges::min_element(found);
}

CsvRecords open_table(const fs::path& path) {
  return CsvRecords(path, {.delimiter = ',', .expected = "a table of comma-separated numbers"});
}

std::int64_t whole_number(const CsvRecords& table, std::size_t column, std::int64_t most) {
  const std::optional<double> number = parse_number(table.fields()[column]);
  if (number && *number >= 0 && *number <= static_cast<double>(most) &&
      *number == std::floor(*number)) {
    return static_cast<std::int64_t>(*number);
  }
  table.fail(fmt::format("'{}', expected an integer from 0 to {}",
                         printable(table.fields()[column]), most));
}

void expect_columns(const CsvRecords& table, std::size_t count) {
  if (table.fields().size() == count) return;
  table.fail(fmt::format("found {} fields, expected {}", table.fields().size(), count));
}

void expect_rows(const fs::path& path, std::int64_t found, std::int64_t num_nodes) {
  if (found == num_nodes) return;
  fail(path, fmt::format("has {} rows, but the graph has {} nodes", found, num_nodes));
}

std::int64_t read_num_nodes(const fs::path& path) {
  CsvRecords table = open_table(path);
  if (!table.next()) fail(path, "is empty, expected the number of nodes");
  expect_columns(table, 1);
  const std::int64_t num_nodes = whole_number(table, 0, kMaxNodes);
  if (table.next()) table.fail("has a second graph, expected one");
  return num_nodes;
}

ArcList read_edges(const fs::path& path, std::int64_t most) {
  CsvRecords table = open_table(path);
  ArcList list;
  while (table.next()) {
    expect_columns(table, 2);
    const Arc arc = {static_cast<NodeId>(whole_number(table, 0, most)),
                     static_cast<NodeId>(whole_number(table, 1, most))};
    grow_for_file(list.arcs, table.reader());
    list.arcs.push_back(arc);
    list.num_nodes = std::max({list.num_nodes, arc.source + 1, arc.target + 1});
  }
  return list;
}

// No file has more fields than this: each takes a byte and a separator.
std::size_t most_fields(const fs::path& path) { return kMaxInflation * fs::file_size(path) / 2; }

Features read_features(const fs::path& path, std::int64_t num_nodes) {
  CsvRecords table = open_table(path);
  std::vector<float> values;
  std::size_t num_columns = 0;
  std::int64_t num_rows = 0;
  while (table.next()) {
    if (num_rows++ == 0) num_columns = table.fields().size();
    expect_columns(table, num_columns);
    if (num_rows == 1) {
      // The number of rows is declared, so memory can be reserved; but the declaration may be too
      // large.
      values.reserve(std::min(at(num_nodes) * num_columns, most_fields(path)));
    }
    for (const std::string_view field : table.fields()) {
      const std::optional<double> number = parse_number(field);
      if (!number) table.fail(fmt::format("'{}' is not a number", printable(field)));
      values.push_back(static_cast<float>(*number));
    }
  }
  expect_rows(path, num_rows, num_nodes);
  return Features::dense(num_rows, static_cast<std::int64_t>(num_columns), std::move(values));
}

// One label per node; empty or nan means unknown.
void read_labels(const fs::path& path, Dataset& dataset) {
  CsvRecords table = open_table(path);
  const std::int64_t most = max_classes(dataset.graph.num_nodes()) - 1;
  while (table.next()) {
    if (table.fields().size() != 1) {
      table.fail(
          fmt::format("has {} labels per node, expected one class (multiple tasks are not "
                      "supported)",
                      table.fields().size()));
    }
    const std::optional<double> number = parse_number(table.fields()[0]);
    const bool is_known = !(number && std::isnan(*number));
    dataset.labels.push_back(is_known ? whole_number(table, 0, most) : -1);
    dataset.num_classes = std::max(dataset.num_classes, dataset.labels.back() + 1);
  }
  expect_rows(path, std::ssize(dataset.labels), dataset.graph.num_nodes());
}

std::vector<std::uint8_t> read_mask(const fs::path& folder, const std::string& name,
                                    NodeId num_nodes) {
  const fs::path path = find_table(folder, name);
  if (path.empty()) fail(folder, fmt::format("has no {}.csv.gz", name));
  CsvRecords table = open_table(path);
  std::vector<std::uint8_t> mask(at(num_nodes), 0);
  while (table.next()) {
    expect_columns(table, 1);
    mask[at(whole_number(table, 0, num_nodes - 1))] = 1;
  }
  return mask;
}

// A folder for each kind of split.
std::vector<fs::path> list_splits(const fs::path& folder) {
  std::vector<fs::path> kinds;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.is_directory()) kinds.push_back(entry.path());
  }
  std::ranges::sort(kinds);
  return kinds;
}

void read_splits(const fs::path& folder, Dataset& dataset) {
  const NodeId n = dataset.graph.num_nodes();
  for (const fs::path& kind : list_splits(folder)) {
    dataset.splits.push_back(
        {read_mask(kind, "train", n), read_mask(kind, "valid", n), read_mask(kind, "test", n)});
  }
}

// A heading, then rows of number and name. Empty if the file is missing or names are missing.
std::vector<std::string> read_names(const fs::path& path, std::int64_t count, std::string_view what,
                                    std::vector<std::string>& notes) {
  if (path.empty() || count == 0) return {};
  std::vector<std::string> names;
  std::int64_t num_named = 0;
  if (at(count) <= most_fields(path)) {
    names.resize(at(count));
    CsvRecords table = open_table(path);
    table.next();  // the heading
    while (table.next()) {
      if (table.fields().size() < 2) table.fail("expected a number and a name");
      std::string& name = names[at(whole_number(table, 0, count - 1))];
      num_named += name.empty() && !table.fields()[1].empty();
      name = table.fields()[1];
    }
  }
  if (num_named == count) return names;
  notes.push_back(fmt::format("{} does not name all {} {}; their numbers are used",
                              path.filename().string(), count, what));
  return {};
}

}  // namespace

bool is_ogb_folder(const fs::path& folder) { return !find_table(folder / "raw", "edge").empty(); }

std::vector<fs::path> ogb_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const char* name : {"edge", "num-node-list", "node-feat", "node-label"}) {
    files.push_back(find_table(folder / "raw", name));
  }
  for (const char* start : {"nodeidx2", "labelidx2"}) {
    files.push_back(find_table_like(folder / "mapping", start));
  }
  for (const fs::path& kind : list_splits(folder / "split")) {
    for (const char* name : {"train", "valid", "test"}) files.push_back(find_table(kind, name));
  }
  std::erase(files, fs::path{});
  return files;
}

Dataset read_ogb(const fs::path& folder) {
  const fs::path raw = folder / "raw", mapping = folder / "mapping";
  const fs::path count_path = find_table(raw, "num-node-list");
  const fs::path edge_path = find_table(raw, "edge");
  if (edge_path.empty()) fail(folder, "has no raw/edge.csv.gz");
  const std::int64_t stated = count_path.empty() ? kMaxNodes : read_num_nodes(count_path);
  const ArcList arcs = read_edges(edge_path, stated - 1);
  if (count_path.empty() && arcs.arcs.empty()) {
    fail(edge_path,
         "contains no arcs, and num-node-list.csv.gz with the number of nodes is missing");
  }
  const NodeId num_nodes = plausible_num_nodes(
      edge_path, count_path.empty() ? arcs.num_nodes : stated, arcs.arcs.size());

  Dataset dataset =
      make_dataset(fs::absolute(folder / "raw").lexically_normal().parent_path(), arcs, num_nodes);
  const fs::path features = find_table(raw, "node-feat");
  if (!features.empty()) dataset.features = read_features(features, num_nodes);
  const fs::path labels = find_table(raw, "node-label");
  if (!labels.empty()) read_labels(labels, dataset);
  read_splits(folder / "split", dataset);
  dataset.node_ids =
      read_names(find_table_like(mapping, "nodeidx2"), num_nodes, "nodes", dataset.notes);
  dataset.label_names = read_names(find_table_like(mapping, "labelidx2"), dataset.num_classes,
                                   "classes", dataset.notes);
  note_features(dataset);
  return dataset;
}

}  // namespace dsnn
