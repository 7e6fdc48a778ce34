#pragma once

#include "data/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

// Converts the stored elements of an array to the type that a caller requests.

namespace dsnn {

/// A stored boolean: one byte, which a damaged file can set to anything.
struct StoredBool {
  std::uint8_t byte;
};

template <class T>
inline constexpr bool kIsComplex = false;
template <class R>
inline constexpr bool kIsComplex<std::complex<R>> = true;

/// Whether elements stored as S may be read as T: complex is never read as real, nor a float as an
/// integer.
template <class S, class T>
inline constexpr bool kIsReadableAs =
    kIsComplex<S> ? kIsComplex<T> : !std::is_floating_point_v<S> || !std::is_integral_v<T>;

template <class T>
constexpr const char* expected_kind() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return "booleans";
  if constexpr (std::is_integral_v<T>) return "integers";
  if constexpr (std::is_floating_point_v<T>) return "real numbers";
  return "numbers";
}

/// Calls `visit(std::type_identity<S>{})` with the C++ type S of the stored elements.
template <class Visit>
void visit_stored_type(const ElementType& type, const Visit& visit) {
  using Kind = ElementType::Kind;
  const auto visit_integer = [&](auto one, auto two, auto four, auto eight) {
    switch (type.bytes) {
      case 1:
        return visit(one);
      case 2:
        return visit(two);
      case 4:
        return visit(four);
      default:
        return visit(eight);
    }
  };
  using std::type_identity;
  switch (type.kind) {
    case Kind::kBool:
      return visit(type_identity<StoredBool>{});
    case Kind::kSigned:
      return visit_integer(type_identity<std::int8_t>{}, type_identity<std::int16_t>{},
                           type_identity<std::int32_t>{}, type_identity<std::int64_t>{});
    case Kind::kUnsigned:
      return visit_integer(type_identity<std::uint8_t>{}, type_identity<std::uint16_t>{},
                           type_identity<std::uint32_t>{}, type_identity<std::uint64_t>{});
    case Kind::kFloat:
      return type.bytes == 4 ? visit(type_identity<float>{}) : visit(type_identity<double>{});
    case Kind::kComplex:
      return type.bytes == 8 ? visit(type_identity<std::complex<float>>{})
                             : visit(type_identity<std::complex<double>>{});
  }
}

/// One stored element. The two parts of a complex number are byte-swapped separately.
template <class S>
S load_stored(const std::byte* from, bool is_swapped) {
  S value;
  if (!is_swapped) {
    std::memcpy(&value, from, sizeof(S));
    return value;
  }
  constexpr std::size_t kWord = kIsComplex<S> ? sizeof(S) / 2 : sizeof(S);
  std::byte swapped[sizeof(S)];
  for (std::size_t word = 0; word < sizeof(S); word += kWord) {
    std::reverse_copy(from + word, from + word + kWord, swapped + word);
  }
  std::memcpy(&value, swapped, sizeof(S));
  return value;
}

/// The same value as T. Throws NpyFormatError if T cannot represent it.
template <class T, class S>
T convert_stored(S value) {
  if constexpr (std::is_same_v<S, StoredBool>) {
    if (value.byte > 1) {
      throw NpyFormatError(fmt::format("contains {}, expected 0 or 1", value.byte));
    }
    return static_cast<T>(value.byte);
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    if (value != 0 && value != 1) {
      throw NpyFormatError(fmt::format("contains {}, expected 0 or 1", value));
    }
    return static_cast<T>(value);
  } else if constexpr (std::is_integral_v<T>) {
    if (!std::in_range<T>(value)) {
      throw NpyFormatError(fmt::format("contains {}, expected at most 2^{} - 1", value,
                                       std::numeric_limits<T>::digits));
    }
    return static_cast<T>(value);
  } else if constexpr (kIsComplex<T> && !kIsComplex<S>) {
    return T(static_cast<typename T::value_type>(value));
  } else {
    return static_cast<T>(value);
  }
}

/// The positions in C order of the successive elements of a Fortran-ordered array.
class FortranOrder {
 public:
  explicit FortranOrder(const std::vector<std::int64_t>& shape)
      : shape_(shape), strides_(shape.size()), index_(shape.size(), 0) {
    std::int64_t stride = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      strides_[axis] = stride;
      stride *= shape[axis];
    }
  }

  /// The position of the next element.
  std::size_t next() {
    const std::int64_t current = position_;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      position_ += strides_[axis];
      if (++index_[axis] < shape_[axis]) break;
      position_ -= index_[axis] * strides_[axis];
      index_[axis] = 0;
    }
    return static_cast<std::size_t>(current);
  }

 private:
  std::vector<std::int64_t> shape_, strides_, index_;
  std::int64_t position_ = 0;
};

}  // namespace dsnn
