#include "data/linqs.h"

#include "dsnn/data/splits.h"
#include "dsnn/util/error.h"

#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace dsnn {
namespace {

constexpr int kNumSplits = 10;
constexpr const char* kPubmedPapers = "Pubmed-Diabetes.NODE.paper.tab";
constexpr const char* kPubmedCites = "Pubmed-Diabetes.DIRECTED.cites.tab";

/// The lines of a member of the archive, cut at tabs.
class TabLines {
 public:
  TabLines(std::string file, std::string_view text) : file_(std::move(file)), rest_(text) {}

  /// The fields of the next line that is not empty; false at the end.
  bool next() {
    for (;;) {
      if (rest_.empty()) return false;
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      std::string_view line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (line.empty()) continue;
      fields_.clear();
      for (;;) {
        const std::size_t length = std::min(line.find('\t'), line.size());
        fields_.push_back(line.substr(0, length));
        if (length == line.size()) return true;
        line.remove_prefix(length + 1);
      }
    }
  }

  const std::vector<std::string_view>& fields() const { return fields_; }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}:{}: {}", file_, line_, what));
  }

  float number(std::string_view text) const {
    float value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value)) {
      fail("has a feature that is no number");
    }
    return value;
  }

 private:
  std::string file_;
  std::string_view rest_;
  std::vector<std::string_view> fields_;
  std::int64_t line_ = 0;
};

/// Grows line by line; finish() makes the dataset.
class Builder {
 public:
  explicit Builder(std::string name) {
    dataset_.name = std::move(name);
    features_.offsets.push_back(0);
  }

  void add_node(const TabLines& lines, std::string_view id, std::string_view label) {
    const auto node = static_cast<NodeId>(dataset_.node_ids.size());
    if (!node_of_.emplace(id, node).second) lines.fail(fmt::format("has paper '{}' again", id));
    dataset_.node_ids.emplace_back(id);
    labels_.emplace_back(label);
    features_.offsets.push_back(std::ssize(features_.values));
  }

  /// Of the node that add_node() comes for next.
  void add_feature(std::int64_t column, float value) {
    if (value == 0) return;
    features_.columns.push_back(static_cast<std::int32_t>(column));
    features_.values.push_back(value);
  }

  void set_num_features(std::int64_t count) { features_.num_columns = count; }
  std::int64_t num_features() const { return features_.num_columns; }
  void add_feature_name(std::string_view name) { dataset_.feature_names.emplace_back(name); }

  void add_arc(std::string_view citing, std::string_view cited) {
    const auto source = node_of_.find(std::string(citing));
    const auto target = node_of_.find(std::string(cited));
    if (source == node_of_.end() || target == node_of_.end()) {
      ++num_dangling_;
      return;
    }
    arcs_.push_back({source->second, target->second});
  }

  Dataset finish() {
    const auto num_nodes = static_cast<NodeId>(dataset_.node_ids.size());
    dataset_.graph = DirectedGraph::from_arcs(num_nodes, arcs_);
    features_.num_rows = num_nodes;
    dataset_.features = std::move(features_);
    dataset_.label_names = labels_;
    std::ranges::sort(dataset_.label_names);
    dataset_.label_names.erase(
        std::unique(dataset_.label_names.begin(), dataset_.label_names.end()),
        dataset_.label_names.end());
    for (const std::string& label : labels_) {
      const auto place = std::ranges::lower_bound(dataset_.label_names, label);
      dataset_.labels.push_back(place - dataset_.label_names.begin());
    }
    dataset_.num_classes = std::ssize(dataset_.label_names);
    dataset_.splits =
        numpy_stratified_splits(dataset_.labels, dataset_.num_classes, {}, kNumSplits);
    if (num_dangling_ > 0) {
      dataset_.notes.push_back(
          fmt::format("{} links to papers that are not in the data were dropped", num_dangling_));
    }
    return std::move(dataset_);
  }

 private:
  Dataset dataset_;
  Features features_;
  std::vector<std::string> labels_;
  std::vector<Arc> arcs_;
  std::unordered_map<std::string, NodeId> node_of_;
  std::int64_t num_dangling_ = 0;
};

using Files = std::map<std::string, std::string>;

// 'id word word ... class' a line, and 'cited citing'.
Dataset read_content(const Files& files, const std::string& where, const std::string& name) {
  const std::string content = name + ".content", cites = name + ".cites";
  const auto label_of = [&](const std::string& file) { return fmt::format("{}({})", where, file); };
  Builder builder(name);
  TabLines nodes(label_of(content), files.at(content));
  while (nodes.next()) {
    const auto& fields = nodes.fields();
    const std::int64_t num_features = std::ssize(fields) - 2;
    if (builder.num_features() == 0) builder.set_num_features(num_features);
    if (num_features < 1 || num_features != builder.num_features()) {
      nodes.fail(fmt::format("has {} fields, expected a paper, {} words and its class",
                             fields.size(), builder.num_features()));
    }
    for (std::int64_t i = 0; i < num_features; ++i) {
      builder.add_feature(i, nodes.number(fields[at(i + 1)]));
    }
    builder.add_node(nodes, fields.front(), fields.back());
  }
  TabLines links(label_of(cites), files.at(cites));
  while (links.next()) {
    const auto& fields = links.fields();
    if (fields.size() != 2) links.fail("expected two papers with a tab between, cited and citing");
    builder.add_arc(fields[1], fields[0]);
  }
  return builder.finish();
}

// After two lines of headings, the second with the features' names:
// 'id label=1 word=0.1 word=0.02 ... summary=...' a line, and 'number paper:citing | paper:cited'.
Dataset read_tab(const Files& files, const std::string& where, const std::string& name) {
  const std::string papers = kPubmedPapers, cites = kPubmedCites;
  const auto label_of = [&](const std::string& file) { return fmt::format("{}({})", where, file); };
  Builder builder(name);
  TabLines nodes(label_of(papers), files.at(papers));
  std::unordered_map<std::string, std::int64_t> columns;
  constexpr std::string_view kNumeric = "numeric:", kLabel = "label=", kPaper = "paper:";
  nodes.next();
  if (!nodes.next()) nodes.fail("ends before the names of the features");
  for (std::string_view field : nodes.fields()) {
    if (!field.starts_with(kNumeric)) continue;
    field.remove_prefix(kNumeric.size());
    field = field.substr(0, field.find(':'));
    if (columns.emplace(field, std::ssize(columns)).second) builder.add_feature_name(field);
  }
  builder.set_num_features(std::ssize(columns));
  std::vector<std::pair<std::int64_t, float>> row;
  while (nodes.next()) {
    const auto& fields = nodes.fields();
    std::string_view label;
    row.clear();
    for (std::size_t i = 1; i < fields.size(); ++i) {
      const std::size_t equals = fields[i].find('=');
      if (equals == std::string_view::npos) nodes.fail("has a field without '='");
      if (fields[i].starts_with(kLabel)) label = fields[i].substr(kLabel.size());
      const auto column = columns.find(std::string(fields[i].substr(0, equals)));
      if (column == columns.end()) continue;
      row.emplace_back(column->second, nodes.number(fields[i].substr(equals + 1)));
    }
    if (label.empty()) nodes.fail("has no 'label='");
    std::ranges::sort(row);
    const auto is_same = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (std::ranges::adjacent_find(row, is_same) != row.end()) nodes.fail("has a feature twice");
    for (const auto& [column, value] : row) builder.add_feature(column, value);
    builder.add_node(nodes, fields[0], label);
  }
  TabLines links(label_of(cites), files.at(cites));
  links.next();
  links.next();
  while (links.next()) {
    const auto& fields = links.fields();
    if (fields.size() != 4 || !fields[1].starts_with(kPaper) || !fields[3].starts_with(kPaper)) {
      links.fail("expected 'number paper:A | paper:B' with tabs between");
    }
    builder.add_arc(fields[1].substr(kPaper.size()), fields[3].substr(kPaper.size()));
  }
  return builder.finish();
}

}  // namespace

std::vector<std::string> linqs_files(const std::string& name) {
  if (name == "pubmed") return {kPubmedPapers, kPubmedCites};
  return {name + ".content", name + ".cites"};
}

Dataset read_linqs(const Files& files, const std::string& where, const std::string& name) {
  return name == "pubmed" ? read_tab(files, where, name) : read_content(files, where, name);
}

}  // namespace dsnn
