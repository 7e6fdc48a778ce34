#pragma once

#include "dsnn/engine/device.h"
#include "dsnn/engine/operator.h"
#include "dsnn/util/random.h"

#include "engine/operator_cases.h"
#include "kernels/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dsnn::testing {

using engine::Call;
using engine::num_numbers;
using engine::Shapes;

inline constexpr std::uint64_t kSeed = 11;
inline constexpr double kGuard = 1234.5;
inline constexpr std::size_t kGuards = 16;

/// Arrays followed by guard values that must not be changed.
template <class T>
struct Guarded {
  std::vector<T> data;
  explicit Guarded(std::int64_t size) : data(static_cast<std::size_t>(size) + kGuards, T(kGuard)) {}
  T* numbers() { return data.data(); }
  std::size_t size() const { return data.size() - kGuards; }
  bool is_whole() const {
    return std::all_of(data.end() - kGuards, data.end(), [](T x) { return x == T(kGuard); });
  }
};

/// One operator with its arrays.
template <class T>
class Runner {
 public:
  Runner(const OperatorCase& of, int threads)
      : case_(of), results_(of.op->infer(of.shapes)), device_(engine::Device::cpu(threads)) {
    for (std::size_t i = 0; i < of.numbers.size(); ++i) {
      inputs_.emplace_back(of.numbers[i].begin(), of.numbers[i].end());
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      outputs_.emplace_back(num_numbers(results_[i]));
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      input_grads_.emplace_back(static_cast<std::int64_t>(inputs_[i].size()));
    }
  }

  std::vector<T>& input(std::size_t i) { return inputs_[i]; }

  void forward() {
    std::vector<const T*> in;
    std::vector<T*> out;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      in.push_back(case_.shapes.has(i) ? inputs_[i].data() : nullptr);
    }
    for (auto& output : outputs_) out.push_back(output.numbers());
    case_.op->forward(Call<T>{device_.executor(), kSeed, case_.shapes, results_, in, out});
    for (const auto& output : outputs_) EXPECT_TRUE(output.is_whole()) << case_.name;
  }

  /// The gradients of sum factors . results, requested one by one or all at once.
  void backward(const std::vector<std::vector<T>>& factors, engine::ArgumentSet wanted) {
    const engine::Operator::Needs needs = case_.op->backward_needs(wanted);
    std::vector<const T*> in, grads;
    std::vector<T*> out, input_grads;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const int k = static_cast<int>(i);
      in.push_back(case_.shapes.has(i) && needs.inputs.has(k) ? inputs_[i].data() : nullptr);
      const bool is_wanted = case_.shapes.has(i) && wanted.has(k);
      input_grads.push_back(is_wanted ? input_grads_[i].numbers() : nullptr);
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const int k = static_cast<int>(i);
      out.push_back(needs.outputs.has(k) ? outputs_[i].numbers() : nullptr);
      const bool has_grad = case_.op->differentiable_results().has(k);
      grads.push_back(has_grad ? factors[i].data() : nullptr);
    }
    case_.op->backward(
        Call<T>{device_.executor(), kSeed, case_.shapes, results_, in, out, grads, input_grads});
    for (const auto& grad : input_grads_) EXPECT_TRUE(grad.is_whole()) << case_.name;
  }

  const std::vector<Guarded<T>>& outputs() const { return outputs_; }
  const std::vector<Guarded<T>>& input_grads() const { return input_grads_; }
  const Shapes& results() const { return results_; }

 private:
  const OperatorCase& case_;
  Shapes results_;
  engine::Device device_;
  std::vector<std::vector<T>> inputs_;
  std::vector<Guarded<T>> outputs_, input_grads_;
};

template <class T>
std::vector<std::vector<T>> random_factors(const OperatorCase& of, const Shapes& results) {
  Random random(5);
  std::vector<std::vector<T>> factors;
  for (std::size_t i = 0; i < results.size(); ++i) {
    auto& numbers = factors.emplace_back();
    const bool counts = of.op->differentiable_results().has(static_cast<int>(i));
    for (std::int64_t k = 0; k < num_numbers(results[i]); ++k) {
      numbers.push_back(counts ? static_cast<T>(random.uniform(-1, 1)) : T{0});
    }
  }
  return factors;
}

}  // namespace dsnn::testing
