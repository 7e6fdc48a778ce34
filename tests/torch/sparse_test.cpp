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

double tolerance(at::ScalarType dtype) { return dtype == at::kFloat ? 1e-5 : 1e-12; }

/// Columns in any order, some twice; some rows without entries.
SparseMatrix random_matrix(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> columns;
  std::vector<double> values;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::uint64_t count = cols == 0 || random.below(4) == 0 ? 0 : random.below(12);
    for (std::uint64_t k = 0; k < count; ++k) {
      columns.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(cols))));
      values.push_back(random.uniform(-1, 1));
    }
    offsets.push_back(static_cast<std::int64_t>(columns.size()));
  }
  return {offsets, columns, values, cols};
}

at::Tensor own_values(const SparseMatrix& matrix) {
  return at::tensor(matrix.values(), at::kDouble);
}

/// [rows, cols], differentiable in values: one-hot rows of entries on both sides.
at::Tensor dense_of(const SparseMatrix& matrix, const at::Tensor& values) {
  const at::Tensor left = at::zeros({matrix.num_rows(), matrix.num_entries()}, values.options());
  const at::Tensor right = at::zeros({matrix.num_entries(), matrix.num_cols()}, values.options());
  for (std::int64_t r = 0; r < matrix.num_rows(); ++r) {
    const std::int64_t end = matrix.row_offsets()[static_cast<std::size_t>(r) + 1];
    for (std::int64_t e = matrix.row_offsets()[static_cast<std::size_t>(r)]; e < end; ++e) {
      left[r][e] = 1;
      right[e][matrix.cols()[static_cast<std::size_t>(e)]] = 1;
    }
  }
  return left.matmul(values.unsqueeze(1) * right);
}

/// A x with the values given: fixed, [entries] or [2, entries].
at::Tensor reference(const at::Tensor& values, const at::Tensor& x, const SparseMatrix& matrix) {
  if (values.dim() == 1) return dense_of(matrix, values).matmul(x);
  const at::Tensor real = dense_of(matrix, values[0]);
  const at::Tensor imag = dense_of(matrix, values[1]);
  return at::stack({real.matmul(x[0]) - imag.matmul(x[1]), real.matmul(x[1]) + imag.matmul(x[0])});
}

/// Result and gradients of the operator for `inputs` against the formula in double.
void expect_like(const testing::TensorFunction& fast, const testing::TensorFunction& slow,
                 const std::vector<at::Tensor>& inputs, const std::string& what) {
  const at::ScalarType dtype = inputs[0].scalar_type();
  std::vector<at::Tensor> exact;
  for (const at::Tensor& input : inputs) exact.push_back(input.to(at::kDouble));
  EXPECT_LT(relative_error(fast(inputs), slow(exact)), tolerance(dtype)) << what;
  const at::Tensor weights = random_tensor(slow(exact).sizes(), 9, dtype);
  const auto weighted = [&](const testing::TensorFunction& function) {
    return [&](const auto& t) { return (function(t) * weights.to(t[0].scalar_type())).sum(); };
  };
  const auto grads = testing::gradients(weighted(fast), inputs);
  const auto exact_grads = testing::gradients(weighted(slow), exact);
  for (std::size_t i = 0; i < grads.size(); ++i) {
    EXPECT_LT(relative_error(grads[i], exact_grads[i]), tolerance(dtype))
        << what << ", gradient " << i;
  }
}

/// spmm with fixed, learned real and learned complex values, with and without planes.
void expect_products(const SparseMatrix& matrix, std::int64_t f, at::ScalarType dtype) {
  const std::string what = std::to_string(matrix.num_rows()) + " x " +
                           std::to_string(matrix.num_cols()) + ", f = " + std::to_string(f);
  const auto learned = [&](const auto& t) { return ops::spmm(t[0], t[1], matrix); };
  const auto formula = [&](const auto& t) { return reference(t[0], t[1], matrix); };
  const at::Tensor real = random_tensor({matrix.num_entries()}, 1, dtype);
  const at::Tensor complex = random_tensor({2, matrix.num_entries()}, 2, dtype);
  const at::Tensor x = random_tensor({matrix.num_cols(), f}, 3, dtype);
  const at::Tensor plane = random_tensor({1, matrix.num_cols(), f}, 4, dtype);
  const at::Tensor planes = random_tensor({2, matrix.num_cols(), f}, 5, dtype);
  for (const at::Tensor& factor : {x, plane, planes}) {
    expect_like([&](const auto& t) { return ops::spmm(t[0], matrix); },
                [&](const auto& t) { return reference(own_values(matrix), t[0], matrix); },
                {factor}, "fixed " + what);
    expect_like(learned, formula, {real, factor}, "real " + what);
  }
  expect_like(learned, formula, {complex, planes}, "complex " + what);
}

TEST(SparseMatrix, HasItsEntriesByColumnsToo) {
  const SparseMatrix matrix({0, 2, 2, 5}, {2, 0, 2, 1, 2}, {1, 2, 3, 4, 5}, 4);
  EXPECT_EQ(matrix.num_rows(), 3);
  EXPECT_EQ(matrix.num_cols(), 4);
  EXPECT_EQ(matrix.num_entries(), 5);
  EXPECT_EQ(matrix.col_offsets(), (std::vector<std::int64_t>{0, 1, 2, 5, 5}));
  EXPECT_EQ(matrix.rows(), (std::vector<std::int32_t>{0, 2, 0, 2, 2}));
  EXPECT_EQ(matrix.positions(), (std::vector<std::int64_t>{1, 3, 0, 2, 4}));
}

TEST(SparseMatrix, TakesTheNonZerosOfADenseMatrix) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const at::Tensor dense = at::tensor({0.0, 2.0, 0.0, nan, -0.0, 3.0}).view({2, 3});
  const SparseMatrix matrix = ops::sparse_from_dense(dense);
  EXPECT_EQ(matrix.row_offsets(), (std::vector<std::int64_t>{0, 1, 3}));
  EXPECT_EQ(matrix.cols(), (std::vector<std::int32_t>{1, 0, 2}));
  EXPECT_EQ(matrix.values()[2], 3);
  const at::Tensor turned = ops::spmm(at::eye(2, at::kDouble),
                                      ops::sparse_from_dense(at::ones({2, 3}).t().to(at::kFloat)));
  EXPECT_TRUE(at::equal(turned, at::ones({3, 2}, at::kDouble)));
  EXPECT_EQ(ops::sparse_from_dense(at::zeros({0, 3})).num_rows(), 0);
  EXPECT_EQ(ops::sparse_from_dense(at::zeros({3, 0})).num_cols(), 0);
}

TEST(SparseMatrix, RefusesArraysThatDoNotFit) {
  const auto call = [](std::vector<std::int64_t> offsets, std::vector<std::int32_t> cols,
                       std::vector<double> values, std::int64_t num_cols) {
    return [=] { SparseMatrix(offsets, cols, values, num_cols); };
  };
  testing::expect_error(call({0, 1, 3}, {0, 1, 5}, {}, 5),
                        "SparseMatrix: entry 2, in row 1, has column 5, expected 0 to 4");
  testing::expect_error(call({0, 1}, {-1}, {}, 5),
                        "SparseMatrix: entry 0, in row 0, has column -1, expected 0 to 4");
  testing::expect_error(call({0, 2, 1, 3}, {0, 1, 2}, {}, 5),
                        "SparseMatrix: row_offsets decreases from 2 to 1 after row 1");
  testing::expect_error(call({0, 9, 3}, {0, 1, 2}, {}, 5),
                        "SparseMatrix: row_offsets decreases from 9 to 3 after row 1");
  testing::expect_error(
      call({0, 2}, {0, 1, 2}, {}, 5),
      "SparseMatrix: row_offsets goes from 0 to 2, expected 0 to the number of entries, 3");
  testing::expect_error(
      call({}, {}, {}, 5),
      "SparseMatrix: row_offsets has 0 elements, expected the number of rows (0 to "
      "2147483647) plus one");
  testing::expect_error(call({0, 1}, {0}, {1, 2}, 5),
                        "SparseMatrix: values has 2 elements, expected one for each of the 1 "
                        "entries");
  testing::expect_error(call({0}, {}, {}, -1),
                        "SparseMatrix: num_cols is -1, expected 0 to 2147483647");
}

TEST(SparseMatrix, WithoutValuesHasOnes) {
  const SparseMatrix matrix({0, 2, 2, 5}, {2, 0, 2, 1, 2}, {}, 4);
  const at::Tensor x = random_tensor({4, 3}, 1);
  EXPECT_LT(relative_error(ops::spmm(x, matrix), reference(at::ones({5}, at::kDouble), x, matrix)),
            1e-15);
}

TEST(Spmm, IsTheDenseProductAtEveryWidth) {
  for (std::int64_t f = 1; f <= 130; f = f < 35 ? f + 1 : f + 19) {
    const auto seed = static_cast<std::uint64_t>(f);
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      expect_products(random_matrix(9, 7, seed), f, dtype);
    }
  }
}

TEST(Spmm, TakesMatricesWithoutRowsColumnsOrEntries) {
  for (const auto& [rows, cols] : {std::pair{0, 5}, {5, 0}, {0, 0}}) {
    expect_products(random_matrix(rows, cols, 1), 3, at::kDouble);
  }
  expect_products(SparseMatrix({0, 0, 0}, {}, {}, 4), 3, at::kDouble);
  expect_products(random_matrix(4, 5, 1), 0, at::kDouble);
}

TEST(Spmm, GradientsAreThoseOfCentralDifferences) {
  const SparseMatrix matrix = random_matrix(6, 5, 2);
  const auto learned = [&](const auto& t) { return ops::spmm(t[0], t[1], matrix); };
  const at::Tensor planes = random_tensor({2, 5, 3}, 1);
  const at::Tensor real = random_tensor({matrix.num_entries()}, 2);
  const at::Tensor complex = random_tensor({2, matrix.num_entries()}, 3);
  testing::expect_gradients([&](const auto& t) { return ops::spmm(t[0], matrix); }, {planes},
                            "spmm");
  testing::expect_gradients(learned, {real, planes}, "spmm with real values");
  testing::expect_gradients(learned, {complex, planes}, "spmm with complex values");
}

TEST(Spmm, MakesOnlyTheGradientsAskedFor) {
  const SparseMatrix matrix = random_matrix(9, 7, 3);
  const at::Tensor values = random_tensor({matrix.num_entries()}, 1);
  const at::Tensor x = random_tensor({7, 3}, 2);
  const auto both =
      testing::gradients([&](const auto& t) { return ops::spmm(t[0], t[1], matrix); }, {values, x});
  const auto of_values =
      testing::gradients([&](const auto& t) { return ops::spmm(t[0], x, matrix); }, {values});
  const auto of_x =
      testing::gradients([&](const auto& t) { return ops::spmm(values, t[0], matrix); }, {x});
  EXPECT_TRUE(at::equal(both[0], of_values[0]));
  EXPECT_TRUE(at::equal(both[1], of_x[0]));
  EXPECT_FALSE(ops::spmm(values, x, matrix).requires_grad());
}

TEST(Spmm, IsTheDenseProductInRowsOfSeveralRuns) {
  std::vector<std::int32_t> cols;
  std::vector<double> values;
  for (std::int32_t e = 0; e < 769; ++e) {
    cols.push_back(e * 7 % 5);
    values.push_back(1.0 / (e + 1));
  }
  for (const std::int64_t f : {1, 7, 37}) {
    expect_products(SparseMatrix({0, 256, 256, 769}, cols, values, 5), f, at::kDouble);
  }
}

/// Two rows of many entries between columns that all have the same value: in float, a plain sum of
/// 100,000 numbers would lose three digits more.
TEST(Spmm, KeepsItsDigitsInLongRows) {
  constexpr std::int64_t kLong = 100000;
  std::vector<std::int32_t> cols;
  for (std::int64_t e = 0; e < 2 * kLong; ++e) cols.push_back(static_cast<std::int32_t>(e % 1000));
  const SparseMatrix matrix({0, kLong, kLong, 2 * kLong}, cols, {}, 1000);
  for (const std::int64_t f : {1, 5, 40}) {
    const at::Tensor values = random_tensor({2 * kLong}, 1, at::kFloat).add(2);
    const at::Tensor x = random_tensor({1000, f}, 2, at::kFloat).add(2);
    const auto product = [&](const auto& t) { return ops::spmm(t[0], t[1], matrix); };
    const std::vector<at::Tensor> single = {values, x};
    const std::vector<at::Tensor> twice = {values.to(at::kDouble), x.to(at::kDouble)};
    EXPECT_LT(relative_error(product(single), product(twice)), 2e-6);
    const auto a = testing::gradients(product, single);
    const auto b = testing::gradients(product, twice);
    EXPECT_LT(relative_error(a[0], b[0]), 2e-6);
    EXPECT_LT(relative_error(a[1], b[1]), 2e-6);
    const at::Tensor row = values.slice(0, 0, kLong).to(at::kDouble).view({100, 1000}).sum(0);
    EXPECT_LT(relative_error(product(twice)[0], row.matmul(twice[1])), 1e-13);
  }
}

TEST(SparseLinear, IsTheDenseProduct) {
  for (const std::int64_t f : {1, 3, 16, 33}) {
    const SparseMatrix matrix = random_matrix(20, 11, static_cast<std::uint64_t>(f));
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      expect_like([&](const auto& t) { return ops::sparse_linear(t[0], matrix); },
                  [&](const auto& t) { return reference(own_values(matrix), t[0], matrix); },
                  {random_tensor({11, f}, 1, dtype)}, "sparse_linear");
    }
  }
  const SparseMatrix empty({0, 0}, {}, {}, 0);
  EXPECT_TRUE(at::equal(ops::sparse_linear(at::ones({0, 3}), empty), at::zeros({1, 3})));
}

/// X after dropout: X I.
at::Tensor dropped(const SparseMatrix& matrix, double dropout, std::int64_t seed) {
  return ops::sparse_linear(at::eye(matrix.num_cols(), at::kDouble), matrix, {dropout, seed});
}

TEST(SparseLinear, DropsAndScalesEntries) {
  const at::Tensor dense = random_tensor({200, 300}, 1).abs().add(1);
  const SparseMatrix matrix = ops::sparse_from_dense(dense);
  for (const double p : {0.1, 0.5, 0.9}) {
    const at::Tensor left = dropped(matrix, p, 7);
    const at::Tensor kept = left.ne(0).to(at::kDouble);
    EXPECT_NEAR(kept.mean().item<double>(), 1 - p, 5 * std::sqrt(p * (1 - p) / 60000));
    EXPECT_LT(relative_error(left, dense * kept / (1 - p)), 1e-15);
    const at::Tensor other = dropped(matrix, p, 8).ne(0).to(at::kDouble);
    EXPECT_NEAR((kept * other).mean().item<double>(), (1 - p) * (1 - p), 0.01);
    EXPECT_TRUE(at::equal(left, dropped(matrix, p, 7)));
    // Independent of the previous entry and the previous row.
    EXPECT_NEAR((kept.slice(1, 1) * kept.slice(1, 0, -1)).mean().item<double>(), (1 - p) * (1 - p),
                0.01);
    EXPECT_NEAR((kept.slice(0, 1) * kept.slice(0, 0, -1)).mean().item<double>(), (1 - p) * (1 - p),
                0.01);
  }
  EXPECT_TRUE(at::equal(dropped(matrix, 0, 7), dense));
}

TEST(SparseLinear, GoesBackThroughTheSameMask) {
  const SparseMatrix matrix = random_matrix(40, 13, 5);
  const at::Tensor masked = dropped(matrix, 0.4, -3);
  const auto layer = [&](const auto& t) { return ops::sparse_linear(t[0], matrix, {0.4, -3}); };
  const at::Tensor weight = random_tensor({13, 6}, 1);
  expect_like(
      layer, [&](const auto& t) { return masked.matmul(t[0]); }, {weight}, "dropout");
  testing::expect_gradients(layer, {weight}, "sparse_linear");
}

// Many rows and few columns: gradients are added up row by row, in chunks of 65536 entries.
TEST(SparseLinear, HasTheGradientsOfTallMatrices) {
  for (const std::int64_t rows : {9000, 32000}) {
    const SparseMatrix matrix = ops::sparse_from_dense(random_tensor({rows, 37}, 2));
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      for (const std::int64_t f : {31, 64, 100}) {
        for (const double p : {0.0, 0.4}) {
          const at::Tensor masked = dropped(matrix, p, 11);
          expect_like(
              [&](const auto& t) {
                return ops::sparse_linear(t[0], matrix, {p, 11});
              },
              [&](const auto& t) { return masked.matmul(t[0]); },
              {random_tensor({37, f}, 1, dtype)}, "tall, f = " + std::to_string(f));
        }
      }
    }
  }
}

TEST(Sparse, HasTheSameBitsForAnyNumberOfThreads) {
  const SparseMatrix matrix = random_matrix(3000, 500, 5);
  const SparseMatrix tall = ops::sparse_from_dense(random_tensor({32000, 37}, 2));
  const at::Tensor values = random_tensor({2, matrix.num_entries()}, 1, at::kFloat);
  const at::Tensor x = random_tensor({2, 500, 19}, 2, at::kFloat);
  const int before = testing::test_threads();
  std::vector<at::Tensor> first;
  for (const int threads : {1, 2, 3, 8}) {
    testing::set_test_threads(threads);
    std::vector<at::Tensor> results = testing::gradients(
        [&](const auto& t) { return ops::spmm(t[0], t[1], matrix); }, {values, x});
    const auto layer = [&](const auto& t) { return ops::sparse_linear(t[0], matrix, {0.5, 3}); };
    results.push_back(testing::gradients(layer, {x[0]})[0]);
    results.push_back(layer(std::vector<at::Tensor>{x[0]}));
    results.push_back(testing::gradients(
        [&](const auto& t) { return ops::sparse_linear(t[0], tall); }, {x[0].slice(0, 0, 37)})[0]);
    results.push_back(ops::spmm(values, x, matrix));
    if (first.empty()) first = results;
    for (std::size_t i = 0; i < results.size(); ++i) {
      EXPECT_TRUE(at::equal(results[i], first[i])) << threads << " threads, result " << i;
    }
  }
  testing::set_test_threads(before);
}

TEST(Sparse, RefusesWrongArguments) {
  const SparseMatrix matrix({0, 2, 3}, {0, 3, 1}, {}, 4);
  const at::Tensor x = at::ones({4, 5});
  const auto call = [&](const at::Tensor& values, const at::Tensor& factor) {
    return [=] { ops::spmm(values, factor, matrix); };
  };
  testing::expect_error(
      [&] {
        ops::spmm(at::ones({3, 5}), matrix);
      },
      "spmm: x must have shape [4, any] or [1 or 2, 4, any] (got [3, 5])");
  testing::expect_error([&] { ops::spmm(at::ones({4}), matrix); },
                        "spmm: x must have shape [4, any] or [1 or 2, 4, any] (got [4])");
  testing::expect_error(
      [&] {
        ops::spmm(at::ones({3, 4, 5}), matrix);
      },
      "spmm: x must have shape [1 or 2, 4, any] (got [3, 4, 5])");
  testing::expect_error(call(at::ones({4}), x), "spmm: values must have shape [3] (got [4])");
  testing::expect_error(call(at::ones({1, 3}), x),
                        "spmm: values must have shape [2, 3] (got [1, 3])");
  testing::expect_error(call(at::ones({2, 3}), x),
                        "spmm: complex values of shape [2, 3] need x in 2 planes (got [4, 5])");
  testing::expect_error(
      [&] {
        ops::sparse_linear(at::ones({3, 5}), matrix);
      },
      "sparse_linear: weight must have shape [4, any] (got [3, 5])");
  testing::expect_error([&] { ops::sparse_linear(x, matrix, {1.0}); },
                        "sparse_linear: dropout is 1, expected 0 or more and less than 1");
  testing::expect_error([&] { ops::sparse_linear(x, matrix, {-0.5}); },
                        "sparse_linear: dropout is -0.5, expected 0 or more and less than 1");
}

}  // namespace
}  // namespace dsnn
