#include "dsnn/engine/program.h"

#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/session.h"
#include "dsnn/util/error.h"

#include "support/expect_error.h"

#include <gtest/gtest.h>

namespace dsnn::engine {
namespace {

const Weight kWeight = {"weight", {3, 2}, 0};

TEST(Program, RefusesArgumentsThatDoNotFit) {
  Program program;
  const Value x = program.zeros({5, 4});
  testing::expect_error([&] { linear(x, kWeight); },
                        "linear: weight must have shape [4, any] (got [3, 2])");
  testing::expect_error(
      [&] {
        x + program.zeros({4, 5});
      },
      "combine: y must have shape [5, 4] (got [4, 5])");
  testing::expect_error(
      [&] {
        program.reshape(x, {3, 3});
      },
      "reshape: [3, 3] and [5, 4] have different numbers of elements");
  testing::expect_error(
      [&] {
        linear(program.zeros({5, 3}), Operand());
      },
      "linear: weight is missing");
  testing::expect_error([&] { drop(x, {1.0}); },
                        "dropout: dropout is 1, expected 0 or more and less than 1");
}

TEST(Program, HasNoSecondDerivative) {
  Program program;
  const Value y = linear(program.zeros({4, 3}), kWeight);
  const Value loss = cross_entropy(y, {0, 1, 0, 1}, {0, 1});
  program.differentiate(loss);
  testing::expect_error([&] { program.differentiate(loss); },
                        "differentiate: the program has gradients already; there are no second "
                        "derivatives");
}

TEST(Program, TheLossIsOneNumber) {
  Program program;
  const Value y = linear(program.zeros({4, 3}), kWeight);
  testing::expect_error([&] { program.differentiate(y); },
                        "differentiate: the loss has shape [4, 2], expected a single value");
}

/// The gradient of a loss in two weights [2], at 1, 2 and 3, 5.
std::vector<double> gradient(const std::function<Value(Program&, Value, Value)>& make) {
  const std::vector<double> weights = {1, 2, 3, 5};
  std::vector<double> gradients(4, -7);
  Program program;
  const Weight a = {"a", {2}, 0}, b = {"b", {2}, 2};
  const Value y = make(program, program.parameter(a), program.parameter(b));
  // The sum of its numbers.
  const std::int64_t size = num_numbers(y.shape());
  const Value ones =
      program.constant({size, 1}, std::vector<double>(static_cast<std::size_t>(size), 1));
  const Value sum = linear(program.reshape(y, {1, size}), ones);
  program.differentiate(sum);
  Session<double> session(program, Device::cpu(), weights, gradients);
  session.forward();
  session.backward();
  return gradients;
}

TEST(Differentiate, AddsUpAllUsesOfAValue) {
  // a b + a a: b + 2 a, a
  EXPECT_EQ(gradient([](Program&, Value a, Value b) { return a * b + a * a; }),
            (std::vector<double>{5, 9, 1, 2}));
}

TEST(Differentiate, PassesGradientsOnUnchanged) {
  EXPECT_EQ(gradient([](Program&, Value a, Value b) { return a + b; }),
            (std::vector<double>{1, 1, 1, 1}));
  EXPECT_EQ(gradient([](Program&, Value a, Value b) { return a - b; }),
            (std::vector<double>{1, 1, -1, -1}));
  EXPECT_EQ(gradient([](Program&, Value a, Value b) { return (a + b) + a; }),
            (std::vector<double>{2, 2, 1, 1}));
}

TEST(Differentiate, ReshapedValuesShareTheirGradient) {
  EXPECT_EQ(gradient([](Program& p, Value a, Value b) {
              return p.reshape(a, {2, 1}) * p.reshape(b, {2, 1}) + 2.0 * p.reshape(a, {2, 1});
            }),
            (std::vector<double>{5, 7, 1, 2}));
}

TEST(Differentiate, DetachedValuesPassNone) {
  // a (2 b), where nothing reaches b; -7: not written.
  EXPECT_EQ(
      gradient([](Program& program, Value a, Value b) { return a * program.detach(2.0 * b); }),
      (std::vector<double>{6, 10, -7, -7}));
  // a (a b), the second a detached: a b and a^2.
  EXPECT_EQ(gradient([](Program& program, Value a, Value b) {
              return a * (program.reshape(program.reshape(program.detach(a), {1, 2}), {2}) * b);
            }),
            (std::vector<double>{3, 10, 1, 4}));
}

TEST(Differentiate, ResultsThatNobodyUsesHaveNone) {
  EXPECT_EQ(gradient([](Program& p, Value a, Value b) {
              const auto parts = split(p.reshape(a, {1, 2}), {1, 1});
              return times_number(parts[1], b, 0);
            }),
            (std::vector<double>{0, 3, 2, 0}));
}

TEST(Differentiate, LeavesWeightsAloneThatAreNotUsed) {
  EXPECT_EQ(gradient([](Program&, Value a, Value) { return 3.0 * a; }),
            (std::vector<double>{3, 3, -7, -7}));
}

}  // namespace
}  // namespace dsnn::engine
