// Every operator on the GPU against the processor, in both precisions, with the sizes of the tests
// of the processor's kernels and those around warps and blocks.
#include "cuda/gpu_runner.h"
#include "cuda/near.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace dsnn {
namespace {

using testing::expect_like_processor;
using testing::GpuRunner;
using testing::is_emulated;
using testing::OperatorCase;
using testing::random_factors;

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
