#pragma once

#include "data/input_file.h"
#include "util/internal_api.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dsnn {

/// A text file, plain or gzipped, read from start to end in pieces: no more than a piece is in
/// memory, and a pipe will do. A byte-order mark at the start is skipped; every Error names the
/// file.
class TextReader {
 public:
  /// `expected` completes the message for a file that is not text, for example "an edge list".
  TextReader(std::filesystem::path path, std::string_view expected);
  ~TextReader();
  TextReader(const TextReader&) = delete;
  TextReader& operator=(const TextReader&) = delete;

  /// The next line without its end (\n or \r\n); false at the end of the file. The line is valid
  /// until the next call.
  bool next_line(std::string_view& line);
  /// Number of the line last read, from 1.
  std::int64_t line() const { return line_; }

  // For callers that split the text themselves.
  /// The text that has been read but not consumed.
  std::string_view text() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void consume(std::size_t bytes) { begin_ += bytes; }
  void count_lines(std::int64_t lines) { line_ += lines; }
  /// Appends more text to text(), which may move; false at the end of the file.
  bool read_more();

  const std::filesystem::path& path() const { return file_.path(); }
  /// False for a pipe, which cannot be read again.
  bool is_regular() const { return file_.is_regular(); }
  /// Approximate share of the file that has been consumed; 0 if its size is unknown.
  double share_consumed() const;

  /// "FILE:LINE: what", at the line last read or, with `ahead` 1, at the one after it.
  [[noreturn]] void fail(std::string_view what, std::int64_t ahead = 0) const;

 private:
  struct Gzip;
  std::size_t fill(std::span<char> to);

  InputFile file_;
  std::string_view expected_;
  std::unique_ptr<Gzip> gzip_;  // none for plain text
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // the unconsumed part
  std::int64_t line_ = 0;
  std::int64_t bytes_read_ = 0;  // of the file, packed as it is
};

/// Text from a file as a message shows it: only printable characters, shortened.
DSNN_INTERNAL_API std::string printable(std::string_view text);

/// Makes room for `more` in time for a whole file, judging by the share of it that filled
/// `values`: one allocation where doubling would make many, and none twice too large.
template <class T>
void grow_for_file(std::vector<T>& values, const TextReader& reader, std::size_t more = 1) {
  if (values.size() + more <= values.capacity()) return;
  const double share = reader.share_consumed();
  if (share <= 0) return;
  const auto size = static_cast<double>(values.size() + more);
  constexpr double kMargin = 1.02, kLeastGrowth = 1.25, kLeast = 1024;
  const double wanted = std::max({kLeast, kLeastGrowth * size, kMargin * size / share});
  try {
    values.reserve(static_cast<std::size_t>(wanted));
  } catch (const std::exception&) {
    // The estimate may be wrong, and the values may fit after all.
  }
}

}  // namespace dsnn
