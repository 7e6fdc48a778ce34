#pragma once

#include "cuda/gpu_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace dsnn::testing {

template <class T>
void expect_near(const std::vector<T>& expected, const std::vector<T>& got, double tolerance,
                 const std::string& what) {
  ASSERT_EQ(expected.size(), got.size()) << what;
  double largest = 1e-3, worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto difference = static_cast<double>(expected[i]) - static_cast<double>(got[i]);
    largest = std::max(largest, std::abs(static_cast<double>(expected[i])));
    worst = std::isnan(difference) ? 1e300 : std::max(worst, std::abs(difference));
  }
  EXPECT_LT(worst / largest, tolerance) << what;
}

template <class T>
void expect_like_processor(const std::vector<OperatorCase>& cases, double tolerance) {
  const engine::Device device = engine::Device::cuda();
  for (const OperatorCase& each : cases) {
    Runner<T> expected(each, 1);
    GpuRunner<T> got(each, device);
    const auto factors = random_factors<T>(each, expected.results());
    expected.forward();
    got.forward();
    const auto expect = [&](const std::vector<T>& data, const std::vector<T>& other,
                            const std::string& what) {
      // One or two values are sums over everything, whose terms cancel.
      const double factor = other.size() <= 2 ? 10 : 1;
      expect_near<T>({data.begin(), data.end() - kGuards}, other, factor * tolerance, what);
    };
    for (std::size_t i = 0; i < expected.outputs().size(); ++i) {
      // Eigenvectors of equal eigenvalues are not unique.
      if (!each.op->differentiable_results().has(static_cast<int>(i))) continue;
      expect(expected.outputs()[i].data, got.output(i), each.name);
    }
    expected.backward(factors, engine::ArgumentSet::all());
    got.backward(factors);
    for (std::size_t i = 0; i < expected.input_grads().size(); ++i) {
      if (!each.op->differentiable().has(static_cast<int>(i)) || !each.shapes.has(i)) continue;
      expect(expected.input_grads()[i].data, got.input_grad(i),
             each.name + ", gradient " + std::to_string(i));
    }
  }
}

/// A GPU is emulated one thread at a time: too slow for large cases.
inline bool is_emulated() { return engine::Device::cuda().name() == "emulated GPU"; }

}  // namespace dsnn::testing
