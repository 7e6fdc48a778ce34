#include "data/csv_nodes.h"

#include "dsnn/util/error.h"

#include "data/csv_table.h"
#include "data/dates.h"
#include "data/feature_rows.h"
#include "util/index.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace dsnn {
namespace {

// Rows by which the kinds of the columns are judged before reading.
constexpr std::size_t kSampleRows = 1000;
// More values than this are no categories but texts.
constexpr std::size_t kMaxCategories = 10'000;
constexpr std::size_t kAlwaysFewCategories = 100;

constexpr std::array<std::string_view, 7> kIdWords = {"id",   "node_id", "nodeid", "node id",
                                                      "node", "name",    "index"};
constexpr std::array<std::string_view, 6> kLabelWords = {"label",  "labels", "class",
                                                         "target", "y",      "category"};
constexpr std::array<std::string_view, 1> kSplitWords = {"split"};

// Columns with text, and one text of each.
using TextColumns = std::map<std::size_t, std::string>;

bool is_text(std::string_view field, char delimiter) {
  return !is_missing(field) && !parse_number(field, delimiter) && !parse_date(field);
}

CsvTable open_nodes(const CsvOptions& options) {
  std::vector<std::string> named = {options.id_column, options.label_column};
  for (const auto* more :
       {&options.split_columns, &options.drop_columns, &options.categorical_columns}) {
    named.insert(named.end(), more->begin(), more->end());
  }
  std::erase(named, "");
  return CsvTable(options.nodes, {.heading = options.heading, .columns = named, .is_data = {}});
}

// Reads the file once, with columns of text as they are known by then.
class NodeReader {
 public:
  NodeReader(const CsvOptions& options, const TextColumns& text_columns)
      : options_(options), file_(open_nodes(options)) {
    assign_columns(text_columns);
  }

  /// False if a column of numbers turns out to have text.
  bool read() {
    table_.has_heading = file_.has_heading();
    if (table_.has_heading) table_.id_heading = file_.names()[id_];
    while (file_.next()) {
      const std::string_view id = file_.fields()[id_];
      if (id.empty()) file_.fail("the node has no id");
      if (const auto found = table_.index.find(id)) {
        file_.fail(fmt::format("node '{}' occurs twice", printable(id)));
      }
      table_.index.add(id);
      if (label_) read_label();
      read_splits();
      if (!read_features()) return false;
    }
    if (table_.index.size() == 0) fail(options_.nodes, "has a heading but no rows");
    check_categories();
    note_mixed_columns();
    note_dates();
    for (std::string& remark : file_.remarks()) table_.notes.push_back(std::move(remark));
    return true;
  }

  /// All columns of features that have text anywhere.
  TextColumns find_text_columns() {
    TextColumns found;
    while (file_.next()) {
      for (const FeatureColumn& column : table_.columns) {
        const std::string_view field = file_.fields()[column.position];
        if (found.contains(column.position)) continue;
        if (is_text(field, file_.delimiter())) found.emplace(column.position, field);
      }
    }
    return found;
  }

  NodeTable& table() { return table_; }

 private:
  void assign_columns(const TextColumns& text_columns) {
    const auto choose = [&](const std::string& name, std::span<const std::string_view> words) {
      return name.empty() ? file_.find_column(words) : std::optional(file_.column(name));
    };
    id_ = choose(options_.id_column, kIdWords).value_or(0);
    label_ = choose(options_.label_column, kLabelWords);
    if (label_ == id_ && options_.label_column.empty()) label_.reset();
    for (const std::string& name : options_.split_columns) splits_.push_back(file_.column(name));
    if (options_.split_columns.empty()) {
      if (const auto found = file_.find_column(kSplitWords)) splits_.push_back(*found);
    }
    table_.split_parts.resize(splits_.size());

    std::set<std::size_t> taken(splits_.begin(), splits_.end());
    taken.insert(id_);
    if (label_) taken.insert(*label_);
    for (const std::string& name : options_.drop_columns) {
      const std::size_t dropped = file_.column(name);
      if (!taken.insert(dropped).second) {
        fail(options_.nodes,
             fmt::format("column '{}' cannot be dropped: it is the id, the label, a split "
                         "or already dropped",
                         printable(name)));
      }
    }
    std::set<std::size_t> named;
    for (const std::string& name : options_.categorical_columns) named.insert(file_.column(name));
    TextColumns texts = sample_text_columns();
    texts.insert(text_columns.begin(), text_columns.end());
    for (std::size_t i = 0; i < file_.num_columns(); ++i) {
      if (taken.contains(i)) continue;
      FeatureColumn& column = table_.columns.emplace_back();
      column.position = i;
      column.name = file_.names()[i];
      column.is_categorical = texts.contains(i) || named.contains(i);
      if (texts.contains(i)) column.text = texts.at(i);
    }
    note_columns();
  }

  // Those with text in the first rows.
  TextColumns sample_text_columns() {
    TextColumns found;
    for (const CsvTable::Row& row : file_.peek(kSampleRows)) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (is_text(row[i], file_.delimiter())) found.emplace(i, row[i]);
      }
    }
    return found;
  }

  void note_columns() {
    const auto name = [&](std::size_t column) { return file_.shown_name(column); };
    // Their count and the first names.
    const auto columns = [&](bool is_categorical) {
      constexpr std::size_t kMostNames = 8;
      std::vector<std::string> names;
      for (const FeatureColumn& column : table_.columns) {
        if (column.is_categorical == is_categorical) names.push_back(name(column.position));
      }
      const std::size_t count = names.size();
      if (count > kMostNames) names.resize(kMostNames);
      return fmt::format("{} {}{}{}{}", count, is_categorical ? "categorical" : "numeric",
                         count > 0 ? " (" : "", fmt::join(names, ", "),
                         count == 0           ? ""
                         : count > kMostNames ? ", ...)"
                                              : ")");
    };
    std::vector<std::string> split_names;
    for (const std::size_t split : splits_) split_names.push_back(name(split));
    table_.notes.push_back(fmt::format(
        "{}: {}; ids in column {}, {}, {}; features: {}, {}", options_.nodes.filename().string(),
        file_.has_heading() ? "with a heading" : "no heading", name(id_),
        label_ ? fmt::format("labels in {}", name(*label_)) : "no labels (see --label-column)",
        splits_.empty() ? "no splits" : fmt::format("splits in {}", fmt::join(split_names, ", ")),
        columns(false), columns(true)));
  }

  // A single typing error turns a numeric column into a categorical one.
  void note_mixed_columns() {
    for (const FeatureColumn& column : table_.columns) {
      if (!column.is_categorical || column.text.empty()) continue;
      const std::vector<std::string>& values = column.categories.names();
      const auto num_texts = std::ranges::count_if(
          values, [&](const std::string& value) { return is_text(value, file_.delimiter()); });
      if (std::ssize(values) < 10 || 5 * num_texts > std::ssize(values)) continue;
      table_.notes.push_back(fmt::format(
          "column '{}' was read as categorical because of '{}'; most of its {} values are "
          "numbers",
          printable(column.name), printable(column.text), values.size()));
    }
  }

  void note_dates() {
    for (const FeatureColumn& column : table_.columns) {
      if (!column.has_dates) continue;
      table_.notes.push_back(fmt::format("column '{}' has dates, read as days since 1970-01-01",
                                         printable(column.name)));
    }
  }

  void read_label() {
    const std::string_view field = file_.fields()[*label_];
    const bool is_known = !is_missing(field) && field != options_.missing_label;
    table_.label_codes.push_back(is_known ? table_.classes.code(field) : -1);
  }

  void read_splits() {
    for (std::size_t s = 0; s < splits_.size(); ++s) {
      table_.split_parts[s].push_back(part_in(file_, splits_[s]));
    }
  }

  bool read_features() {
    grow_for_file(table_.numbers, file_.reader(), table_.columns.size());
    for (FeatureColumn& column : table_.columns) {
      const std::string_view field = file_.fields()[column.position];
      if (column.is_categorical) {
        read_category(column, field);
        continue;
      }
      std::optional<double> number = parse_number(field, file_.delimiter());
      if (!number) {
        number = parse_date(field);
        column.has_dates |= number.has_value();
      }
      if (!number && !is_missing(field)) {
        if (file_.reader().is_regular()) return false;
        file_.fail(fmt::format(
            "'{}' in column '{}', which was numeric up to here, and a pipe cannot be read twice: "
            "use a file, or --categorical-column",
            printable(field), printable(column.name)));
      }
      table_.numbers.push_back(number ? static_cast<float>(*number) : NodeTable::kNoNumber);
    }
    return true;
  }

  void read_category(FeatureColumn& column, std::string_view field) {
    const bool is_known = !is_missing(field);
    table_.categories.push_back(is_known ? column.categories.code(field) : NodeTable::kNoCategory);
    if (column.categories.size() > kMaxCategories) fail_categories(column);
  }

  void check_categories() const {
    for (const FeatureColumn& column : table_.columns) {
      const std::size_t count = column.categories.size();
      if (count > kAlwaysFewCategories && 2 * count > at(table_.index.size())) {
        fail_categories(column);
      }
    }
  }

  [[noreturn]] void fail_categories(const FeatureColumn& column) const {
    const std::string why = column.text.empty()
                                ? "was declared categorical"
                                : fmt::format("is not numeric ('{}')", printable(column.text));
    fail(options_.nodes,
         fmt::format("column '{}' {} and has {} or more different values, too many for categories; "
                     "correct it, or exclude it with --drop-column",
                     printable(column.name), why, column.categories.size()));
  }

  const CsvOptions& options_;
  CsvTable file_;
  NodeTable table_;
  std::size_t id_ = 0;
  std::optional<std::size_t> label_;
  std::vector<std::size_t> splits_;
};

// --- features ---

// The mean of each column with missing values.
void find_fills(NodeTable& table, std::size_t num_numeric, std::vector<std::string>& notes) {
  std::size_t j = 0;
  for (FeatureColumn& column : table.columns) {
    if (column.is_categorical) continue;
    double sum = 0;
    std::int64_t count = 0, missing = 0;
    for (std::size_t i = j; i < table.numbers.size(); i += num_numeric) {
      const float number = table.numbers[i];
      std::isnan(number) ? ++missing : (sum += number, ++count);
    }
    ++j;
    if (missing == 0) continue;
    column.fill = static_cast<float>(count == 0 ? 0 : sum / static_cast<double>(count));
    const bool is_one = missing == 1;
    notes.push_back(fmt::format(
        "column '{0}': {1} value{2} missing, replaced by the mean {3:.6g} and marked in '{0}{4}'",
        printable(column.name), missing, is_one ? " is" : "s are", *column.fill, kMissingSuffix));
  }
}

std::int64_t num_features(const FeatureColumn& column) {
  if (column.is_categorical) return static_cast<std::int64_t>(column.categories.size());
  return column.fill ? 2 : 1;
}

// Where the features of each column begin, and how many there are in all.
std::vector<std::int64_t> feature_offsets(const NodeTable& table) {
  std::vector<std::int64_t> offsets = {0};
  for (const FeatureColumn& column : table.columns) {
    offsets.push_back(offsets.back() + num_features(column));
  }
  return offsets;
}

Features join_features(const NodeTable& table, const std::vector<std::int64_t>& offsets) {
  Features features;
  features.num_rows = table.index.size();
  features.num_columns = offsets.back();
  features.offsets.push_back(0);
  const auto add = [&](std::int64_t column, float value) {
    if (value == 0) return;
    features.columns.push_back(static_cast<std::int32_t>(column));
    features.values.push_back(value);
  };
  std::size_t number = 0, category = 0;
  for (NodeId node = 0; node < table.index.size(); ++node) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const FeatureColumn& column = table.columns[c];
      if (column.is_categorical) {
        const std::int32_t code = table.categories[category++];
        if (code != NodeTable::kNoCategory) add(offsets[c] + code, 1);
        continue;
      }
      const float value = table.numbers[number++];
      add(offsets[c], std::isnan(value) ? column.fill.value_or(0) : value);
      if (std::isnan(value)) add(offsets[c] + 1, 1);
    }
    features.offsets.push_back(std::ssize(features.values));
  }
  return features;
}

}  // namespace

NodeId NodeTable::add(std::string_view id) {
  const NodeId node = index.add(id);
  if (!label_codes.empty()) label_codes.push_back(-1);
  for (auto& parts : split_parts) parts.push_back(0);
  for (const FeatureColumn& column : columns) {
    if (column.is_categorical) {
      categories.push_back(kNoCategory);
    } else {
      numbers.push_back(kNoNumber);
    }
  }
  return node;
}

NodeTable read_csv_nodes(const CsvOptions& options) {
  NodeReader reader(options, {});
  if (reader.read()) return std::move(reader.table());
  // Some column has text further down. Which ones do takes a second look, and what was read as a
  // number must be read again as text.
  const TextColumns text_columns = NodeReader(options, {}).find_text_columns();
  NodeReader again(options, text_columns);
  if (!again.read()) fail(options.nodes, "changed while it was read");
  return std::move(again.table());
}

void set_features(Dataset& dataset, NodeTable& table) {
  const auto num_numeric =
      at(std::ranges::count(table.columns, false, &FeatureColumn::is_categorical));
  find_fills(table, num_numeric, dataset.notes);
  std::vector<std::int32_t> new_code;
  std::size_t category_column = 0;
  const std::size_t num_categorical = table.columns.size() - num_numeric;
  for (FeatureColumn& column : table.columns) {
    if (!column.is_categorical) continue;
    new_code = column.categories.sort();
    for (std::size_t i = category_column++; i < table.categories.size(); i += num_categorical) {
      std::int32_t& code = table.categories[i];
      if (code != NodeTable::kNoCategory) code = new_code[at(code)];
    }
  }
  const std::vector<std::int64_t> offsets = feature_offsets(table);
  if (offsets.back() == 0) return;
  const bool is_complete = std::ranges::none_of(
      table.columns, [](const FeatureColumn& column) { return column.fill.has_value(); });
  if (num_categorical == 0 && is_complete) {
    dataset.features =
        Features::dense(table.index.size(), offsets.back(), std::move(table.numbers));
  } else {
    dataset.features = join_features(table, offsets);
    if (dataset.features.density() >= 0.5) dataset.features = dataset.features.to_dense();
  }
  if (!table.has_heading && num_categorical == 0 && is_complete) return;
  for (const FeatureColumn& column : table.columns) {
    if (!column.is_categorical) dataset.feature_names.push_back(column.name);
    if (column.fill) dataset.feature_names.push_back(column.name + std::string(kMissingSuffix));
    for (const std::string& value : column.categories.names()) {
      dataset.feature_names.push_back(fmt::format("{}={}", column.name, value));
    }
  }
}

}  // namespace dsnn
