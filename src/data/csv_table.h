#pragma once

#include "dsnn/data/csv.h"

#include "data/csv_records.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsnn {

/// A CSV file as a table: columns with names, all rows of the same length.
class CsvTable {
 public:
  using Row = std::vector<std::string>;

  struct Options {
    Heading heading = Heading::kDetect;
    std::vector<std::string> columns;  ///< that the user named: a name, or a number from 1
    bool has_comments = false;
    /// States that the first row cannot be a heading.
    std::function<bool(const Row&)> is_data = {};
  };
  CsvTable(const std::filesystem::path& path, const Options& options);

  std::size_t num_columns() const { return names_.size(); }
  bool has_heading() const { return has_heading_; }
  /// The headings, or 1, 2, ... if there are none.
  const std::vector<std::string>& names() const { return names_; }

  /// A column's name as a message shows it: 'name' in quotes, or its number.
  std::string shown_name(std::size_t column) const;

  /// The column that the user named; throws Error if there is none.
  std::size_t column(const std::string& name) const;
  /// The first column whose heading is one of these words, in the order of the words, whatever
  /// their case.
  std::optional<std::size_t> find_column(std::span<const std::string_view> words) const;

  /// The next rows, at most this many, without consuming them.
  const std::deque<Row>& peek(std::size_t count);

  /// Reads the next row; false at the end of the file.
  bool next();
  std::span<const std::string_view> fields() const { return fields_; }
  /// The line of the row.
  std::int64_t line() const { return line_; }
  char delimiter() const { return records_.delimiter(); }
  const TextReader& reader() const { return records_.reader(); }
  /// Remarks for notes about how the file was read so far.
  std::vector<std::string> remarks() const;
  [[noreturn]] void fail(std::string_view what) const;

 private:
  bool read_ahead();
  bool detect_heading(const Options& options);

  CsvRecords records_;
  std::deque<Row> ahead_;  // read but not consumed
  std::deque<std::int64_t> ahead_lines_;
  Row current_;  // the current row, if it was read ahead
  std::vector<std::string_view> fields_;
  std::vector<std::string> names_;
  bool has_heading_ = false;
  std::int64_t line_ = 0;
};

/// Empty, or a word for it: NA, N/A, NaN, null, ?.
bool is_missing(std::string_view field);

/// The part of a split that the current row is in, by the word in a column: 1 train, 2 val, 3 test,
/// 0 none.
std::uint8_t part_in(const CsvTable& file, std::size_t column);

}  // namespace dsnn
