#include "data/npy_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>

namespace dsnn {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// NumPy's own writers stay far below; a damaged length must not make us read gigabytes of "header".
constexpr std::size_t kMaxHeaderBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxDimensions = 64;
constexpr std::size_t kAlignment = 64;

std::uint32_t read_little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// Reads the Python literal {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }, its keys in
// any order.
class DictionaryParser {
 public:
  explicit DictionaryParser(std::string_view text) : rest_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      parse_entry();
      if (accept(',')) continue;
      expect('}');
      break;
    }
    skip_blanks();
    if (!rest_.empty()) fail("has text after its end");
    if (!has_dtype_ || !has_order_ || !has_shape_) {
      fail("is missing 'descr', 'fortran_order' or 'shape'");
    }
    return std::move(header_);
  }

 private:
  void parse_entry() {
    const std::string key = parse_string();
    expect(':');
    if (key == "descr" && !has_dtype_) {
      parse_dtype();
      has_dtype_ = true;
    } else if (key == "fortran_order" && !has_order_) {
      header_.fortran_order = parse_bool();
      has_order_ = true;
    } else if (key == "shape" && !has_shape_) {
      parse_shape();
      has_shape_ = true;
    } else {
      fail("has unknown or repeated keys");
    }
  }

  void parse_dtype() {
    skip_blanks();
    if (rest_.starts_with('[') || rest_.starts_with('(') || rest_.starts_with('{')) {
      throw NpyFormatError("has a structured dtype, which is not supported");
    }
    header_.dtype = parse_string();
  }

  void parse_shape() {
    expect('(');
    while (!accept(')')) {
      if (header_.shape.size() == kMaxDimensions) fail("has too many dimensions");
      header_.shape.push_back(parse_extent());
      if (accept(',')) continue;
      expect(')');
      break;
    }
  }

  std::int64_t parse_extent() {
    skip_blanks();
    std::int64_t extent = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), extent);
    if (error != std::errc() || extent < 0) fail("has a malformed shape");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    accept('L');  // Python 2 wrote long integers this way
    return extent;
  }

  std::string parse_string() {
    skip_blanks();
    if (!rest_.starts_with('\'') && !rest_.starts_with('"')) fail("is malformed");
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) fail("is malformed");
    std::string text(rest_.substr(1, end - 1));
    const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
    if (!std::ranges::all_of(text, is_printable)) fail("is malformed");
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool parse_bool() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    fail("has a malformed 'fortran_order'");
  }

  bool accept(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail("is malformed");
  }

  void skip_blanks() {
    const std::size_t next = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(std::min(next, rest_.size()));
  }

  [[noreturn]] static void fail(const char* what) {
    throw NpyFormatError(fmt::format("has a header that {}", what));
  }

  std::string_view rest_;
  NpyHeader header_;
  bool has_dtype_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

NpyHeader read_npy_header(const std::function<std::string(std::size_t)>& take) {
  const std::string prefix = take(kMagic.size() + 2);
  if (!prefix.starts_with(kMagic)) throw NpyFormatError("is not a NumPy array");
  const int major = static_cast<unsigned char>(prefix[kMagic.size()]);
  const int minor = static_cast<unsigned char>(prefix[kMagic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    throw NpyFormatError(
        fmt::format("has NumPy format version {}.{}, expected 1.0, 2.0 or 3.0", major, minor));
  }
  const std::size_t length = read_little_endian(take(major == 1 ? 2 : 4));
  if (length > kMaxHeaderBytes) {
    throw NpyFormatError(
        fmt::format("has a header of {} bytes, expected at most {}", length, kMaxHeaderBytes));
  }
  return DictionaryParser(take(length)).parse();
}

std::string format_npy_header(const std::string& dtype, const std::vector<std::int64_t>& shape) {
  // Python writes a tuple of one with a comma after it: (3,).
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", dtype,
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t fixed_bytes = kMagic.size() + 4;  // magic, version, length
  const std::size_t unpadded = fixed_bytes + dictionary.size() + 1;
  dictionary.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dictionary.push_back('\n');

  std::string bytes(kMagic);
  bytes.push_back('\x01');
  bytes.push_back('\x00');
  bytes.push_back(static_cast<char>(dictionary.size() & 0xff));
  bytes.push_back(static_cast<char>(dictionary.size() >> 8));
  return bytes + dictionary;
}

std::optional<ElementType> parse_element_type(const std::string& dtype) {
  using enum ElementType::Kind;
  struct Known {
    std::string_view name;
    ElementType::Kind kind;
    std::size_t bytes;
  };
  static constexpr Known kKnown[] = {
      {"b1", kBool, 1},     {"i1", kSigned, 1},   {"i2", kSigned, 2},   {"i4", kSigned, 4},
      {"i8", kSigned, 8},   {"u1", kUnsigned, 1}, {"u2", kUnsigned, 2}, {"u4", kUnsigned, 4},
      {"u8", kUnsigned, 8}, {"f4", kFloat, 4},    {"f8", kFloat, 8},    {"c8", kComplex, 8},
      {"c16", kComplex, 16}};
  if (dtype.empty()) return std::nullopt;
  const auto known = std::ranges::find(kKnown, std::string_view(dtype).substr(1), &Known::name);
  if (known == std::end(kKnown)) return std::nullopt;

  constexpr bool kIsLittleMachine = std::endian::native == std::endian::little;
  switch (dtype.front()) {
    case '<':
      return ElementType{known->kind, known->bytes, !kIsLittleMachine};
    case '>':
      return ElementType{known->kind, known->bytes, kIsLittleMachine};
    case '=':
      return ElementType{known->kind, known->bytes, false};
    case '|':  // no order: only single bytes have none
      if (known->bytes == 1) return ElementType{known->kind, 1, false};
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> array_bytes(const std::vector<std::int64_t>& shape,
                                         std::size_t bytes_each) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t bytes = static_cast<std::int64_t>(bytes_each);
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return static_cast<std::uint64_t>(bytes);
}

std::string format_shape(const std::vector<std::int64_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace dsnn
