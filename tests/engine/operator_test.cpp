// What every operator must be, whatever it computes.
#include "dsnn/engine/operator.h"

#include "dsnn/engine/device.h"
#include "dsnn/util/random.h"

#include "engine/operator_cases.h"
#include "kernels/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace dsnn {
namespace {

using engine::Call;
using engine::num_numbers;
using engine::Shape;
using engine::Shapes;
using testing::OperatorCase;

constexpr std::uint64_t kSeed = 11;
constexpr double kGuard = 1234.5;
constexpr std::size_t kGuards = 16;

/// Arrays with numbers behind them that nobody may touch.
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

  /// The gradients of sum factors . results, asked for one by one or all at once.
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

double weighted_sum(const Runner<double>& runner, const std::vector<std::vector<double>>& factors) {
  double sum = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t k = 0; k < factors[i].size(); ++k) {
      sum += factors[i][k] * runner.outputs()[i].data[k];
    }
  }
  return sum;
}

TEST(Operators, GradientsByCentralDifferences) {
  for (const OperatorCase& each : testing::operator_cases(false)) {
    Runner<double> runner(each, 1);
    const auto factors = random_factors<double>(each, runner.results());
    runner.forward();
    runner.backward(factors, engine::ArgumentSet::all());
    for (std::size_t i = 0; i < each.numbers.size(); ++i) {
      const bool is_free =
          std::ranges::find(each.not_free, static_cast<int>(i)) == each.not_free.end();
      if (!is_free || !each.op->differentiable().has(static_cast<int>(i))) continue;
      const std::vector<double> gradient = runner.input_grads()[i].data;
      double largest = 1e-3, worst = 0;
      for (std::size_t k = 0; k < each.numbers[i].size(); ++k) {
        constexpr double kStep = 1e-5;
        double& number = runner.input(i)[k];
        const double before = number;
        number = before + kStep;
        runner.forward();
        const double above = weighted_sum(runner, factors);
        number = before - kStep;
        runner.forward();
        const double below = weighted_sum(runner, factors);
        number = before;
        const double slope = (above - below) / (2 * kStep);
        largest = std::max(largest, std::abs(slope));
        worst = std::max(worst, std::abs(slope - gradient[k]));
      }
      EXPECT_LT(worst / largest, 1e-6) << each.name << ", argument " << i;
    }
  }
}

// What is not asked for is not needed, and changes nothing.
TEST(Operators, GradientsOneByOneAreThoseOfAll) {
  for (const OperatorCase& each : testing::operator_cases(false)) {
    Runner<double> all(each, 1);
    const auto factors = random_factors<double>(each, all.results());
    all.forward();
    all.backward(factors, engine::ArgumentSet::all());
    for (std::size_t i = 0; i < each.numbers.size(); ++i) {
      if (each.numbers[i].empty() || !each.op->differentiable().has(static_cast<int>(i))) continue;
      Runner<double> one(each, 1);
      one.forward();
      one.backward(factors, engine::ArgumentSet({static_cast<int>(i)}));
      const auto &a = one.input_grads()[i].data, &b = all.input_grads()[i].data;
      EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(double)))
          << each.name << ", argument " << i;
    }
  }
}

template <class T>
void expect_same_bits_for_any_threads() {
  for (const OperatorCase& each : testing::operator_cases(true)) {
    Runner<T> first(each, 1);
    const auto factors = random_factors<T>(each, first.results());
    first.forward();
    first.backward(factors, engine::ArgumentSet::all());
    for (const int threads : {2, 3, 8}) {
      Runner<T> other(each, threads);
      other.forward();
      other.backward(factors, engine::ArgumentSet::all());
      for (std::size_t i = 0; i < first.outputs().size(); ++i) {
        EXPECT_EQ(first.outputs()[i].data, other.outputs()[i].data) << each.name << " " << threads;
      }
      for (std::size_t i = 0; i < first.input_grads().size(); ++i) {
        EXPECT_EQ(first.input_grads()[i].data, other.input_grads()[i].data)
            << each.name << " " << threads;
      }
    }
  }
}

TEST(Operators, TheSameBitsForAnyNumberOfThreads) {
  expect_same_bits_for_any_threads<float>();
  expect_same_bits_for_any_threads<double>();
}

TEST(Operators, FloatsAreNearDoubles) {
  for (const OperatorCase& each : testing::operator_cases(false)) {
    Runner<double> exact(each, 1);
    Runner<float> rounded(each, 1);
    exact.forward();
    rounded.forward();
    for (std::size_t i = 0; i < exact.outputs().size(); ++i) {
      if (!each.op->differentiable_results().has(static_cast<int>(i))) continue;
      double largest = 1e-3, worst = 0;
      for (std::size_t k = 0; k < exact.outputs()[i].size(); ++k) {
        const double x = exact.outputs()[i].data[k];
        largest = std::max(largest, std::abs(x));
        worst = std::max(worst, std::abs(x - static_cast<double>(rounded.outputs()[i].data[k])));
      }
      EXPECT_LT(worst / largest, 2e-5) << each.name;
    }
  }
}

TEST(Operators, HaveNamesAndCosts) {
  for (const OperatorCase& each : testing::operator_cases(false)) {
    const Shapes results = each.op->infer(each.shapes);
    const engine::Cost cost = each.op->cost(each.shapes, results);
    EXPECT_FALSE(each.op->name().empty());
    EXPECT_GT(cost.numbers, 0) << each.name;
    EXPECT_GE(cost.operations, 0) << each.name;
    EXPECT_GE(each.op->scratch(each.shapes, results, true), 0) << each.name;
  }
}

}  // namespace
}  // namespace dsnn
