#include "dsnn/data/edge_list.h"

#include "data/text_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace dsnn {
namespace {

constexpr std::int64_t kMaxNode = std::numeric_limits<NodeId>::max() - 1;
constexpr std::size_t kMaxFields = 3;

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

class EdgeListParser {
 public:
  explicit EdgeListParser(const std::filesystem::path& path)
      : reader_(path, "an edge-list text file with 'source target [weight]' on each line") {}

  ArcList parse() {
    std::string_view line;
    while (reader_.next_line(line)) parse_line(line);
    list_.num_nodes = max_node_ + 1;
    return std::move(list_);
  }

 private:
  void parse_line(std::string_view line) {
    const Fields fields(line);
    if (fields.count() == 0) return;
    check_columns(fields.count());
    const NodeId source = parse_node(fields[0]);
    const NodeId target = parse_node(fields[1]);
    grow_for_file(list_.arcs, reader_);
    list_.arcs.push_back({source, target});
    max_node_ = std::max({max_node_, source, target});
    if (fields.count() < 3) return;
    grow_for_file(list_.weights, reader_);
    list_.weights.push_back(parse_weight(fields[2]));
  }

  void check_columns(std::size_t count) {
    if (count == num_columns_) return;
    if (count < 2 || count > 3) {
      reader_.fail(fmt::format("expected 'source target [weight]', found {} field{}", count,
                               count == 1 ? "" : "s"));
    }
    if (num_columns_ != 0) {
      reader_.fail(fmt::format("found {} fields, but the first arc (line {}) has {}", count,
                               first_line_, num_columns_));
    }
    num_columns_ = count;
    first_line_ = reader_.line();
  }

  NodeId parse_node(std::string_view text) const {
    std::int64_t node = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, node);
    if (stop != end || error == std::errc::invalid_argument) {
      reader_.fail(fmt::format(
          "'{}' is not a node id, expected an integer from 0 to {}{}", printable(text), kMaxNode,
          first_line_ == reader_.line() ? " (for CSV with node names use --edges)" : ""));
    }
    if (error != std::errc() || node < 0 || node > kMaxNode) {
      reader_.fail(fmt::format("node id {} is {}, expected 0 to {}", printable(text),
                               text.starts_with('-') ? "negative" : "too large", kMaxNode));
    }
    return static_cast<NodeId>(node);
  }

  double parse_weight(std::string_view text) const {
    double weight = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, weight);
    if (stop != end || error == std::errc::invalid_argument) {
      reader_.fail(fmt::format("'{}' is not a weight, expected a number", printable(text)));
    }
    if (error != std::errc() || !std::isfinite(weight)) {
      reader_.fail(
          fmt::format("weight {} is out of range, expected a finite number", printable(text)));
    }
    return weight;
  }

  TextReader reader_;
  ArcList list_;
  NodeId max_node_ = -1;
  std::size_t num_columns_ = 0;  // of every arc; 0 before the first
  std::int64_t first_line_ = 0;  // where the first arc stands
};

}  // namespace

// Reads in pieces rather than through a mapping: that also works for a pipe, and a file cut short
// meanwhile is no fatal signal.
ArcList read_edge_list(const std::filesystem::path& path) { return EdgeListParser(path).parse(); }

}  // namespace dsnn
