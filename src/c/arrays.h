#pragma once

#include "dsnn/c.h"

#include <cstdint>
#include <vector>

namespace dsnn::c {

/// The values of an array of integers (DSNN_INT32 or DSNN_INT64). Throws Error for other types, and
/// for a value outside of least .. most; the message has the array's name and the value's index.
std::vector<std::int64_t> whole_numbers(const dsnn_array* array, const char* name);
std::vector<std::int32_t> small_whole_numbers(const dsnn_array* array, const char* name,
                                              std::int32_t least, std::int32_t most);
/// The values of an array of any type.
std::vector<double> numbers(const dsnn_array* array, const char* name);
std::vector<float> float_numbers(const dsnn_array* array, const char* name);

/// Throws Misuse if the array is NULL, has an unknown type or a negative size.
void check_array(const dsnn_array* array, const char* name);
/// Throws Error unless the caller's array has exactly the size of the result.
void check_room(std::int64_t room, std::int64_t there, const char* name);

}  // namespace dsnn::c
