#include "data/csv_records.h"

#include "dsnn/util/error.h"

#include "data/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace dsnn {
namespace {

constexpr char kQuote = '"';
constexpr std::string_view kOpenQuote = "the quote that begins here is not closed";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

CsvRecords::CsvRecords(const std::filesystem::path& path, const Options& options)
    : reader_(path, options.expected),
      delimiter_(options.delimiter),
      has_comments_(options.has_comments) {}

// Bytes of the record at the front of the text, with its line end. A line end within quotes is
// text.
std::size_t CsvRecords::find_record_end() {
  std::size_t searched = 0;
  bool is_inside = false;  // of quotes; a doubled quote leaves and enters again
  is_quoted_ = false;
  for (;;) {
    const std::string_view text = reader_.text();
    while (searched < text.size()) {
      const std::size_t line_end =
          is_inside ? text.size() : std::min(text.find('\n', searched), text.size());
      const std::size_t quote = text.substr(0, line_end).find(kQuote, searched);
      if (quote == std::string_view::npos) {
        if (line_end < text.size()) return line_end + 1;
        searched = text.size();
      } else {
        is_inside = !is_inside;
        is_quoted_ = true;
        searched = quote + 1;
      }
    }
    if (!reader_.read_more()) break;
  }
  if (is_inside) reader_.fail(kOpenQuote, 1);
  return reader_.text().size();
}

bool CsvRecords::is_skipped(std::string_view record) {
  record = trim(record);
  if (record.empty()) return true;
  // Further down a name may begin so.
  const bool is_comment = has_comments_ && !has_begun_ && (record[0] == '#' || record[0] == '%');
  num_comments_ += is_comment ? 1 : 0;
  return is_comment;
}

std::string_view CsvRecords::in_utf8(std::string_view record) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(record, is_ascii)) return record;
  recoded_.clear();
  for (std::string_view rest = record; !rest.empty();) append_utf8(recoded_, take_code_point(rest));
  if (recoded_ == record) return record;
  has_latin1_ = true;
  return recoded_;
}

bool CsvRecords::next() {
  for (;;) {
    const std::size_t bytes = find_record_end();
    if (bytes == 0) return false;
    std::string_view record = reader_.text().substr(0, bytes);
    line_ = reader_.line() + 1;
    reader_.count_lines(is_quoted_ ? std::max<std::int64_t>(1, std::ranges::count(record, '\n'))
                                   : 1);
    reader_.consume(bytes);
    if (record.ends_with('\n')) record.remove_suffix(1);
    if (record.ends_with('\r')) record.remove_suffix(1);
    if (is_skipped(record)) continue;
    if (!has_begun_ && !is_quoted_ && record.find('\r') != std::string_view::npos) {
      fail("lines end with CR, expected LF or CR LF");
    }
    has_begun_ = true;
    record = in_utf8(record);
    if (!delimiter_) detect_delimiter(record);
    fields_.clear();
    is_quoted_ ? split_quoted(record) : split_plain(record);
    return true;
  }
}

void CsvRecords::detect_delimiter(std::string_view record) {
  std::array<std::ptrdiff_t, 3> counts{};
  constexpr std::array kCandidates = {'\t', ';', ','};  // in case of a tie, the first
  bool is_inside = false;
  for (const char c : record) {
    is_inside ^= c == kQuote;
    for (std::size_t i = 0; i < counts.size() && !is_inside; ++i) counts[i] += c == kCandidates[i];
  }
  const auto most = std::ranges::max_element(counts);
  delimiter_ = *most > 0 ? kCandidates[static_cast<std::size_t>(most - counts.begin())]
               : record.find(' ') != std::string_view::npos ? ' '
                                                            : ',';
}

void CsvRecords::split_plain(std::string_view record) {
  if (*delimiter_ == ' ') {
    for (record = trim(record); !record.empty(); record = trim(record)) {
      const std::size_t end = std::min(record.find_first_of(" \t"), record.size());
      fields_.push_back(record.substr(0, end));
      record.remove_prefix(end);
    }
    return;
  }
  for (;;) {
    const auto* found =
        static_cast<const char*>(std::memchr(record.data(), *delimiter_, record.size()));
    if (found == nullptr) break;
    const auto length = static_cast<std::size_t>(found - record.data());
    fields_.push_back(trim(record.substr(0, length)));
    record.remove_prefix(length + 1);
  }
  fields_.push_back(trim(record));
}

void CsvRecords::split_quoted(std::string_view record) {
  unquoted_.clear();
  unquoted_.reserve(record.size());  // so that the fields that point into it stay where they are
  const auto is_end = [&] { return record.empty() || record[0] == *delimiter_; };
  for (;;) {
    while (!record.empty() && is_blank(record[0]) && (*delimiter_ == ' ' || !is_end())) {
      record.remove_prefix(1);
    }
    if (record.empty() && *delimiter_ == ' ') return;
    if (record.starts_with(kQuote)) {
      const std::size_t begin = unquoted_.size();
      for (record.remove_prefix(1);; record.remove_prefix(1)) {
        if (record.empty()) fail(kOpenQuote);
        if (record.starts_with("\"\"")) {
          record.remove_prefix(1);
        } else if (record.starts_with(kQuote)) {
          break;
        }
        unquoted_.push_back(record[0]);
      }
      record.remove_prefix(1);
      fields_.push_back(std::string_view(unquoted_).substr(begin));
      while (!record.empty() && is_blank(record[0]) && !is_end()) record.remove_prefix(1);
      if (!is_end()) fail("text follows a quoted field");
    } else {
      const std::size_t end = std::min(record.find(*delimiter_), record.size());
      fields_.push_back(trim(record.substr(0, end)));
      record.remove_prefix(end);
    }
    if (record.empty()) return;
    record.remove_prefix(1);
  }
}

void CsvRecords::fail(std::string_view what) const {
  throw Error(fmt::format("{}:{}: {}", reader_.path().string(), line_, what));
}

std::optional<double> parse_number(std::string_view text, char delimiter) {
  text = trim(text);
  if (text.starts_with('+') && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) return value;
  if (error == std::errc::result_out_of_range && stop == end) {
    return std::strtod(std::string(text).c_str(), nullptr);  // tells huge from tiny
  }
  const bool has_decimal_comma = delimiter == ';' && error == std::errc() && *stop == ',' &&
                                 text.find('.') == std::string_view::npos;
  if (!has_decimal_comma) return std::nullopt;
  std::string with_point(text);
  with_point[static_cast<std::size_t>(stop - text.data())] = '.';
  return parse_number(with_point, ',');
}

}  // namespace dsnn
