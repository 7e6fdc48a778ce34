#include "sweep/axis.h"

#include "util/portable_math.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace dsnn {
namespace {

/// The smallest gap between sorted numbers, as a share of them all.
double smallest_gap(const std::vector<double>& sorted) {
  double gap = 1;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    gap = std::min(gap, (sorted[i] - sorted[i - 1]) / (sorted.back() - sorted.front()));
  }
  return gap;
}

}  // namespace

std::optional<double> number_of(const ParameterValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

AxisScale axis_scale(const Dimension& dimension) {
  if (dimension.values.empty()) return dimension.is_log ? AxisScale::kLog : AxisScale::kLinear;
  std::set<double> numbers;
  for (const ParameterValue& value : dimension.values) {
    const std::optional<double> number = number_of(value);
    if (!number) return AxisScale::kPoints;
    numbers.insert(*number);
  }
  const std::vector<double> sorted(numbers.begin(), numbers.end());
  if (sorted.front() <= 0) return AxisScale::kLinear;
  std::vector<double> logarithms;
  for (const double number : sorted) logarithms.push_back(portable::log(number));
  return smallest_gap(logarithms) > smallest_gap(sorted) ? AxisScale::kLog : AxisScale::kLinear;
}

bool is_searched(const Dimension& dimension) {
  if (dimension.values.empty()) return dimension.from < dimension.to;
  return std::ranges::any_of(
      dimension.values, [&](const ParameterValue& value) { return value != dimension.values[0]; });
}

}  // namespace dsnn
