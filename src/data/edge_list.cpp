#include "dsnn/data/edge_list.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "data/input_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace dsnn {
namespace {

constexpr std::int64_t kMaxNode = std::numeric_limits<NodeId>::max() - 1;
// Also the longest line that is understood.
constexpr std::size_t kChunkBytes = std::size_t{4} << 20;
constexpr std::size_t kMaxFields = 3;
constexpr std::size_t kMaxShownChars = 30;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool ends_field(char c) { return is_blank(c) || c == ',' || c == '#'; }

// The fields of one line up to its comment; only the first three are kept, all are counted.
class Fields {
 public:
  explicit Fields(std::string_view line) {
    const char* next = line.data();
    const char* const end = next + line.size();
    const auto skip_blanks = [&] {
      while (next != end && is_blank(*next)) ++next;
    };
    skip_blanks();
    bool is_after_comma = false;  // then there is a field, if only an empty one
    while (is_after_comma || (next != end && *next != '#')) {
      const char* const begin = next;
      while (next != end && !ends_field(*next)) ++next;
      if (count_ < kMaxFields) text_[count_] = {begin, static_cast<std::size_t>(next - begin)};
      ++count_;
      skip_blanks();
      is_after_comma = next != end && *next == ',';
      if (is_after_comma) {
        ++next;
        skip_blanks();
      }
    }
  }

  std::size_t count() const { return count_; }
  std::string_view operator[](std::size_t i) const { return text_[i]; }

 private:
  std::array<std::string_view, kMaxFields> text_;
  std::size_t count_ = 0;
};

// What an error message shows of the file.
std::string printable(std::string_view text) {
  std::string shown(text.substr(0, kMaxShownChars));
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.size() > kMaxShownChars ? shown + "..." : shown;
}

class EdgeListParser {
 public:
  explicit EdgeListParser(std::string file) : file_(std::move(file)) {}

  // `block` ends with a line end, except at the end of the file.
  void parse(std::string_view block) {
    while (!block.empty()) {
      const std::size_t length = std::min(block.find('\n'), block.size());
      parse_line(block.substr(0, length));
      block.remove_prefix(std::min(length + 1, block.size()));
    }
  }

  // Takes memory once for the whole file, judging by the part that has been read.
  void reserve(double parts) {
    const double arcs = static_cast<double>(list_.arcs.size()) * parts;
    list_.arcs.reserve(static_cast<std::size_t>(arcs));
    if (num_columns_ == 3) list_.weights.reserve(static_cast<std::size_t>(arcs));
  }

  ArcList finish() {
    list_.num_nodes = max_node_ + 1;
    return std::move(list_);
  }

  [[noreturn]] void fail_at_next_line(std::string_view what) {
    ++line_;
    fail(what);
  }

 private:
  void parse_line(std::string_view line) {
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
    const Fields fields(line);
    if (fields.count() == 0) return;
    check_columns(fields.count());
    const NodeId source = parse_node(fields[0]);
    const NodeId target = parse_node(fields[1]);
    list_.arcs.push_back({source, target});
    max_node_ = std::max({max_node_, source, target});
    if (fields.count() == 3) list_.weights.push_back(parse_weight(fields[2]));
  }

  void check_columns(std::size_t count) {
    if (count == num_columns_) return;
    if (count < 2 || count > 3) {
      fail(fmt::format("expected 'source target [weight]', found {} field{}", count,
                       count == 1 ? "" : "s"));
    }
    if (num_columns_ != 0) {
      fail(fmt::format("found {} fields, but the first arc (line {}) has {}", count, first_line_,
                       num_columns_));
    }
    num_columns_ = count;
    first_line_ = line_;
  }

  NodeId parse_node(std::string_view text) const {
    std::int64_t node = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, node);
    if (stop != end || error == std::errc::invalid_argument) {
      fail(fmt::format("'{}' is not a node id, expected a whole number from 0 to {}",
                       printable(text), kMaxNode));
    }
    if (error != std::errc() || node < 0 || node > kMaxNode) {
      fail(fmt::format("node id {} is {}, expected 0 to {}", printable(text),
                       text.starts_with('-') ? "negative" : "too large", kMaxNode));
    }
    return static_cast<NodeId>(node);
  }

  double parse_weight(std::string_view text) const {
    double weight = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, weight);
    if (stop != end || error == std::errc::invalid_argument) {
      fail(fmt::format("'{}' is not a weight, expected a number", printable(text)));
    }
    if (error != std::errc() || !std::isfinite(weight)) {
      fail(fmt::format("weight {} is out of range, expected a finite number", printable(text)));
    }
    return weight;
  }

  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{}:{}: {}", file_, line_, what));
  }

  std::string file_;
  ArcList list_;
  NodeId max_node_ = -1;
  std::int64_t line_ = 0;
  std::size_t num_columns_ = 0;  // of every arc; 0 before the first
  std::int64_t first_line_ = 0;  // where the first arc stands
};

void check_is_text(std::string_view bytes, const InputFile& file) {
  if (bytes.find('\0') == std::string_view::npos) return;
  throw Error(fmt::format(
      "{}: binary data, expected an edge-list text file with 'source target [weight]' on each line",
      file.path().string()));
}

}  // namespace

// Reads in chunks rather than through a mapping: that also works for a pipe, and a file cut short
// meanwhile is no fatal signal.
ArcList read_edge_list(const std::filesystem::path& path) {
  InputFile file(path);
  EdgeListParser parser(path.string());
  std::vector<char> buffer(kChunkBytes);
  std::size_t kept = 0;  // bytes of an unfinished line at the front of the buffer
  std::int64_t bytes_read = 0;
  bool is_reserved = false;
  while (const std::size_t got = file.read(std::span(buffer).subspan(kept))) {
    check_is_text({buffer.data() + kept, got}, file);
    const std::string_view filled(buffer.data(), kept + got);
    const std::size_t whole_lines = filled.rfind('\n') + 1;  // npos + 1 is 0
    if (whole_lines == 0 && filled.size() == buffer.size()) {
      parser.fail_at_next_line(fmt::format("longer than {} bytes", kChunkBytes));
    }
    parser.parse(filled.substr(0, whole_lines));
    kept = filled.size() - whole_lines;
    std::copy_n(buffer.data() + whole_lines, kept, buffer.data());
    bytes_read += static_cast<std::int64_t>(got);
    if (!is_reserved && file.size() > bytes_read) {
      parser.reserve(1.05 * static_cast<double>(file.size()) / static_cast<double>(bytes_read));
      is_reserved = true;
    }
    report_progress("reading", bytes_read, file.size());
  }
  parser.parse({buffer.data(), kept});
  return parser.finish();
}

}  // namespace dsnn
