#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace dsnn {

/// What is wrong with an array, as the end of a sentence ("has a header that ..."). The reader of
/// the array adds the file and the array name.
class NpyFormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The header of an `.npy` file.
struct NpyHeader {
  std::string dtype;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// How one element is stored.
struct ElementType {
  enum class Kind { kBool, kSigned, kUnsigned, kFloat, kComplex };
  Kind kind;
  std::size_t bytes;
  bool is_swapped;  ///< not in this machine's byte order
};

/// Reads a header of version 1.0, 2.0 or 3.0. `take(n)` returns exactly the next n bytes or throws.
NpyHeader read_npy_header(const std::function<std::string(std::size_t)>& take);

/// The bytes of a version 1.0 header in C order, padded so that the data after it is aligned.
std::string format_npy_header(const std::string& dtype, const std::vector<std::int64_t>& shape);

/// Nothing for types that the library does not read: half floats, text, dates, records.
std::optional<ElementType> parse_element_type(const std::string& dtype);

/// Product of the shape times `bytes_each`; nothing if it does not fit into 63 bits.
std::optional<std::uint64_t> array_bytes(const std::vector<std::int64_t>& shape,
                                         std::size_t bytes_each);

/// "[3, 4]".
std::string format_shape(const std::vector<std::int64_t>& shape);

}  // namespace dsnn
