#include "dsnn/data/csv.h"
#include "dsnn/util/error.h"

#include "data/build_dataset.h"
#include "data/csv_nodes.h"
#include "data/csv_table.h"
#include "data/edge_columns.h"
#include "util/index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace dsnn {
namespace {

constexpr std::array<std::string_view, 3> kWeightWords = {"weight", "weights", "w"};

// Reads the edges; nodes that are not in the table are treated as the options say.
class EdgeReader {
 public:
  EdgeReader(const CsvOptions& options, NodeTable& nodes)
      : options_(options),
        nodes_(nodes),
        has_node_file_(!options.nodes.empty()),
        file_(open(options, nodes)) {
    assign_columns();
  }

  ArcList read() {
    while (file_.next()) {
      const std::optional<NodeId> source = find_node(file_.fields()[source_]);
      const std::optional<NodeId> target = find_node(file_.fields()[target_]);
      if (!source || !target) {
        ++dropped_;
        continue;
      }
      grow_for_file(list_.arcs, file_.reader());
      list_.arcs.push_back({*source, *target});
      if (weight_) read_weight();
      for (std::size_t s = 0; s < splits_.size(); ++s) {
        parts_[s].push_back(part_in(file_, splits_[s]));
      }
    }
    list_.num_nodes = nodes_.index.size();
    add_notes();
    return std::move(list_);
  }

  /// For each split, the part of each arc of the list (part_in).
  std::vector<std::vector<std::uint8_t>> take_parts() { return std::move(parts_); }

 private:
  static CsvTable open(const CsvOptions& options, const NodeTable& nodes) {
    std::vector<std::string> named = {options.source_column, options.target_column,
                                      options.weight_column};
    named.insert(named.end(), options.edge_split_columns.begin(), options.edge_split_columns.end());
    std::erase(named, "");
    const auto is_data = [&](const CsvTable::Row& row) {
      return row.size() >= 2 && nodes.index.find(row[0]) && nodes.index.find(row[1]);
    };
    return CsvTable(
        options.edges,
        {.heading = options.heading, .columns = named, .has_comments = true, .is_data = is_data});
  }

  void assign_columns() {
    if (file_.num_columns() < 2) {
      fail(options_.edges,
           fmt::format("has {} column, expected source and target columns", file_.num_columns()));
    }
    const auto usual_source = file_.find_column(kSourceWords);
    const auto usual_target = file_.find_column(kTargetWords);
    const bool has_usual = usual_source && usual_target;
    source_ = !options_.source_column.empty() ? file_.column(options_.source_column)
              : has_usual                     ? *usual_source
                                              : 0;
    target_ = !options_.target_column.empty() ? file_.column(options_.target_column)
              : has_usual                     ? *usual_target
                                              : 1;
    weight_ = options_.weight_column.empty() ? file_.find_column(kWeightWords)
                                             : std::optional(file_.column(options_.weight_column));
    for (const std::string& name : options_.edge_split_columns) {
      splits_.push_back(file_.column(name));
      if (splits_.back() == source_ || splits_.back() == target_ || splits_.back() == weight_) {
        fail(options_.edges,
             fmt::format("column '{}' is both a split and an edge endpoint or weight",
                         printable(name)));
      }
    }
    parts_.resize(splits_.size());
    if (source_ == target_) {
      fail(options_.edges,
           fmt::format("column '{}' is both source and target", printable(file_.names()[source_])));
    }
    if (weight_ == source_ || weight_ == target_) {
      fail(options_.edges, fmt::format("column '{}' is both an edge endpoint and the edge weight",
                                       printable(file_.names()[*weight_])));
    }
    offer_weights();
  }

  std::optional<NodeId> find_node(std::string_view id) {
    if (id.empty()) file_.fail("the edge has no source or no target");
    if (const auto found = nodes_.index.find(id)) return found;
    if (!has_node_file_) return nodes_.add(id);
    switch (options_.unknown_nodes) {
      case UnknownNodes::kAdd:
        ++added_;
        return nodes_.add(id);
      case UnknownNodes::kDrop:
        return std::nullopt;
      case UnknownNodes::kRefuse:
        break;
    }
    file_.fail(
        fmt::format("'{}' is not a node of {} (--unknown-nodes add or drop accepts such edges{})",
                    printable(id), options_.nodes.filename().string(), heading_advice(id)));
  }

  // For an id that is unknown because the heading of a file was misdetected.
  std::string heading_advice(std::string_view id) const {
    if (options_.heading != Heading::kDetect) return "";
    if (nodes_.has_heading && id == nodes_.id_heading) {
      return "; use --heading no if the first row there is a node, not a heading";
    }
    return file_.line() == 1 && !file_.has_heading()
               ? "; use --heading yes if this row is a heading"
               : "";
  }

  void read_weight() {
    const std::string_view field = file_.fields()[*weight_];
    const std::optional<double> weight = parse_number(field, file_.delimiter());
    if (!weight || !std::isfinite(*weight)) {
      file_.fail(fmt::format("'{}' is not a weight, expected a finite number", printable(field)));
    }
    grow_for_file(list_.weights, file_.reader());
    list_.weights.push_back(*weight);
  }

  // A column named like a weight is only suggested: an amount of money may or may not be meant as a
  // weight.
  void offer_weights() {
    static constexpr std::array<std::string_view, 12> kWords = {
        "weights", "amount", "value", "count", "strength", "score",
        "volume",  "sum",    "total", "flow",  "rating",   "sign"};
    if (weight_ || !file_.has_heading()) return;
    const auto column = file_.find_column(kWords);
    if (!column || column == source_ || column == target_) return;
    for (const CsvTable::Row& row : file_.peek(100)) {
      if (*column >= row.size() || !parse_number(row[*column], file_.delimiter())) return;
    }
    nodes_.notes.push_back(
        fmt::format("edge column {0} looks like a weight; use it with --weight-column {1}",
                    file_.shown_name(*column), printable(file_.names()[*column])));
  }

  void add_notes() {
    const auto name = [&](std::size_t column) { return file_.shown_name(column); };
    const std::size_t others = file_.num_columns() - 2 - (weight_ ? 1 : 0) - splits_.size();
    std::vector<std::string> split_names;
    for (const std::size_t split : splits_) split_names.push_back(name(split));
    nodes_.notes.push_back(fmt::format(
        "{}: {}; edges from column {} to {}, {}{}{}", options_.edges.filename().string(),
        file_.has_heading() ? "with a heading" : "no heading", name(source_), name(target_),
        weight_ ? "weights in " + name(*weight_) : "no weights",
        splits_.empty() ? "" : fmt::format(", splits in {}", fmt::join(split_names, ", ")),
        others > 0 ? fmt::format(", {} other column(s) ignored", others) : ""));
    for (std::string& remark : file_.remarks()) nodes_.notes.push_back(std::move(remark));
    if (added_ > 0) {
      nodes_.notes.push_back(fmt::format("{} nodes that occur only in {} were added", added_,
                                         options_.edges.filename().string()));
    }
    if (dropped_ > 0) {
      nodes_.notes.push_back(
          fmt::format("{} edges were dropped because {} does not list their nodes", dropped_,
                      options_.nodes.filename().string()));
    }
  }

  const CsvOptions& options_;
  NodeTable& nodes_;
  bool has_node_file_;
  CsvTable file_;
  ArcList list_;
  std::size_t source_ = 0, target_ = 1;
  std::optional<std::size_t> weight_;
  std::vector<std::size_t> splits_;
  std::vector<std::vector<std::uint8_t>> parts_;
  std::int64_t added_ = 0, dropped_ = 0;
};

std::vector<Split> make_splits(const NodeTable& table) {
  std::vector<Split> splits;
  for (const auto& parts : table.split_parts) {
    Split& split = splits.emplace_back();
    for (const std::uint8_t part : parts) {
      split.train.push_back(part == 1);
      split.validation.push_back(part == 2);
      split.test.push_back(part == 3);
    }
  }
  return splits;
}

/// The splits of the arcs of a list, without self-loops; repeated arcs count once. Throws Error for
/// an arc in two parts of a split.
std::vector<LinkSplit> make_link_splits(const std::filesystem::path& path,
                                        const std::vector<Arc>& arcs, const Dataset& names,
                                        const std::vector<std::vector<std::uint8_t>>& all_parts) {
  std::vector<LinkSplit> splits;
  for (const std::vector<std::uint8_t>& parts : all_parts) {
    std::map<std::pair<NodeId, NodeId>, std::uint8_t> part_of;
    LinkSplit& split = splits.emplace_back();
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      if (parts[i] == 0 || arcs[i].source == arcs[i].target) continue;
      const auto [known, is_new] =
          part_of.emplace(std::pair(arcs[i].source, arcs[i].target), parts[i]);
      if (!is_new && known->second != parts[i]) {
        fail(path, fmt::format("the arc {} -> {} is in two parts of a split",
                               names.node_name(arcs[i].source), names.node_name(arcs[i].target)));
      }
      if (!is_new) continue;
      (parts[i] == 1   ? split.train
       : parts[i] == 2 ? split.validation
                       : split.test)
          .push_back(arcs[i]);
    }
    if (split.train.empty() || split.validation.empty() || split.test.empty()) {
      fail(path, "a split of the arcs has no train, no val or no test");
    }
  }
  return splits;
}

}  // namespace

Dataset read_csv_dataset(const CsvOptions& options) {
  NodeTable table;
  if (!options.nodes.empty()) table = read_csv_nodes(options);
  EdgeReader edges(options, table);
  ArcList list = edges.read();
  if (options.nodes.empty()) {
    const std::vector<std::int32_t> new_number = table.index.sort_if_numbers();
    for (Arc& arc : list.arcs) {
      if (!new_number.empty()) arc = {new_number[at(arc.source)], new_number[at(arc.target)]};
    }
  }
  std::vector<Arc> divided;
  if (!options.edge_split_columns.empty()) divided = list.arcs;
  Dataset dataset = make_dataset(options.edges, list, table.index.size());
  list = {};
  dataset.notes = std::move(table.notes);
  set_features(dataset, table);
  note_features(dataset);
  if (!table.label_codes.empty()) {
    set_labels(dataset, std::move(table.label_codes), table.classes);
  }
  dataset.splits = make_splits(table);
  dataset.node_ids = std::move(table.index).ids();
  dataset.link_splits = make_link_splits(options.edges, divided, dataset, edges.take_parts());
  return dataset;
}

}  // namespace dsnn
