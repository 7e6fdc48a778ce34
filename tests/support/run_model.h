#pragma once

#include "dsnn/engine/device.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/program.h"
#include "dsnn/engine/session.h"
#include "dsnn/nn/model.h"
#include "dsnn/util/random.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dsnn::testing {

using Numbers = std::vector<double>;

/// Uniform in [-1, 1).
inline Numbers random_numbers(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  Numbers numbers(static_cast<std::size_t>(count));
  for (double& x : numbers) x = random.uniform(-1, 1);
  return numbers;
}

/// largest |a - b| over largest |b| (or 1e-300); 1e300 if their lengths differ or one is NaN.
inline double relative_error(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return 1e300;
  double error = 0, largest = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i] - b[i])) return 1e300;
    error = std::max(error, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return error / largest;
}

/// Row places[i] of a matrix as row i.
template <class Index>
Numbers rows_at(const Numbers& matrix, const std::vector<Index>& places, std::int64_t width) {
  Numbers result;
  for (const Index place : places) {
    const auto begin = matrix.begin() + static_cast<std::int64_t>(place) * width;
    result.insert(result.end(), begin, begin + width);
  }
  return result;
}

/// Perturbs the initial weights of a model: some are special, such as zeros.
inline void shake(nn::Model& model, std::uint64_t seed) {
  const Numbers steps = random_numbers(model.num_weights(), seed);
  Numbers& initial = model.weights().initial();
  for (std::size_t i = 0; i < steps.size(); ++i) initial[i] += 0.2 * steps[i];
}

/// The initial values of each weight, by name.
inline std::map<std::string, Numbers> numbers_of(const nn::Model& model) {
  std::map<std::string, Numbers> all;
  for (const engine::Weight& weight : model.weights().all()) {
    const auto begin = model.weights().initial().begin() + weight.offset;
    all[weight.name] = Numbers(begin, begin + engine::num_numbers(weight.shape));
  }
  return all;
}

struct RunOptions {
  bool is_training = false;
  int threads = 1;
  std::optional<engine::Device> device = {};  ///< default: the processor with these threads
  /// One for each logit, or none: then there is no loss.
  Numbers factors = {};
};

/// A model on a graph, in precision T. Its loss is sum_i factors_i logits_i.
template <class T>
class ModelRun {
 public:
  ModelRun(const nn::Model& model, const nn::Input& input, const RunOptions& options = {})
      : weights_(model.weights().initial().begin(), model.weights().initial().end()),
        gradients_(weights_.size()) {
    logits_ = model.forward(input, {program_, options.is_training});
    program_.keep(logits_);
    if (!options.factors.empty()) {
      const auto count = static_cast<std::int64_t>(options.factors.size());
      loss_ = engine::linear(program_.reshape(logits_, {1, count}),
                             program_.constant({count, 1}, options.factors));
      program_.keep(loss_);
      program_.differentiate(loss_);
    }
    session_.emplace(program_, options.device.value_or(engine::Device::cpu(options.threads)),
                     std::span<const T>(weights_), std::span<T>(gradients_));
  }

  /// Those of the next passes; the model's initial ones at first.
  std::span<T> weights() { return weights_; }
  const engine::Shape& shape() const { return logits_.shape(); }

  // Each of these is a separate pass; the seed is that of dropout.

  std::vector<T> logits(std::uint64_t seed = 0) {
    session_->forward(seed);
    return copy(session_->numbers(logits_));
  }
  T loss(std::uint64_t seed = 0) {
    session_->forward(seed);
    return session_->numbers(loss_)[0];
  }
  /// Of the loss, in all weights; 0 in those that the model does not use.
  std::vector<T> gradients(std::uint64_t seed = 0) {
    session_->forward(seed);
    std::ranges::fill(gradients_, T(0));
    session_->backward();
    return gradients_;
  }
  /// The output of a part of the model: "layer 1".
  std::vector<T> part(const std::string& name) {
    std::vector<T> result;
    session_->forward(0, [&](const std::string& of, std::span<const T> numbers) {
      if (of == name) result = copy(numbers);
    });
    return result;
  }

 private:
  static std::vector<T> copy(std::span<const T> numbers) {
    return {numbers.begin(), numbers.end()};
  }

  std::vector<T> weights_, gradients_;
  engine::Program program_;
  engine::Value logits_, loss_;
  std::optional<engine::Session<T>> session_;
};

/// The logits [n, classes] of a model with its initial weights, without dropout.
inline Numbers evaluate(const nn::Model& model, const nn::Input& input) {
  return ModelRun<double>(model, input).logits();
}

}  // namespace dsnn::testing
