#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Conversion between the bytes of files and the code points of NumPy.

namespace dsnn {

/// Appends a code point in UTF-8; an invalid one becomes U+FFFD.
inline void append_utf8(std::string& text, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) point = 0xfffd;
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0 | point >> 6);
    put(0x80 | (point & 0x3f));
  } else if (point < 0x10000) {
    put(0xe0 | point >> 12);
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  } else {
    put(0xf0 | point >> 18);
    put(0x80 | (point >> 12 & 0x3f));
    put(0x80 | (point >> 6 & 0x3f));
    put(0x80 | (point & 0x3f));
  }
}

/// Removes one code point from the front of a non-empty text. A byte that does not begin a UTF-8
/// character is read as Latin-1, the usual encoding of such files.
inline std::uint32_t take_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t first = byte(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
  std::uint32_t point = length < 2 ? first : first & (0x7fu >> length);
  bool is_whole = length > 0 && length <= text.size();
  for (std::size_t i = 1; is_whole && i < length; ++i) {
    is_whole = byte(i) >> 6 == 2;
    point = point << 6 | (byte(i) & 0x3fu);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};  // for each length
  is_whole = is_whole && point >= kLeast[length] && point <= 0x10ffff &&
             !(point >= 0xd800 && point < 0xe000);
  text.remove_prefix(is_whole ? length : 1);
  return is_whole ? point : first;
}

}  // namespace dsnn
