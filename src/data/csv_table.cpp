#include "data/csv_table.h"

#include "dsnn/util/error.h"

#include "data/build_dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace dsnn {
namespace {

// Who finds one of these in the first row has found a heading: hardly anything is called so.
constexpr std::array<std::string_view, 20> kHeadings = {
    "id",      "node",  "node_id",   "nodeid",    "node id",    "label",    "labels",
    "source",  "src",   "dst",       "weight",    "split",      "features", "from_node",
    "to_node", "index", "source_id", "target_id", "fromnodeid", "tonodeid"};
// Or mostly so: they are words of other kinds, too.
constexpr std::array<std::string_view, 12> kLikelyHeadings = {
    "name",    "class",  "y",     "target", "from", "to",
    "feature", "citing", "cited", "head",   "tail", "category"};

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool is_in(const auto& words, const std::string& field) {
  return std::ranges::find(words, lower(field)) != words.end();
}

}  // namespace

bool is_missing(std::string_view field) {
  constexpr std::array<std::string_view, 9> kWords = {"NA",   "N/A",  "n/a",  "NaN", "nan",
                                                      "null", "NULL", "#N/A", "?"};
  return field.empty() || std::ranges::find(kWords, field) != kWords.end();
}

CsvTable::CsvTable(const std::filesystem::path& path, const Options& options)
    : records_(path, {.delimiter = std::nullopt,
                      .has_comments = options.has_comments,
                      .expected = "text in columns (CSV)"}) {
  if (!read_ahead()) dsnn::fail(path, "is empty, expected rows of text");
  names_ = ahead_.front();
  has_heading_ = detect_heading(options);
  if (has_heading_) {
    ahead_.pop_front();
    ahead_lines_.pop_front();
    return;
  }
  for (std::size_t i = 0; i < names_.size(); ++i) names_[i] = fmt::format("{}", i + 1);
}

bool CsvTable::detect_heading(const Options& options) {
  if (options.heading != Heading::kDetect) return options.heading == Heading::kPresent;
  peek(2);
  const Row& first = ahead_.front();
  if (options.is_data && options.is_data(first)) return false;
  // A number within the row is a column's place rather than its name.
  const auto is_named = [&](const std::string& column) {
    const std::int64_t place = parse_plain_integer(column).value_or(0);
    return !(place >= 1 && place <= std::ssize(first)) &&
           std::ranges::find(first, column) != first.end();
  };
  if (std::ranges::any_of(options.columns, is_named)) return true;
  const auto has = [&](const auto& words) {
    return std::ranges::any_of(first,
                               [&](const std::string& field) { return is_in(words, field); });
  };
  if (has(kHeadings)) return true;
  // A number above a number is a row above a row; text above a number is a heading.
  bool is_above_number = false;
  const Row& second = ahead_.back();
  const std::size_t num_common = ahead_.size() < 2 ? 0 : std::min(first.size(), second.size());
  for (std::size_t i = 0; i < num_common; ++i) {
    const auto is_number = [&](const std::string& field) {
      return parse_number(field, records_.delimiter()).has_value();
    };
    if (is_missing(first[i]) || !is_number(second[i])) continue;
    if (is_number(first[i])) return false;
    is_above_number = true;
  }
  return is_above_number || has(kLikelyHeadings);
}

bool CsvTable::read_ahead() {
  if (!records_.next()) return false;
  ahead_.emplace_back(records_.fields().begin(), records_.fields().end());
  ahead_lines_.push_back(records_.line());
  return true;
}

const std::deque<CsvTable::Row>& CsvTable::peek(std::size_t count) {
  while (ahead_.size() < count && read_ahead()) {
  }
  return ahead_;
}

bool CsvTable::next() {
  if (!ahead_.empty()) {
    current_ = std::move(ahead_.front());
    line_ = ahead_lines_.front();
    ahead_.pop_front();
    ahead_lines_.pop_front();
    fields_.assign(current_.begin(), current_.end());
  } else {
    if (!records_.next()) return false;
    line_ = records_.line();
    fields_.assign(records_.fields().begin(), records_.fields().end());
  }
  // Some programs end every row with a separator.
  if (fields_.size() == names_.size() + 1 && fields_.back().empty()) fields_.pop_back();
  if (fields_.size() != names_.size()) {
    fail(fmt::format("found {} fields, but the first row has {}", fields_.size(), names_.size()));
  }
  return true;
}

std::string CsvTable::shown_name(std::size_t column) const {
  return has_heading_ ? fmt::format("'{}'", printable(names_[column])) : names_[column];
}

std::size_t CsvTable::column(const std::string& name) const {
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
  const std::optional<std::int64_t> number = parse_plain_integer(name);
  if (number && *number >= 1 && *number <= std::ssize(names_)) {
    return static_cast<std::size_t>(*number - 1);
  }
  constexpr std::size_t kMostShown = 20;
  std::vector<std::string> shown;
  for (const std::string& known : names_) {
    shown.push_back(shown.size() == kMostShown ? "..." : printable(known));
    if (shown.size() > kMostShown) break;
  }
  dsnn::fail(reader().path(),
             fmt::format("no column '{}' (has: {})", printable(name), fmt::join(shown, ", ")));
}

std::optional<std::size_t> CsvTable::find_column(std::span<const std::string_view> words) const {
  if (!has_heading_) return std::nullopt;
  for (const std::string_view word : words) {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (lower(names_[i]) == word) return i;
    }
  }
  return std::nullopt;
}

std::vector<std::string> CsvTable::remarks() const {
  const std::string file = reader().path().filename().string();
  std::vector<std::string> remarks;
  if (records_.num_comments() > 0) {
    remarks.push_back(fmt::format(
        "{}: {} line(s) at the start, which begin with # or %, were skipped as comments", file,
        records_.num_comments()));
  }
  if (records_.has_latin1()) {
    remarks.push_back(fmt::format("{}: is not UTF-8; it was read as Latin-1", file));
  }
  return remarks;
}

void CsvTable::fail(std::string_view what) const {
  throw Error(fmt::format("{}:{}: {}", reader().path().string(), line_, what));
}

std::uint8_t part_in(const CsvTable& file, std::size_t column) {
  constexpr std::array<std::string_view, 8> kWords = {"train",      "training", "val",  "valid",
                                                      "validation", "dev",      "test", "testing"};
  constexpr std::array<std::uint8_t, 8> kParts = {1, 1, 2, 2, 2, 2, 3, 3};
  const std::string_view field = file.fields()[column];
  if (is_missing(field)) return 0;
  const auto word = std::ranges::find(kWords, field);
  if (word == kWords.end()) {
    file.fail(fmt::format("'{}' in column '{}', expected train, val, test or an empty field",
                          printable(field), printable(file.names()[column])));
  }
  return kParts[static_cast<std::size_t>(word - kWords.begin())];
}

}  // namespace dsnn
