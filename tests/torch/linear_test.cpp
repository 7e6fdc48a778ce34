#include "support/expect_error.h"
#include "torch/gradient_check.h"
#include "torch/torch_operators.h"

#include <ATen/ATen.h>

#include <gtest/gtest.h>

#include <cmath>

namespace dsnn {
namespace {

using testing::expect_error;
using testing::random_tensor;
using testing::relative_error;
using Tensors = std::vector<at::Tensor>;

double tolerance_of(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat ? 2e-5 : 1e-12;
}

/// Result and gradients of `fast` against those of `slow` in double.
void expect_like(const testing::TensorFunction& fast, const testing::TensorFunction& slow,
                 const Tensors& inputs) {
  Tensors exact;
  for (const at::Tensor& input : inputs) exact.push_back(input.to(at::kDouble));
  const at::Tensor expected = slow(exact);
  const at::Tensor actual = fast(inputs);
  ASSERT_EQ(actual.sizes(), expected.sizes());
  EXPECT_LT(relative_error(actual, expected), tolerance_of(inputs[0])) << inputs[0].sizes();
  const at::Tensor weights = random_tensor(expected.sizes(), 99);
  const auto weighted = [&](const testing::TensorFunction& function) {
    return [&, function](const Tensors& t) {
      return (function(t) * weights.to(t[0].scalar_type())).sum();
    };
  };
  const auto fast_gradients = testing::gradients(weighted(fast), inputs);
  const auto slow_gradients = testing::gradients(weighted(slow), exact);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_LT(relative_error(fast_gradients[i], slow_gradients[i]), tolerance_of(inputs[0]))
        << inputs[0].sizes() << ", gradient " << i;
  }
  testing::expect_same_alone(weighted(fast), inputs, fast_gradients, tolerance_of(inputs[0]));
}

/// Calls `result` with 1, 2, 3 and 8 threads; the bits must be the same.
void expect_same_bits(const std::function<Tensors()>& result) {
  const int before = testing::test_threads();
  testing::set_test_threads(1);
  const Tensors expected = result();
  for (const int threads : {2, 3, 8}) {
    testing::set_test_threads(threads);
    const Tensors actual = result();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(at::equal(actual[i], expected[i])) << threads << " threads, result " << i;
    }
  }
  testing::set_test_threads(before);
}

// --- linear ---

at::Tensor plain_linear(const Tensors& t) {
  const at::Tensor y = t[0].dim() == 2 ? at::mm(t[0], t[1]) : at::bmm(t[0], t[1]).sum(0);
  return t.size() == 3 ? y + t[2] : y;
}

at::Tensor fast_linear(const Tensors& t) {
  return ops::linear(t[0], t[1], t.size() == 3 ? t[2] : at::Tensor());
}

TEST(Linear, IsTheFormulaAtEveryWidth) {
  for (std::int64_t outputs = 1; outputs <= 70; ++outputs) {
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      const std::int64_t rows = 1 + outputs % 23, inputs = 1 + outputs % 11;
      const auto seed = static_cast<std::uint64_t>(outputs);
      const at::Tensor bias = random_tensor({outputs}, seed, dtype);
      expect_like(fast_linear, plain_linear,
                  {random_tensor({rows, inputs}, seed + 1, dtype),
                   random_tensor({inputs, outputs}, seed + 2, dtype), bias});
      expect_like(fast_linear, plain_linear,
                  {random_tensor({2, rows, inputs}, seed + 3, dtype),
                   random_tensor({2, inputs, outputs}, seed + 4, dtype)});
    }
  }
}

TEST(Linear, IsTheFormulaOverManyBlocks) {
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    expect_like(fast_linear, plain_linear,
                {random_tensor({2, 20'001, 7}, 1, dtype), random_tensor({2, 7, 19}, 2, dtype),
                 random_tensor({19}, 3, dtype)});
  }
}

TEST(Linear, DoesWithNothing) {
  const at::Tensor empty = at::zeros({0, 3});
  EXPECT_EQ(ops::linear(empty, at::zeros({3, 2}), {}).sizes(), at::IntArrayRef({0, 2}));
  EXPECT_TRUE(at::equal(ops::linear(at::zeros({4, 0}), at::zeros({0, 2}), at::ones({2})),
                        at::ones({4, 2})));
  expect_like(fast_linear, plain_linear,
              {at::zeros({0, 3}, at::kDouble), at::zeros({3, 2}, at::kDouble)});
}

TEST(Linear, HasTheSameBitsForAnyNumberOfThreads) {
  const Tensors inputs = {random_tensor({2, 5003, 33}, 1, at::kFloat),
                          random_tensor({2, 33, 40}, 2, at::kFloat),
                          random_tensor({40}, 3, at::kFloat)};
  expect_same_bits([&] {
    Tensors results =
        testing::gradients([](const Tensors& t) { return fast_linear(t).square().sum(); }, inputs);
    results.push_back(fast_linear(inputs));
    return results;
  });
}

TEST(Linear, GradientsByCentralDifferences) {
  testing::expect_gradients(
      fast_linear,
      {random_tensor({2, 5, 3}, 1), random_tensor({2, 3, 4}, 2), random_tensor({4}, 3)}, "linear");
}

TEST(Linear, RefusesWhatDoesNotFit) {
  const at::Tensor x = at::zeros({5, 3});
  expect_error(
      [&] {
        ops::linear(x, at::zeros({4, 2}), {});
      },
      "linear: weight must have shape [3, any] (got [4, 2])");
  expect_error(
      [&] {
        ops::linear(x, at::zeros({3, 2}), at::zeros({3}));
      },
      "linear: bias must have shape [2] (got [3])");
  expect_error(
      [&] {
        ops::linear(at::zeros({5}), at::zeros({3, 2}), {});
      },
      "linear: x must have shape [any, any, any] (got [5])");
}

// --- dropout ---

TEST(Dropout, LeavesOutTheRightShareAndScalesTheRest) {
  for (const double p : {0.0, 0.1, 0.5, 0.9}) {
    const at::Tensor y = ops::dropout(at::ones({1000, 200}), {.probability = p, .seed = 5});
    const double zeros = y.eq(0).to(at::kDouble).mean().item<double>();
    EXPECT_NEAR(zeros, p, 4 * std::sqrt(p * (1 - p) / 200'000) + 1e-12) << p;
    EXPECT_NEAR(y.max().item<double>(), 1 / (1 - p), 1e-5);
    // No row or column is treated differently.
    const at::Tensor by_column = y.eq(0).to(at::kDouble).mean(0);
    EXPECT_LT((by_column - p).abs().max().item<double>(),
              6 * std::sqrt(p * (1 - p) / 1000) + 1e-12);
  }
}

TEST(Dropout, IsAFunctionOfSeedAndPlace) {
  const at::Tensor ones = at::ones({2, 300, 70});
  const auto mask = [&](std::int64_t seed, bool merged) {
    return ops::dropout(ones, {.probability = 0.5, .seed = seed, .merged_planes = merged});
  };
  EXPECT_TRUE(at::equal(mask(1, false), mask(1, false)));
  for (const std::int64_t other : {2, 3, -1, 1 << 20}) {
    const double equal =
        mask(1, false).eq(mask(other, false)).to(at::kDouble).mean().item<double>();
    EXPECT_NEAR(equal, 0.5, 0.02) << other;
  }
  // Of two places in the model, and of neighbouring seeds and places.
  const auto at_place = [&](std::int64_t seed, std::int64_t place) {
    return ops::dropout(ones, {.probability = 0.5, .seed = seed, .place = place});
  };
  EXPECT_TRUE(at::equal(at_place(1, 0), mask(1, false)));
  for (const auto& [seed, place] : {std::pair{1, 1}, {1, 2}, {0, 1}, {2, 1}, {0, 2}}) {
    const double equal =
        mask(1, false).eq(at_place(seed, place)).to(at::kDouble).mean().item<double>();
    EXPECT_NEAR(equal, 0.5, 0.02) << seed << ", " << place;
  }
  const at::Tensor merged = mask(1, true), separate = mask(1, false);
  EXPECT_TRUE(at::equal(merged.select(0, 0), merged.select(0, 1)));
  EXPECT_FALSE(at::equal(separate.select(0, 0), separate.select(0, 1)));
  // The same elements are dropped in double.
  EXPECT_TRUE(at::equal(ops::dropout(ones.to(at::kDouble), {.probability = 0.5, .seed = 1}).ne(0),
                        separate.ne(0)));
  expect_same_bits([&] { return Tensors{mask(7, true), mask(7, false)}; });
}

TEST(Dropout, ItsGradientIsItself) {
  const ops::DropoutOptions options = {.probability = 0.3, .seed = 4, .merged_planes = true};
  testing::expect_gradients([&](const Tensors& t) { return ops::dropout(t[0], options); },
                            {random_tensor({2, 7, 5}, 1)}, "dropout");
  expect_error([] { ops::dropout(at::ones({3}), {.probability = 1}); },
               "dropout: dropout is 1, expected 0 or more and less than 1");
}

// --- bias_activation ---

TEST(BiasActivation, IsTheFormula) {
  std::uint64_t seed = 0;
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{1, 1}, {7, 19}, {3000, 6}, {90, 133}}) {
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      for (const StalkActivation activation :
           {StalkActivation::kIdentity, StalkActivation::kRelu, StalkActivation::kElu}) {
        for (const bool has_bias : {false, true}) {
          const ops::DropoutOptions options = {.probability = ++seed % 3 == 0 ? 0 : 0.4,
                                               .seed = static_cast<std::int64_t>(seed)};
          const auto plain = [&](const Tensors& t) {
            at::Tensor y = has_bias ? t[0] + t[1] : t[0];
            if (activation == StalkActivation::kRelu) y = at::relu(y);
            if (activation == StalkActivation::kElu) y = at::elu(y);
            return y * ops::dropout(at::ones_like(y), options);
          };
          const auto fast = [&](const Tensors& t) {
            return ops::bias_activation(t[0], has_bias ? t[1] : at::Tensor(), activation, options);
          };
          Tensors inputs = {random_tensor(shape, seed, dtype)};
          if (has_bias) inputs.push_back(random_tensor({shape[1]}, seed + 1, dtype));
          expect_like(fast, plain, inputs);
        }
      }
    }
  }
  const Tensors inputs = {random_tensor({5003, 33}, 1, at::kFloat),
                          random_tensor({33}, 2, at::kFloat)};
  expect_same_bits([&] {
    return testing::gradients(
        [](const Tensors& t) {
          return ops::bias_activation(t[0], t[1], StalkActivation::kElu,
                                      {.probability = 0.5, .seed = 1})
              .square()
              .sum();
        },
        inputs);
  });
  expect_error(
      [] {
        ops::bias_activation(at::ones({2, 3}), at::ones({2}), StalkActivation::kElu);
      },
      "bias_activation: bias must have shape [3] (got [2])");
}

// --- stalk_linear ---

/// With torch's operators and the mask of ops::dropout.
at::Tensor plain_stalk(const at::Tensor& x, const at::Tensor& left, const at::Tensor& right,
                       const ops::DropoutOptions& options) {
  at::Tensor y = x * ops::dropout(at::ones_like(x), options);
  const auto expand = [&](const at::Tensor& weight) {  // one for each plane, for each node
    return (weight.dim() == 3 ? weight : weight.unsqueeze(0)).unsqueeze(1);
  };
  if (left.defined()) y = at::matmul(expand(left), y);
  if (right.defined()) y = at::matmul(y, expand(right));
  return y;
}

TEST(StalkLinear, IsTheFormula) {
  std::uint64_t seed = 0;
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{1, 9, 1, 1},
                                              {2, 30, 3, 5},
                                              {2, 11, 4, 32},
                                              {1, 1300, 5, 17},
                                              {2, 700, 2, 40},
                                              {2, 3, 6, 130}}) {
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      for (const bool per_plane : {false, true}) {
        for (int which = 0; which < 4; ++which) {
          ++seed;
          const ops::DropoutOptions options = {.probability = seed % 3 == 0 ? 0 : 0.4,
                                               .seed = static_cast<std::int64_t>(seed),
                                               .merged_planes = seed % 2 == 0};
          const bool has_left = which & 1, has_right = which & 2;
          const auto square = [&](std::int64_t size) {
            return per_plane ? random_tensor({shape[0], size, size}, seed + 1, dtype)
                             : random_tensor({size, size}, seed + 2, dtype);
          };
          Tensors inputs = {random_tensor(shape, seed, dtype)};
          if (has_left) inputs.push_back(square(shape[2]));
          if (has_right) inputs.push_back(square(shape[3]));
          const auto call = [&](const auto& function) {
            return [&, function](const Tensors& t) {
              return function(t[0], has_left ? t[1] : at::Tensor(),
                              has_right ? t.back() : at::Tensor(), options);
            };
          };
          expect_like(call(ops::stalk_linear), call(plain_stalk), inputs);
        }
      }
    }
  }
}

TEST(StalkLinear, HasTheSameBitsForAnyNumberOfThreads) {
  const Tensors inputs = {random_tensor({2, 2003, 4, 32}, 1, at::kFloat),
                          random_tensor({4, 4}, 2, at::kFloat),
                          random_tensor({32, 32}, 3, at::kFloat)};
  const auto layer = [](const Tensors& t) {
    return ops::stalk_linear(t[0], t[1], t[2], {.probability = 0.5, .seed = 3});
  };
  expect_same_bits([&] {
    Tensors results =
        testing::gradients([&](const Tensors& t) { return layer(t).square().sum(); }, inputs);
    results.push_back(layer(inputs));
    return results;
  });
}

TEST(StalkLinear, RefusesWhatDoesNotFit) {
  const at::Tensor x = at::zeros({2, 5, 3, 4});
  expect_error(
      [&] {
        ops::stalk_linear(x, at::zeros({4, 4}), {});
      },
      "stalk_linear: left must have shape [3, 3] (got [4, 4])");
  expect_error(
      [&] {
        ops::stalk_linear(x, {}, at::zeros({1, 4, 4}));
      },
      "stalk_linear: right must have shape [2, 4, 4] (got [1, 4, 4])");
  expect_error(
      [&] {
        ops::stalk_linear(x, at::zeros({3, 3}), at::zeros({2, 4, 4}));
      },
      "stalk_linear: left and right must both have one weight per plane, or both one weight "
      "for all planes");
}

// --- cross_entropy ---

at::Tensor longs(const std::vector<std::int64_t>& numbers) {
  return at::tensor(numbers, at::kLong);
}

TEST(CrossEntropy, IsTheFormula) {
  const at::Tensor labels = longs({0, 2, 1, -1, 2});
  const at::Tensor nodes = longs({4, 0, 2});
  const auto plain = [&](const Tensors& t) {
    return at::nll_loss(at::log_softmax(t[0].index_select(0, nodes), 1),
                        labels.index_select(0, nodes));
  };
  const auto fast = [&](const Tensors& t) { return ops::cross_entropy(t[0], labels, nodes); };
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    expect_like(fast, plain, {3 * random_tensor({5, 3}, 1, dtype)});
  }
  testing::expect_gradients(fast, {random_tensor({5, 3}, 2)}, "cross_entropy");
  // Large numbers do not overflow.
  EXPECT_NEAR(
      ops::cross_entropy(at::tensor({1e4, -1e4}, at::kDouble).view({1, 2}), longs({1}), longs({0}))
          .item<double>(),
      2e4, 1e-9);
}

TEST(CrossEntropy, RefusesWhatDoesNotFit) {
  const at::Tensor logits = at::zeros({3, 2});
  const at::Tensor labels = longs({0, 1, -1});
  expect_error([&] { ops::cross_entropy(logits, labels, longs({})); },
               "cross_entropy: nodes must not be empty");
  expect_error([&] { ops::cross_entropy(logits, labels, longs({3})); },
               "cross_entropy: nodes has 3, expected 0 to 2");
  expect_error([&] { ops::cross_entropy(logits, labels, longs({2})); },
               "cross_entropy: node 2 has label -1, expected 0 to 1");
}

}  // namespace
}  // namespace dsnn
