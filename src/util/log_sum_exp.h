#pragma once

#include "util/portable_math.h"

#include <algorithm>
#include <cstdint>

namespace dsnn {

/// log sum exp in double, without overflow.
template <class T>
double log_sum_exp(const T* numbers, std::int64_t size) {
  const double largest = *std::max_element(numbers, numbers + size);
  double sum = 0;
  for (std::int64_t j = 0; j < size; ++j)
    sum += portable::exp(static_cast<double>(numbers[j]) - largest);
  return largest + portable::log(sum);
}

/// probabilities[j] = exp(x_j - log_sum_exp(x)), in double.
template <class T>
void softmax_of(const T* numbers, std::int64_t size, double* probabilities) {
  const double largest = *std::max_element(numbers, numbers + size);
  double sum = 0;
  for (std::int64_t j = 0; j < size; ++j) {
    probabilities[j] = portable::exp(static_cast<double>(numbers[j]) - largest);
    sum += probabilities[j];
  }
  for (std::int64_t j = 0; j < size; ++j) probabilities[j] /= sum;
}

}  // namespace dsnn
