// Properties that every operator must have.
#include "dsnn/engine/operator.h"

#include "engine/operator_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace dsnn {
namespace {

using engine::Shapes;
using testing::OperatorCase;
using testing::random_factors;
using testing::Runner;

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

// Gradients that are not requested are not needed, and do not change others.
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

void expect_floats_near_doubles(const std::vector<OperatorCase>& cases) {
  for (const OperatorCase& each : cases) {
    Runner<double> exact(each, 1);
    Runner<float> rounded(each, 1);
    const auto factors = random_factors<double>(each, exact.results());
    exact.forward();
    rounded.forward();
    exact.backward(factors, engine::ArgumentSet::all());
    rounded.backward(random_factors<float>(each, exact.results()), engine::ArgumentSet::all());
    const auto expect = [&](const std::vector<double>& a, const std::vector<float>& b) {
      double largest = 1e-3, worst = 0;
      for (std::size_t k = 0; k < a.size() - testing::kGuards; ++k) {
        largest = std::max(largest, std::abs(a[k]));
        worst = std::max(worst, std::abs(a[k] - static_cast<double>(b[k])));
      }
      EXPECT_LT(worst / largest, 1e-4) << each.name;
    };
    for (std::size_t i = 0; i < exact.outputs().size(); ++i) {
      if (!each.op->differentiable_results().has(static_cast<int>(i))) continue;
      expect(exact.outputs()[i].data, rounded.outputs()[i].data);
    }
    for (std::size_t i = 0; i < exact.input_grads().size(); ++i) {
      if (!each.op->differentiable().has(static_cast<int>(i))) continue;
      expect(exact.input_grads()[i].data, rounded.input_grads()[i].data);
    }
  }
}

TEST(Operators, FloatsAreNearDoubles) {
  expect_floats_near_doubles(testing::operator_cases(false));
}

// In float, common dimensions and numbers of channels have specialised loops; in double there is
// one generic loop.
TEST(Operators, FloatsAreNearDoublesForAllShapes) {
  expect_floats_near_doubles(testing::shape_cases());
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
