#include "dsnn/util/error.h"

#include "support/expect_error.h"
#include "torch/gradient_check.h"
#include "torch/torch_operators.h"

#include <ATen/ATen.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace dsnn {
namespace {

using testing::random_tensor;
using testing::relative_error;

struct Case {
  OrthogonalMethod method;
  std::int64_t dim;
  bool is_complex;

  std::int64_t num_params() const { return ops::num_orthogonal_params(method, dim); }
  at::Tensor params(std::int64_t batch, std::uint64_t seed,
                    at::ScalarType dtype = at::kDouble) const {
    return is_complex ? random_tensor({2, batch, num_params()}, seed, dtype)
                      : random_tensor({batch, num_params()}, seed, dtype);
  }
  at::Tensor run(const at::Tensor& params) const { return ops::orthogonal(params, dim, method); }
  std::string name() const {
    return fmt::format("method {}, dim {}, {}", static_cast<int>(method), dim,
                       is_complex ? "complex" : "real");
  }
};

/// All methods and fields, with every dimension that has specialised code, and two without.
void for_each_case(const std::function<void(const Case&)>& check) {
  for (const OrthogonalMethod method : {OrthogonalMethod::kHouseholder, OrthogonalMethod::kCayley,
                                        OrthogonalMethod::kMatrixExp, OrthogonalMethod::kEuler}) {
    for (const std::int64_t dim : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12}) {
      if (method == OrthogonalMethod::kEuler && dim > 3) continue;
      for (const bool is_complex : {false, true}) check({method, dim, is_complex});
    }
  }
}

/// Planes as one tensor of complex doubles, so that references know one field only.
at::Tensor to_complex(const Case& c, const at::Tensor& planes) {
  const at::Tensor x = planes.to(at::kDouble);
  return c.is_complex ? at::complex(x[0].contiguous(), x[1].contiguous())
                      : at::complex(x, at::zeros_like(x));
}

/// largest |Q* Q - I| of the batch
double distance_from_unitary(const Case& c, const at::Tensor& result) {
  if (result.numel() == 0) return 0;
  const at::Tensor q = to_complex(c, result);
  const at::Tensor identity = at::eye(c.dim, q.options());
  const double error = (q.mH().matmul(q) - identity).abs().max().item<double>();
  return error == error ? error : 1e300;
}

/// The lower triangle that a row of parameters fills row by row: with or without the diagonal.
at::Tensor lower_triangle(const at::Tensor& row, std::int64_t dim, bool has_diagonal) {
  at::Tensor l = at::zeros({dim, dim}, row.options());
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < dim; ++i) {
    for (std::int64_t j = 0; j < (has_diagonal ? i + 1 : i); ++j) l[i][j] = row[next++];
  }
  return l;
}

at::Tensor householder(const at::Tensor& row, std::int64_t dim) {
  const at::Tensor vectors = lower_triangle(row, dim, false) + at::eye(dim, row.options());
  at::Tensor q = at::eye(dim, row.options());
  for (std::int64_t k = 0; k + 1 < dim; ++k) {
    const at::Tensor v = vectors.slice(1, k, k + 1);
    q = q.matmul(at::eye(dim, row.options()) - 2 * v.matmul(v.mH()) / v.mH().matmul(v));
  }
  return q;
}

at::Tensor rotation(const at::Tensor& param, std::int64_t dim, std::int64_t i, std::int64_t j) {
  const at::Tensor angle = at::real(param);
  const at::Tensor phase = at::polar(at::ones_like(angle), at::imag(param).contiguous());
  at::Tensor r = at::eye(dim, param.options());
  r[i][i] = at::cos(angle);
  r[j][j] = at::cos(angle);
  r[j][i] = phase * at::sin(angle);
  r[i][j] = -at::conj(phase) * at::sin(angle);
  return r;
}

/// By the definitions, one matrix, in complex doubles.
at::Tensor reference(const Case& c, const at::Tensor& row) {
  const at::Tensor identity = at::eye(c.dim, row.options());
  if (c.method == OrthogonalMethod::kHouseholder) return householder(row, c.dim);
  if (c.method == OrthogonalMethod::kEuler) {
    if (c.dim == 1) return identity;
    if (c.dim == 2) return rotation(row[0], 2, 0, 1);
    return rotation(row[0], 3, 0, 1)
        .matmul(rotation(row[1], 3, 2, 0))
        .matmul(rotation(row[2], 3, 1, 2));
  }
  const at::Tensor l = lower_triangle(row, c.dim, true);
  const at::Tensor a = l - l.mH();
  if (c.method == OrthogonalMethod::kCayley) {
    return std::get<0>(at::linalg_solve_ex(identity + a, identity - a));
  }
  return at::matrix_exp(a);
}

TEST(Orthogonal, IsTheMatrixOfTheDefinition) {
  for_each_case([](const Case& c) {
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      const at::Tensor params = c.params(19, 3, dtype);
      const at::Tensor result = to_complex(c, c.run(params));
      const at::Tensor rows = to_complex(c, params);
      for (std::int64_t b = 0; b < rows.size(0); ++b) {
        const at::Tensor difference = result[b] - reference(c, rows[b]);
        EXPECT_LT(difference.abs().max().item<double>(), dtype == at::kFloat ? 1e-5 : 1e-12)
            << c.name() << ", matrix " << b;
      }
    }
  });
}

TEST(Orthogonal, IsOrthogonalForAnyBatchAndParameters) {
  for_each_case([](const Case& c) {
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      const double tolerance = dtype == at::kFloat ? 1e-5 : 1e-13;
      for (const std::int64_t batch : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33}) {
        const at::Tensor result = c.run(c.params(batch, 5, dtype));
        ASSERT_EQ(result.size(-3), batch);
        EXPECT_LT(distance_from_unitary(c, result), tolerance) << c.name() << ", batch " << batch;
      }
      for (const double norm : {0.0, 1e-8, 50.0}) {
        at::Tensor params = c.params(600, 6, dtype);  // more than a block
        if (params.size(-1) > 0) params = params * norm / params.norm(2, {-1}, true);
        EXPECT_LT(distance_from_unitary(c, c.run(params)), tolerance)
            << c.name() << ", norm " << norm;
      }
    }
  });
}

TEST(Orthogonal, AnglesMayBeLarge) {
  const Case c = {OrthogonalMethod::kEuler, 3, true};
  const at::Tensor params = 1e6 * c.params(40, 8);
  EXPECT_LT(distance_from_unitary(c, c.run(params)), 1e-13);
  EXPECT_LT(relative_error(at::real(to_complex(c, c.run(params))[7]),
                           at::real(reference(c, to_complex(c, params)[7]))),
            1e-9);
}

TEST(Orthogonal, GradientsAreThoseOfCentralDifferences) {
  for_each_case([](const Case& c) {
    if (c.num_params() == 0) return;
    const auto run = [&](const auto& x) { return c.run(x[0]); };
    testing::expect_gradients(run, {c.params(1, 11)}, c.name());
    testing::expect_gradients(run, {c.params(5, 12)}, c.name());
    testing::expect_gradients(run, {5 * c.params(2, 13)}, c.name() + ", large", 1e-6, 1e-6);
  });
}

TEST(Orthogonal, FloatGradientsAreThoseOfDoubles) {
  for_each_case([](const Case& c) {
    const at::Tensor params = c.params(37, 14, at::kFloat);
    const auto run = [&](const auto& x) {
      return c.run(x[0]).to(at::kDouble);  // so that both have the same weights
    };
    const at::Tensor exact = testing::gradients(run, {params.to(at::kDouble)})[0];
    EXPECT_LT(relative_error(testing::gradients(run, {params})[0], exact), 2e-5) << c.name();
  });
}

TEST(Orthogonal, RealDiagonalsHaveNoGradient) {
  const at::Tensor params = random_tensor({3, 6}, 1);
  for (const OrthogonalMethod method : {OrthogonalMethod::kCayley, OrthogonalMethod::kMatrixExp}) {
    const at::Tensor grad = testing::gradients(
        [&](const auto& x) { return ops::orthogonal(x[0], 3, method); }, {params})[0];
    for (const std::int64_t diagonal : {0, 2, 5}) {
      EXPECT_EQ(grad.select(1, diagonal).abs().max().item<double>(), 0);
    }
    EXPECT_GT(grad.select(1, 1).abs().max().item<double>(), 0);
  }
}

TEST(Orthogonal, NoMatrixDependsOnItsNeighbours) {
  for_each_case([](const Case& c) {
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      at::Tensor params = c.params(21, 20, dtype);
      // Norms that need different numbers of squarings.
      params = params * at::logspace(-2, 2, 21, 10.0, params.options()).unsqueeze(1);
      const at::Tensor result = c.run(params);
      const at::Tensor grad =
          torch::autograd::grad({c.run(params.requires_grad_()).sum()}, {params})[0];
      for (std::int64_t b = 0; b < 21; ++b) {
        at::Tensor alone = params.detach().narrow(-2, b, 1).clone().requires_grad_();
        const at::Tensor q = c.run(alone);
        EXPECT_TRUE(q.equal(result.narrow(-3, b, 1))) << c.name();
        EXPECT_TRUE(torch::autograd::grad({q.sum()}, {alone})[0].equal(grad.narrow(-2, b, 1)))
            << c.name();
      }
    }
  });
}

TEST(Orthogonal, HasTheSameBitsForAnyNumberOfThreads) {
  const int before = testing::test_threads();
  for (const Case& c : {Case{OrthogonalMethod::kHouseholder, 4, false},
                        Case{OrthogonalMethod::kMatrixExp, 3, true}}) {
    const at::Tensor params = c.params(5003, 30, at::kFloat);
    const auto run = [&](const auto& x) { return c.run(x[0]); };
    testing::set_test_threads(1);
    const at::Tensor result = c.run(params);
    const at::Tensor grad = testing::gradients(run, {params})[0];
    for (const int threads : {2, 3, 8}) {
      testing::set_test_threads(threads);
      EXPECT_TRUE(c.run(params).equal(result)) << threads;
      EXPECT_TRUE(testing::gradients(run, {params})[0].equal(grad)) << threads;
    }
  }
  testing::set_test_threads(before);
}

TEST(Orthogonal, RefusesWrongArguments) {
  const auto call = [](const at::Tensor& params, std::int64_t dim, OrthogonalMethod method) {
    return [=] { ops::orthogonal(params, dim, method); };
  };
  constexpr auto kHouseholder = OrthogonalMethod::kHouseholder;
  testing::expect_error(call(at::ones({10, 5}), 4, kHouseholder),
                        "orthogonal: params must have shape [any, 6] or, complex, [2, any, 6] for "
                        "householder with dim 4 (got [10, 5])");
  testing::expect_error(call(at::ones({3, 10, 10}), 4, OrthogonalMethod::kCayley),
                        "orthogonal: params must have shape [any, 10] or, complex, [2, any, 10] "
                        "for cayley with dim 4 (got [3, 10, 10])");
  testing::expect_error(call(at::ones({6}), 4, kHouseholder),
                        "orthogonal: params must have shape [any, 6] or, complex, [2, any, 6] for "
                        "householder with dim 4 (got [6])");
  testing::expect_error(call(at::ones({10, 0}), 0, kHouseholder),
                        "orthogonal: dim is 0, expected 1 to 1024");
  testing::expect_error(call(at::ones({10, 6}), 4, OrthogonalMethod::kEuler),
                        "orthogonal: dim is 4, expected 1 to 3 for euler");
}

}  // namespace
}  // namespace dsnn
