#pragma once

#include "data/text_reader.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsnn {

/// The records of a CSV file, plain or gzipped, one after the other. Fields are separated by
/// commas, semicolons or tabs, or by blanks if the first record has none of those; the first record
/// decides. A quoted field may contain separators, line ends and doubled quotes; blanks around
/// other fields are ignored. Empty lines are skipped. Fields are UTF-8: a record that is not valid
/// UTF-8 is read as Latin-1.
class CsvRecords {
 public:
  struct Options {
    std::optional<char> delimiter;  ///< detected from the first record if not given
    bool has_comments = false;      ///< lines at the start that begin with # or % are skipped
    std::string_view expected = "text in columns";
  };
  CsvRecords(const std::filesystem::path& path, const Options& options);

  /// Reads the next record; false at the end of the file. The fields are valid until the next call.
  bool next();
  std::span<const std::string_view> fields() const { return fields_; }
  /// The line where the record begins, from 1.
  std::int64_t line() const { return line_; }
  char delimiter() const { return *delimiter_; }
  std::int64_t num_comments() const { return num_comments_; }
  bool has_latin1() const { return has_latin1_; }

  const TextReader& reader() const { return reader_; }
  /// "FILE:LINE: what" for the record last read.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::size_t find_record_end();
  void split_plain(std::string_view record);
  void split_quoted(std::string_view record);
  void detect_delimiter(std::string_view record);
  bool is_skipped(std::string_view record);
  std::string_view in_utf8(std::string_view record);

  TextReader reader_;
  std::optional<char> delimiter_;
  bool has_comments_;
  bool is_quoted_ = false;  // the current record has a quote
  std::vector<std::string_view> fields_;
  std::string unquoted_;  // the text of quoted fields
  std::string recoded_;   // a record that was Latin-1
  std::int64_t line_ = 0, num_comments_ = 0;
  bool has_begun_ = false;  // a record was read
  bool has_latin1_ = false;
};

/// Parses a number; also accepts a plus sign, surrounding blanks and, in files with semicolons, a
/// decimal comma. "nan" and "inf" are numbers. Nothing for other text.
std::optional<double> parse_number(std::string_view text, char delimiter = ',');

}  // namespace dsnn
