#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace dsnn {

/// What is wrong with an array, as the end of a sentence ("has a header that ..."). Whoever reads
/// the array puts file and name in front.
class NpyFormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The header in front of the numbers of an `.npy` file.
struct NpyHeader {
  std::string dtype;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// How one number is stored.
struct ElementType {
  enum class Kind { kBool, kSigned, kUnsigned, kFloat, kComplex };
  Kind kind;
  std::size_t bytes;
  bool is_swapped;  ///< not in this machine's order of bytes
};

/// Reads a header of version 1.0, 2.0 or 3.0. `take` returns exactly the next so many bytes or
/// throws.
NpyHeader read_npy_header(const std::function<std::string(std::size_t)>& take);

/// The bytes of a version 1.0 header in C order, padded so that the numbers after it are aligned.
std::string format_npy_header(const std::string& dtype, const std::vector<std::int64_t>& shape);

/// Nothing if the library does not read this type: half floats, text, dates, records.
std::optional<ElementType> parse_element_type(const std::string& dtype);

/// Product of the shape times `bytes_each`; nothing if it does not fit into 63 bits.
std::optional<std::uint64_t> array_bytes(const std::vector<std::int64_t>& shape,
                                         std::size_t bytes_each);

/// "[3, 4]".
std::string format_shape(const std::vector<std::int64_t>& shape);

}  // namespace dsnn
