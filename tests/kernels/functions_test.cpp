// Exponentials and related functions against those of the standard library.
#include "kernels/elementwise.h"
#include "kernels/executor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace dsnn::kernels {
namespace {

using engine::Function;

struct Known {
  Function function;
  std::function<double(double)> value, slope;
};

const std::vector<Known>& known_functions() {
  static const std::vector<Known> known = {
      {Function::kElu, [](double x) { return x < 0 ? std::expm1(x) : x; },
       [](double x) { return x < 0 ? std::exp(x) : 1; }},
      {Function::kTanh, [](double x) { return std::tanh(x); },
       [](double x) { return 1 - std::tanh(x) * std::tanh(x); }},
      {Function::kSoftplus,
       [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); },
       [](double x) { return 1 / (1 + std::exp(-x)); }}};
  return known;
}

/// Numbers of all sizes and both signs.
template <class T>
std::vector<T> numbers() {
  std::vector<T> result = {0};
  for (double x = 1e-6; x < 500; x *= 1.003) {
    result.push_back(static_cast<T>(x));
    result.push_back(static_cast<T>(-x));
  }
  return result;
}

template <class T>
void expect_accurate() {
  const SerialExecutor executor;
  const std::vector<T> x = numbers<T>();
  const auto size = static_cast<std::int64_t>(x.size());
  const std::vector<T> ones(x.size(), T{1});
  std::vector<T> y(x.size()), slope(x.size());
  const double unit = std::numeric_limits<T>::epsilon();
  for (const Known& known : known_functions()) {
    apply_function(executor, known.function, size, x.data(), y.data());
    apply_function_backward(executor, known.function, size, x.data(), ones.data(), slope.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<double>(x[i]);
      const double value = known.value(at), known_slope = known.slope(at);
      EXPECT_NEAR(static_cast<double>(y[i]), value,
                  4 * unit * std::abs(value) + 4 * std::numeric_limits<T>::min())
          << static_cast<int>(known.function) << " of " << at;
      // The slope of tanh is a difference of numbers near 1.
      EXPECT_NEAR(static_cast<double>(slope[i]), known_slope,
                  4 * unit * (known.function == Function::kTanh ? 1 : known_slope) +
                      4 * std::numeric_limits<T>::min())
          << static_cast<int>(known.function) << "' of " << at;
    }
  }
}

TEST(Functions, AreAccurateToAFewUnitsInTheLastPlace) {
  expect_accurate<float>();
  expect_accurate<double>();
}

TEST(Functions, KeepWhatIsNotANumber) {
  const SerialExecutor executor;
  const float x = std::numeric_limits<float>::quiet_NaN();
  for (const Known& known : known_functions()) {
    float y = 0;
    apply_function(executor, known.function, 1, &x, &y);
    EXPECT_TRUE(std::isnan(y)) << static_cast<int>(known.function);
  }
}

TEST(Functions, KnowTheEnds) {
  const SerialExecutor executor;
  const auto of = [&](Function function, float x) {
    float y = 0;
    apply_function(executor, function, 1, &x, &y);
    return y;
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(of(Function::kElu, -kInfinity), -1);
  EXPECT_EQ(of(Function::kElu, kInfinity), kInfinity);
  EXPECT_EQ(of(Function::kTanh, -kInfinity), -1);
  EXPECT_EQ(of(Function::kTanh, 1e30f), 1);
  EXPECT_EQ(of(Function::kSoftplus, -kInfinity), 0);
  EXPECT_EQ(of(Function::kSoftplus, 1e30f), 1e30f);
}

}  // namespace
}  // namespace dsnn::kernels
