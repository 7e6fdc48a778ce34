#include "dsnn/nn/weights.h"

#include "dsnn/sheaf/phase.h"

#include "util/portable_math.h"

#include <cmath>
#include <utility>

namespace dsnn::nn {

engine::Weight Weights::add(std::string name, engine::Shape shape,
                            const std::vector<double>& initial, WeightGroup group) {
  const std::int64_t begin = size();
  initial_.insert(initial_.end(), initial.begin(), initial.end());
  if (pieces_.empty() || pieces_.back().group != group) pieces_.push_back({begin, begin, group});
  pieces_.back().end = size();
  return weights_.emplace_back(engine::Weight{std::move(name), std::move(shape), begin});
}

std::vector<double> zero_init(std::int64_t size) {
  return std::vector<double>(static_cast<std::size_t>(size), 0);
}

std::vector<double> linear_init(std::int64_t size, std::int64_t inputs, Random& random) {
  const double bound = inputs == 0 ? 0 : 1 / std::sqrt(static_cast<double>(inputs));
  std::vector<double> numbers;
  numbers.reserve(static_cast<std::size_t>(size));  // too many show at once
  for (std::int64_t i = 0; i < size; ++i) numbers.push_back(random.uniform(-bound, bound));
  return numbers;
}

std::vector<double> identity_init(std::int64_t count, std::int64_t size) {
  std::vector<double> numbers;
  for (std::int64_t i = 0; i < count * size * size; ++i) {
    const std::int64_t place = i % (size * size);
    numbers.push_back(place / size == place % size ? 1 : 0);
  }
  return numbers;
}

// Rows of normal random numbers, orthonormalised one after the other (Gram-Schmidt, twice for
// accuracy): uniformly distributed orthogonal matrices.
std::vector<double> orthogonal_init(std::int64_t count, std::int64_t size, double gain,
                                    Random& random) {
  const auto normal = [&] {
    const double radius = std::sqrt(-2 * portable::log(1 - random.uniform()));
    return radius * unit_phase(random.uniform()).real();
  };
  std::vector<double> numbers;
  for (std::int64_t k = 0; k < count; ++k) {
    std::vector<std::vector<double>> rows;
    while (std::ssize(rows) < size) {
      std::vector<double> row(static_cast<std::size_t>(size));
      for (double& number : row) number = normal();
      for (int pass = 0; pass < 2; ++pass) {
        for (const std::vector<double>& other : rows) {
          double dot = 0;
          for (std::size_t i = 0; i < row.size(); ++i) dot += row[i] * other[i];
          for (std::size_t i = 0; i < row.size(); ++i) row[i] -= dot * other[i];
        }
      }
      double square = 0;
      for (const double number : row) square += number * number;
      for (double& number : row) number /= std::sqrt(square);
      rows.push_back(row);
    }
    for (const auto& row : rows) {
      for (const double number : row) numbers.push_back(gain * number);
    }
  }
  return numbers;
}

}  // namespace dsnn::nn
