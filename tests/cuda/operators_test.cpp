// Every operator on the GPU against the processor, in both precisions, with the sizes of the tests
// of the processor's kernels and those around warps and blocks.
#include "cuda/gpu_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace dsnn {
namespace {

using testing::GpuRunner;
using testing::OperatorCase;
using testing::random_factors;
using testing::Runner;

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
      // A single value is a sum over everything, whose terms cancel.
      const double factor = other.size() == 1 ? 10 : 1;
      expect_near<T>({data.begin(), data.end() - testing::kGuards}, other, factor * tolerance,
                     what);
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
bool is_emulated() { return engine::Device::cuda().name() == "emulated GPU"; }

TEST(CudaOperators, AreThoseOfTheProcessor) {
  DSNN_NEED_GPU();
  expect_like_processor<double>(testing::operator_cases(false), 1e-12);
  expect_like_processor<float>(testing::operator_cases(false), 1e-5);
}

TEST(CudaOperators, AreThoseOfTheProcessorOnLargerGraphs) {
  DSNN_NEED_GPU();
  if (is_emulated()) GTEST_SKIP() << "the GPU is emulated";
  expect_like_processor<double>(testing::operator_cases(true), 1e-12);
  expect_like_processor<float>(testing::operator_cases(true), 1e-5);
}

TEST(CudaOperators, AreThoseOfTheProcessorForAllShapes) {
  DSNN_NEED_GPU();
  if (is_emulated()) GTEST_SKIP() << "the GPU is emulated";
  expect_like_processor<double>(testing::shape_cases(), 1e-12);
  expect_like_processor<float>(testing::shape_cases(), 1e-5);
}

template <class T>
void expect_same_bits(int runs) {
  const engine::Device device = engine::Device::cuda();
  for (const OperatorCase& each : testing::operator_cases(true)) {
    GpuRunner<T> runner(each, device);
    const auto factors = random_factors<T>(each, runner.results());
    std::vector<std::vector<T>> first;
    for (int run = 0; run < runs; ++run) {
      runner.forward();
      runner.backward(factors);
      std::vector<std::vector<T>> now;
      for (std::size_t i = 0; i < runner.results().size(); ++i) now.push_back(runner.output(i));
      for (std::size_t i = 0; i < each.numbers.size(); ++i) {
        if (!each.op->differentiable().has(static_cast<int>(i)) || !each.shapes.has(i)) continue;
        now.push_back(runner.input_grad(i));
      }
      if (run == 0) first = now;
      EXPECT_EQ(first, now) << each.name;
    }
  }
}

TEST(CudaOperators, GiveTheSameBitsInEveryRun) {
  DSNN_NEED_GPU();
  if (is_emulated()) GTEST_SKIP() << "an emulated GPU has one order only";
  expect_same_bits<float>(100);
  expect_same_bits<double>(10);
}

}  // namespace
}  // namespace dsnn
