#include "nn/weights.h"

#include <ATen/Functions.h>

#include <cmath>
#include <numbers>
#include <utility>

namespace dsnn::nn {

at::Tensor Weights::add(std::string name, at::IntArrayRef shape, const std::vector<double>& initial,
                        WeightGroup group) {
  at::Tensor tensor = at::empty(shape, at::kDouble);
  std::copy(initial.begin(), initial.end(), tensor.data_ptr<double>());
  weights_.push_back({std::move(name), tensor, group});
  return tensor;
}

void Weights::finish(at::ScalarType dtype) {
  std::int64_t size = 0;
  for (const Weight& weight : weights_) size += weight.tensor.numel();
  values_ = at::empty({size}, dtype);
  gradients_ = at::zeros({size}, dtype);
  std::int64_t begin = 0;
  for (Weight& weight : weights_) {
    const std::int64_t length = weight.tensor.numel();
    const at::Tensor place = values_.narrow(0, begin, length).view(weight.tensor.sizes());
    place.copy_(weight.tensor);
    // The tensor that the model holds becomes a view of the array.
    weight.tensor.set_data(place);
    weight.tensor.requires_grad_(true);
    weight.tensor.mutable_grad() = gradients_.narrow(0, begin, length).view(weight.tensor.sizes());
    begin += length;
  }
}

std::vector<WeightPiece> Weights::pieces() const {
  std::vector<WeightPiece> pieces;
  std::int64_t begin = 0;
  for (const Weight& weight : weights_) {
    const std::int64_t end = begin + weight.tensor.numel();
    if (pieces.empty() || pieces.back().group != weight.group) {
      pieces.push_back({begin, end, weight.group});
    }
    pieces.back().end = begin = end;
  }
  return pieces;
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

// Rows of normal numbers, made orthonormal one after the other (Gram-Schmidt, twice for the
// digits): uniform among the orthogonal matrices.
std::vector<double> orthogonal_init(std::int64_t count, std::int64_t size, double gain,
                                    Random& random) {
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(1 - random.uniform())) *
           std::cos(2 * std::numbers::pi * random.uniform());
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
