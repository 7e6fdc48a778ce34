#pragma once

#include "dsnn/c.h"

#include <cstdint>
#include <vector>

namespace dsnn::c {

/// Whole numbers of an array (DSNN_INT32 or DSNN_INT64). Throws Error with the array's name for
/// other types, and for a number outside of least .. most with its place.
std::vector<std::int64_t> whole_numbers(const dsnn_array* array, const char* name);
std::vector<std::int32_t> small_whole_numbers(const dsnn_array* array, const char* name,
                                              std::int32_t least, std::int32_t most);
/// Any numbers.
std::vector<double> numbers(const dsnn_array* array, const char* name);
std::vector<float> float_numbers(const dsnn_array* array, const char* name);

/// Throws Misuse if the array is not there or cannot be one: no type, a negative size.
void check_array(const dsnn_array* array, const char* name);
/// Throws Error if there is room for another number of things than there are.
void check_room(std::int64_t room, std::int64_t there, const char* name);

}  // namespace dsnn::c
