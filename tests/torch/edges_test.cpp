#include "dsnn/util/random.h"

#include "support/expect_error.h"
#include "torch/gradient_check.h"
#include "torch/torch_operators.h"

#include <ATen/ATen.h>

#include <gtest/gtest.h>

#include <limits>

namespace dsnn {
namespace {

using ops::SparseMatrix;
using testing::random_tensor;
using testing::relative_error;
using testing::TensorFunction;
using Tensors = std::vector<at::Tensor>;

/// Columns in any order, some twice; some rows without entries; row 1 with `hub` entries. Values
/// that must not be used.
SparseMatrix random_matrix(std::int64_t rows, std::int64_t cols, std::uint64_t seed,
                           std::uint64_t hub = 0) {
  Random random(seed);
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> columns;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::uint64_t count = random.below(3) == 0 ? 0 : random.below(8);
    if (r == 1 && hub > 0) count = hub;
    if (cols == 0) count = 0;
    for (std::uint64_t k = 0; k < count; ++k) {
      columns.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(cols))));
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  const std::vector<double> values(columns.size(), std::numeric_limits<double>::quiet_NaN());
  return {offsets, columns, values, cols};
}

/// The definitions, one entry at a time, from LibTorch's operators, which provide derivatives.
/// Heads are rows: x[u] is [heads, f].
struct Plain {
  const SparseMatrix& matrix;

  template <class Body>
  void for_row(std::int64_t u, const Body& body) const {
    const auto row = static_cast<std::size_t>(u);
    for (std::int64_t e = matrix.row_offsets()[row]; e < matrix.row_offsets()[row + 1]; ++e) {
      body(e, matrix.cols()[static_cast<std::size_t>(e)]);
    }
  }

  /// score(u, v) of every entry.
  template <class Score>
  at::Tensor scores(at::IntArrayRef empty, const Score& score) const {
    Tensors list;
    for (std::int64_t u = 0; u < matrix.num_rows(); ++u) {
      for_row(u, [&](std::int64_t, std::int64_t v) { list.push_back(score(u, v)); });
    }
    return list.empty() ? at::zeros(empty, at::kDouble) : at::stack(list);
  }

  at::Tensor sum(const at::Tensor& left, const at::Tensor& right) const {
    return scores({0, left.size(1)},
                  [&](std::int64_t u, std::int64_t v) { return left[u] + right[v]; });
  }

  at::Tensor dot(const at::Tensor& x, const at::Tensor& y, std::int64_t heads) const {
    return scores({0, heads}, [&](std::int64_t u, std::int64_t v) {
      return (x[u] * y[v]).view({heads, x.size(1) / heads}).sum(1);
    });
  }

  at::Tensor attention(const at::Tensor& left, const at::Tensor& right, const at::Tensor& weight,
                       double slope) const {
    return scores({0, weight.size(0)}, [&](std::int64_t u, std::int64_t v) {
      const at::Tensor t = (left[u] + right[v]).view(weight.sizes());
      return (weight * at::where(t > 0, t, slope * t)).sum(1);
    });
  }

  at::Tensor softmax(const at::Tensor& s) const {
    Tensors list = {s.slice(0, 0, 0)};
    for (std::int64_t u = 0; u < matrix.num_rows(); ++u) {
      at::Tensor total = at::zeros({s.size(1)}, s.options());
      for_row(u, [&](std::int64_t e, std::int64_t) { total = total + s[e].exp(); });
      for_row(u, [&](std::int64_t e, std::int64_t) {
        list.push_back((s[e].exp() / total).unsqueeze(0));
      });
    }
    return at::cat(list);
  }

  at::Tensor spmm(const at::Tensor& values, const at::Tensor& x) const {
    const std::int64_t heads = values.size(1);
    Tensors list = {at::zeros({0, x.size(1)}, x.options())};
    for (std::int64_t u = 0; u < matrix.num_rows(); ++u) {
      at::Tensor y = at::zeros({heads, x.size(1) / heads}, x.options());
      for_row(u, [&](std::int64_t e, std::int64_t v) {
        y = y + values[e].unsqueeze(1) * x[v].view(y.sizes());
      });
      list.push_back(y.view({1, x.size(1)}));
    }
    return at::cat(list);
  }

  at::Tensor max(const at::Tensor& x) const {
    Tensors list = {at::zeros({0, x.size(1)}, x.options())};
    for (std::int64_t u = 0; u < matrix.num_rows(); ++u) {
      at::Tensor y;
      for_row(u, [&](std::int64_t, std::int64_t v) {
        y = y.defined() ? at::where(x[v] > y, x[v], y) : x[v];
      });
      list.push_back((y.defined() ? y : at::zeros({x.size(1)}, x.options())).unsqueeze(0));
    }
    return at::cat(list);
  }
};

/// An operator, its definition, and inputs for both.
struct Case {
  std::string name;
  TensorFunction fast;
  TensorFunction plain;
  Tensors inputs;
};

/// All operators on a matrix, which has to outlive them.
std::vector<Case> all_cases(const SparseMatrix& matrix, std::int64_t heads, std::int64_t f,
                            at::ScalarType dtype = at::kDouble) {
  const Plain plain{matrix};
  const std::int64_t rows = matrix.num_rows();
  const std::int64_t cols = matrix.num_cols();
  const std::int64_t entries = matrix.num_entries();
  constexpr double kSlope = 0.3;
  const at::Tensor left = random_tensor({rows, heads * f}, 1, dtype);
  const at::Tensor right = random_tensor({cols, heads * f}, 2, dtype);
  const at::Tensor weight = random_tensor({heads, f}, 3, dtype);
  const at::Tensor values = random_tensor({entries, heads}, 4, dtype);
  return {
      {"edge_sum",
       [&](const Tensors& t) { return ops::edge_sum(t[0], t[1], matrix); },
       [=](const Tensors& t) { return plain.sum(t[0], t[1]); },
       {left, right}},
      {"edge_dot",
       [&, heads](const Tensors& t) { return ops::edge_dot(t[0], t[1], matrix, heads); },
       [=](const Tensors& t) { return plain.dot(t[0], t[1], heads); },
       {left, right}},
      {"edge_attention",
       [&](const Tensors& t) { return ops::edge_attention(t[0], t[1], t[2], matrix, kSlope); },
       [=](const Tensors& t) { return plain.attention(t[0], t[1], t[2], kSlope); },
       {left, right, weight}},
      {"edge_softmax",
       [&](const Tensors& t) { return ops::edge_softmax(t[0], matrix); },
       [=](const Tensors& t) { return plain.softmax(t[0]); },
       {values * 3}},
      {"edge_spmm",
       [&](const Tensors& t) { return ops::edge_spmm(t[0], t[1], matrix); },
       [=](const Tensors& t) { return plain.spmm(t[0], t[1]); },
       {values, right}},
      {"neighbour_max",
       [&](const Tensors& t) { return ops::neighbour_max(t[0], matrix); },
       [=](const Tensors& t) { return plain.max(t[0]); },
       {right}},
  };
}

/// Results and gradients of the operators against their definitions in double.
void expect_definitions(const SparseMatrix& matrix, std::int64_t heads, std::int64_t f,
                        at::ScalarType dtype) {
  const double tolerance = dtype == at::kFloat ? 1e-5 : 1e-12;
  for (const Case& c : all_cases(matrix, heads, f, dtype)) {
    SCOPED_TRACE(c.name + ", " + std::to_string(matrix.num_rows()) + " x " +
                 std::to_string(matrix.num_cols()) + ", heads = " + std::to_string(heads) +
                 ", f = " + std::to_string(f) + ", " + c10::toString(dtype));
    Tensors exact;
    for (const at::Tensor& input : c.inputs) exact.push_back(input.to(at::kDouble));
    EXPECT_LT(relative_error(c.fast(c.inputs), c.plain(exact)), tolerance);
    // Without entries a definition does not use its inputs, whose gradients are 0.
    const auto plain = [&](const Tensors& t) {
      at::Tensor y = c.plain(t);
      for (const at::Tensor& input : t) y = y + 0 * input.sum();
      return y;
    };
    const Tensors grads = testing::gradients(c.fast, c.inputs);
    const Tensors exact_grads = testing::gradients(plain, exact);
    for (std::size_t i = 0; i < grads.size(); ++i) {
      EXPECT_LT(relative_error(grads[i], exact_grads[i]), tolerance) << "gradient " << i;
    }
  }
}

TEST(Edges, AreTheirDefinitionsAtEveryWidth) {
  for (std::int64_t f = 1; f <= 70; f = f < 35 ? f + 1 : f + 7) {
    const std::int64_t heads = 1 + f % 8;
    const SparseMatrix matrix = random_matrix(7 + f % 3, 6, static_cast<std::uint64_t>(f));
    expect_definitions(matrix, heads, f, at::kFloat);
    expect_definitions(matrix, 9 - heads, f, at::kDouble);
  }
}

TEST(Edges, AreTheirDefinitionsInARowOfSeveralRuns) {
  for (const std::uint64_t hub : {256, 257, 600}) {
    const SparseMatrix matrix = random_matrix(4, 9, hub, hub);
    expect_definitions(matrix, 1, 5, at::kDouble);
    expect_definitions(matrix, 3, 17, at::kFloat);
  }
}

TEST(Edges, TakeMatricesWithoutRowsColumnsOrEntries) {
  for (const auto& [rows, cols] : {std::pair{0, 5}, {5, 0}, {0, 0}}) {
    expect_definitions(random_matrix(rows, cols, 1), 2, 3, at::kDouble);
  }
  expect_definitions(SparseMatrix({0, 0, 0}, {}, {}, 4), 2, 3, at::kDouble);
  expect_definitions(random_matrix(4, 5, 1), 2, 0, at::kDouble);
}

TEST(Edges, GradientsAreThoseOfCentralDifferences) {
  for (const std::int64_t heads : {1, 3}) {
    const SparseMatrix matrix = random_matrix(6, 5, 2);
    for (const Case& c : all_cases(matrix, heads, 4)) {
      testing::expect_gradients(c.fast, c.inputs, c.name);
    }
  }
}

TEST(Edges, MakeOnlyTheGradientsAskedFor) {
  const SparseMatrix matrix = random_matrix(9, 7, 3);
  for (const Case& c : all_cases(matrix, 2, 3)) {
    const Tensors all = testing::gradients(c.fast, c.inputs);
    for (std::size_t i = 0; i < c.inputs.size(); ++i) {
      const auto one = [&](const Tensors& t) {
        Tensors inputs = c.inputs;
        inputs[i] = t[0];
        return c.fast(inputs);
      };
      EXPECT_TRUE(at::equal(testing::gradients(one, {c.inputs[i]})[0], all[i])) << c.name << i;
    }
    EXPECT_FALSE(c.fast(c.inputs).requires_grad()) << c.name;
  }
}

TEST(Edges, HaveTheSameBitsForAnyNumberOfThreads) {
  const SparseMatrix matrix = random_matrix(3000, 500, 5, 2000);
  const int before = testing::test_threads();
  for (const Case& c : all_cases(matrix, 3, 19, at::kFloat)) {
    Tensors first;
    for (const int threads : {1, 2, 3, 8}) {
      testing::set_test_threads(threads);
      Tensors results = testing::gradients(c.fast, c.inputs);
      results.push_back(c.fast(c.inputs));
      if (first.empty()) first = results;
      for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_TRUE(at::equal(results[i], first[i]))
            << c.name << ", " << threads << " threads, result " << i;
      }
    }
  }
  testing::set_test_threads(before);
}

/// Sums over many entries of one sign: in float, plain ones would lose three digits more.
TEST(Edges, KeepTheirDigitsInLongRows) {
  constexpr std::int64_t kLong = 100000;
  std::vector<std::int32_t> cols;
  for (std::int64_t e = 0; e < kLong; ++e) cols.push_back(static_cast<std::int32_t>(e % 1000));
  const SparseMatrix matrix({0, 0, kLong}, cols, {}, 1000);
  for (const Case& c : all_cases(matrix, 2, 5, at::kFloat)) {
    Tensors single;
    Tensors twice;
    for (const at::Tensor& input : c.inputs) {
      single.push_back(input.abs());
      twice.push_back(single.back().to(at::kDouble));
    }
    const auto squares = [&](const Tensors& t) { return c.fast(t).square().sum(); };
    const Tensors grads = testing::gradients(squares, single);
    const Tensors exact = testing::gradients(squares, twice);
    EXPECT_LT(relative_error(c.fast(single), c.fast(twice)), 3e-6) << c.name;
    for (std::size_t i = 0; i < grads.size(); ++i) {
      EXPECT_LT(relative_error(grads[i], exact[i]), 3e-6) << c.name << ", gradient " << i;
    }
  }
}

TEST(EdgeAttention, HasTheSlopeOfNegativeSumsAtZero) {
  const SparseMatrix matrix({0, 1}, {0}, {}, 1);
  const at::Tensor one = at::ones({1, 1}, at::kDouble);
  const auto scores = [&](const Tensors& t) {
    return ops::edge_attention(t[0], -one, one, matrix, 0.25);
  };
  const double weight = random_tensor({1, 1}, 7).item<double>();
  EXPECT_EQ(testing::gradients(scores, {one})[0].item<double>(), 0.25 * weight);
  EXPECT_EQ(testing::gradients(scores, {2 * one})[0].item<double>(), weight);
  EXPECT_EQ(ops::edge_attention(-one, -one, one, matrix).item<double>(), -0.4);
}

TEST(EdgeSoftmax, IsStableAndKeepsWhatIsNotANumber) {
  const SparseMatrix matrix({0, 3, 3, 5, 6}, {0, 1, 2, 0, 1, 2}, {}, 3);
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    const at::Tensor scores =
        at::tensor({1e4, 1e4, -inf, 5.0, nan, -1e30}, at::kDouble).view({6, 1}).to(dtype);
    const at::Tensor y = ops::edge_softmax(scores, matrix).to(at::kDouble);
    EXPECT_TRUE(at::equal(y.slice(0, 0, 3), at::tensor({0.5, 0.5, 0.0}, at::kDouble).view({3, 1})));
    EXPECT_TRUE(y.slice(0, 3, 5).isnan().all().item<bool>());
    EXPECT_EQ(y[5].item<double>(), 1);
  }
}

TEST(NeighbourMax, GivesTheGradientToTheFirst) {
  // Row 0 has column 2 twice, and then column 1 with the same numbers; row 2 has nothing.
  const SparseMatrix matrix({0, 4, 6, 6}, {2, 2, 1, 0, 0, 1}, {}, 3);
  const at::Tensor x = at::tensor({-3.0, 4.0, -2.0, 4.0, -2.0, 4.0}, at::kDouble).view({3, 2});
  const auto largest = [&](const Tensors& t) { return ops::neighbour_max(t[0], matrix); };
  EXPECT_TRUE(at::equal(largest({x}),
                        at::tensor({-2.0, 4.0, -2.0, 4.0, 0.0, 0.0}, at::kDouble).view({3, 2})));
  const at::Tensor g = random_tensor({3, 2}, 7);
  at::Tensor wanted = at::zeros({3, 2}, at::kDouble);
  wanted[2] = g[0];
  wanted[1][0] = g[1][0];
  wanted[0][1] = g[1][1];
  EXPECT_TRUE(at::equal(testing::gradients(largest, {x})[0], wanted));
}

TEST(NeighbourMax, KeepsWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<std::int32_t>& cols :
       {std::vector<std::int32_t>{0, 1, 2}, {1, 0, 2}, {2, 0, 1}}) {
    const SparseMatrix matrix({0, 3}, cols, {}, 3);
    const at::Tensor x = at::tensor({1.0, nan, 3.0}, at::kDouble).view({3, 1});
    EXPECT_TRUE(ops::neighbour_max(x, matrix).isnan().item<bool>());
    const at::Tensor grad = testing::gradients(
        [&](const Tensors& t) { return ops::neighbour_max(t[0], matrix); }, {x})[0];
    EXPECT_NE(grad[1].item<double>(), 0);
    EXPECT_EQ(grad[2].item<double>(), 0);
  }
}

TEST(Edges, RefuseWrongArguments) {
  const SparseMatrix matrix({0, 2, 3}, {0, 3, 1}, {}, 4);
  const at::Tensor left = at::ones({2, 6});
  const at::Tensor right = at::ones({4, 6});
  const at::Tensor values = at::ones({3, 2});
  const auto expect = [](const auto& call, const std::string& sentence) {
    testing::expect_error(call, sentence);
  };
  expect([&] { ops::edge_sum(right, right, matrix); },
         "edge_sum: left must have shape [2, any] (got [4, 6])");
  expect([&] { ops::edge_sum(left, left, matrix); },
         "edge_sum: right must have shape [4, 6] (got [2, 6])");
  expect([&] { ops::edge_dot(left, left, matrix); },
         "edge_dot: y must have shape [4, 6] (got [2, 6])");
  expect([&] { ops::edge_dot(left, right, matrix, 4); },
         "edge_dot: heads is 4, expected a divisor of the 6 columns of x");
  expect([&] { ops::edge_dot(left, right, matrix, 0); },
         "edge_dot: heads is 0, expected a divisor of the 6 columns of x");
  const at::Tensor weight = at::ones({2, 3});
  expect([&] { ops::edge_attention(left, right, weight.view({6}), matrix); },
         "edge_attention: weight must have shape [any, any] (got [6])");
  expect([&] { ops::edge_attention(right, right, weight, matrix); },
         "edge_attention: left must have shape [2, 6] (got [4, 6])");
  expect([&] { ops::edge_attention(left, left, weight, matrix); },
         "edge_attention: right must have shape [4, 6] (got [2, 6])");
  expect([&] { ops::edge_attention(left, right, weight, matrix, 1 / 0.0); },
         "edge_attention: slope is inf, expected a finite number");
  expect([&] { ops::edge_softmax(left, matrix); },
         "edge_softmax: scores must have shape [3, any] (got [2, 6])");
  expect([&] { ops::edge_spmm(left, right, matrix); },
         "edge_spmm: values must have shape [3, any] (got [2, 6])");
  expect([&] { ops::edge_spmm(values, left, matrix); },
         "edge_spmm: x must have shape [4, any] (got [2, 6])");
  expect(
      [&] {
        ops::edge_spmm(at::ones({3, 4}), right, matrix);
      },
      "edge_spmm: heads is 4, expected a divisor of the 6 columns of x");
  expect([&] { ops::neighbour_max(left, matrix); },
         "neighbour_max: x must have shape [4, any] (got [2, 6])");
}

}  // namespace
}  // namespace dsnn
