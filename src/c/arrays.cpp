#include "c/arrays.h"

#include "c/status.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace dsnn::c {
namespace {

/// The value at an index; values need not be aligned.
template <class T>
T number_at(const dsnn_array& array, std::int64_t i) {
  T number;
  std::memcpy(&number, static_cast<const char*>(array.data) + i * array.stride, sizeof(T));
  return number;
}

template <class To, class From>
std::vector<To> converted(const dsnn_array& array) {
  std::vector<To> result(static_cast<std::size_t>(array.size));
  for (std::int64_t i = 0; i < array.size; ++i) {
    result[static_cast<std::size_t>(i)] = static_cast<To>(number_at<From>(array, i));
  }
  return result;
}

template <class To>
std::vector<To> any_numbers(const dsnn_array* array, const char* name) {
  check_array(array, name);
  switch (array->type) {
    case DSNN_FLOAT32:
      return converted<To, float>(*array);
    case DSNN_FLOAT64:
      return converted<To, double>(*array);
    case DSNN_INT32:
      return converted<To, std::int32_t>(*array);
    default:
      return converted<To, std::int64_t>(*array);
  }
}

[[noreturn]] void fail_as_not_whole(const char* name) {
  throw Error(fmt::format("{} must be whole numbers of 32 or 64 bits", name));
}

}  // namespace

void check_array(const dsnn_array* array, const char* name) {
  require(array, name);
  if (array->type < DSNN_FLOAT32 || array->type > DSNN_INT64) {
    throw Misuse(fmt::format("{} has the unknown type {}", name, array->type));
  }
  if (array->size < 0) throw Misuse(fmt::format("{} has size {}", name, array->size));
  if (array->size > 0) require(array->data, name);
}

void check_room(std::int64_t room, std::int64_t there, const char* name) {
  if (room == there) return;
  throw Error(fmt::format("{}: there is room for {}, expected {}", name, room, there));
}

std::vector<std::int64_t> whole_numbers(const dsnn_array* array, const char* name) {
  check_array(array, name);
  if (array->type == DSNN_INT32) return converted<std::int64_t, std::int32_t>(*array);
  if (array->type == DSNN_INT64) return converted<std::int64_t, std::int64_t>(*array);
  fail_as_not_whole(name);
}

std::vector<std::int32_t> small_whole_numbers(const dsnn_array* array, const char* name,
                                              std::int32_t least, std::int32_t most) {
  check_array(array, name);
  if (array->type != DSNN_INT32 && array->type != DSNN_INT64) fail_as_not_whole(name);
  std::vector<std::int32_t> result(static_cast<std::size_t>(array->size));
  for (std::int64_t i = 0; i < array->size; ++i) {
    const std::int64_t number = array->type == DSNN_INT32 ? number_at<std::int32_t>(*array, i)
                                                          : number_at<std::int64_t>(*array, i);
    if (number < least || number > most) {
      throw Error(
          fmt::format("{}: entry {} is {}, expected {} to {}", name, i, number, least, most));
    }
    result[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(number);
  }
  return result;
}

std::vector<double> numbers(const dsnn_array* array, const char* name) {
  return any_numbers<double>(array, name);
}

std::vector<float> float_numbers(const dsnn_array* array, const char* name) {
  return any_numbers<float>(array, name);
}

}  // namespace dsnn::c
