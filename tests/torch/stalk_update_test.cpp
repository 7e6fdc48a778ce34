#include "support/expect_error.h"
#include "torch/gradient_check.h"
#include "torch/torch_operators.h"

#include <ATen/ATen.h>

#include <gtest/gtest.h>

#include <limits>

namespace dsnn {
namespace {

using testing::random_tensor;
using testing::relative_error;

const std::vector<StalkActivation> kActivations = {StalkActivation::kIdentity,
                                                   StalkActivation::kRelu, StalkActivation::kElu};

at::Tensor reference(const at::Tensor& x, const at::Tensor& y, const at::Tensor& eps,
                     StalkActivation activation) {
  at::Tensor sigma = y;
  if (activation == StalkActivation::kRelu) sigma = y * y.select(0, 0).ge(0).to(y.scalar_type());
  if (activation == StalkActivation::kElu) sigma = at::elu(y);
  return (1 + eps).view({1, 1, -1, 1}) * x - sigma;
}

struct Inputs {
  at::Tensor x, y, eps;

  Inputs(at::IntArrayRef shape, std::uint64_t seed, at::ScalarType dtype = at::kDouble)
      : x(random_tensor(shape, seed, dtype)),
        y(4 * random_tensor(shape, seed + 1, dtype)),
        eps(random_tensor({shape[2]}, seed + 2, dtype)) {}
  std::vector<at::Tensor> all() const { return {x, y, eps}; }
};

/// The function of Inputs::all().
template <class Update>
testing::TensorFunction with(const Update& update, StalkActivation activation) {
  return [=](const auto& t) { return update(t[0], t[1], t[2], activation); };
}

/// Result and gradients against the plain formula in double.
void expect_like_reference(const Inputs& inputs, StalkActivation activation) {
  const bool is_float = inputs.x.scalar_type() == at::kFloat;
  const double tolerance = is_float ? 1e-5 : 1e-12;
  std::vector<at::Tensor> exact;
  for (const at::Tensor& input : inputs.all()) exact.push_back(input.to(at::kDouble));
  const auto shape = inputs.x.sizes();
  EXPECT_LT(relative_error(ops::stalk_update(inputs.x, inputs.y, inputs.eps, activation),
                           reference(exact[0], exact[1], exact[2], activation)),
            tolerance)
      << shape;
  const at::Tensor weights = random_tensor(shape, 9, inputs.x.scalar_type());
  const auto weighted = [&](const auto& update) {
    return [&, update](const std::vector<at::Tensor>& t) {
      return (update(t[0], t[1], t[2], activation) * weights.to(t[0].scalar_type())).sum();
    };
  };
  const auto fast = testing::gradients(weighted(ops::stalk_update), inputs.all());
  const auto slow = testing::gradients(weighted(reference), exact);
  for (std::size_t i = 0; i < fast.size(); ++i) {
    EXPECT_LT(relative_error(fast[i], slow[i]), tolerance) << shape << ", gradient " << i;
  }
}

TEST(StalkUpdate, IsTheFormulaAtEveryWidth) {
  for (std::int64_t f = 1; f <= 130; f = f < 35 ? f + 1 : f + 19) {
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      for (const StalkActivation activation : kActivations) {
        const auto seed = static_cast<std::uint64_t>(f);
        expect_like_reference(Inputs({1 + f % 2, 9, 1 + f % 5, f}, seed, dtype), activation);
      }
    }
  }
}

// More than one block and tiles that do not divide the nodes, with stalks shorter and longer than
// a vector.
TEST(StalkUpdate, IsTheFormulaOverManyBlocks) {
  const std::vector<std::vector<std::int64_t>> shapes = {
      {2, 40001, 1, 1}, {2, 5003, 3, 5}, {1, 301, 5, 64}, {2, 3, 2, 20000}};
  for (const auto& shape : shapes) {
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      for (const StalkActivation activation : kActivations) {
        expect_like_reference(Inputs(shape, 1, dtype), activation);
      }
    }
  }
}

TEST(StalkUpdate, GradientsAreThoseOfCentralDifferences) {
  for (const std::int64_t planes : {1, 2}) {
    Inputs inputs({planes, 4, 3, 5}, 3);
    inputs.y = inputs.y + 0.01 * inputs.y.sign();  // away from the kink
    for (const StalkActivation activation : kActivations) {
      testing::expect_gradients(with(ops::stalk_update, activation), inputs.all(), "stalk_update");
    }
  }
}

TEST(StalkUpdate, TakesNothing) {
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{
           {2, 0, 3, 4}, {1, 3, 0, 4}, {2, 3, 2, 0}, {1, 0, 0, 0}}) {
    const Inputs inputs(shape, 5);
    const auto grads =
        testing::gradients(with(ops::stalk_update, StalkActivation::kRelu), inputs.all());
    EXPECT_EQ(grads[0].sizes(), inputs.x.sizes());
    EXPECT_EQ(grads[2].abs().sum().item<double>(), 0);
  }
}

TEST(StalkUpdate, KeepsComplexNumbersByTheirRealPart) {
  const at::Tensor y = at::tensor({0.0, -0.0, -1.0, 1.0, -3.0, 3.0, 5.0, -5.0}).view({2, 4, 1, 1});
  const at::Tensor x = at::zeros_like(y);
  const at::Tensor out =
      -ops::stalk_update(x, y, at::zeros({1}, y.options()), StalkActivation::kRelu);
  const at::Tensor expected =
      at::tensor({0.0, 0.0, 0.0, 1.0, -3.0, 3.0, 0.0, -5.0}).view({2, 4, 1, 1});
  EXPECT_TRUE(at::equal(out, expected)) << out;
}

TEST(StalkUpdate, DoesNotHideWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const at::Tensor x = at::zeros({2, 5, 1, 3}, at::kDouble);
  for (const StalkActivation activation : kActivations) {
    const at::Tensor out =
        ops::stalk_update(x, at::full_like(x, nan), at::zeros({1}, at::kDouble), activation);
    EXPECT_TRUE(out.isnan().all().item<bool>());
  }
}

TEST(StalkUpdate, HasTheSameBitsForAnyNumberOfThreads) {
  const Inputs inputs({2, 6007, 3, 5}, 6, at::kFloat);
  const int before = testing::test_threads();
  for (const StalkActivation activation : kActivations) {
    std::vector<at::Tensor> first;
    for (const int threads : {1, 2, 3, 8}) {
      testing::set_test_threads(threads);
      std::vector<at::Tensor> results =
          testing::gradients(with(ops::stalk_update, activation), inputs.all());
      results.push_back(ops::stalk_update(inputs.x, inputs.y, inputs.eps, activation));
      if (first.empty()) first = results;
      for (std::size_t i = 0; i < results.size(); ++i) {
        EXPECT_TRUE(at::equal(results[i], first[i])) << threads << " threads, result " << i;
      }
    }
  }
  testing::set_test_threads(before);
}

TEST(StalkUpdate, RefusesWrongArguments) {
  const at::Tensor good = at::ones({2, 5, 3, 4});
  const at::Tensor eps = at::ones({3});
  const auto call = [](const at::Tensor& x, const at::Tensor& y, const at::Tensor& e) {
    return [=] { ops::stalk_update(x, y, e, StalkActivation::kRelu); };
  };
  testing::expect_error(call(at::ones({3, 5, 3, 4}), good, eps),
                        "stalk_update: x must have shape [1 or 2, any, any, any] (got [3, 5, 3, "
                        "4])");
  testing::expect_error(call(at::ones({5, 3, 4}), good, eps),
                        "stalk_update: x must have shape [1 or 2, any, any, any] (got [5, 3, 4])");
  testing::expect_error(call(good, at::ones({1, 5, 3, 4}), eps),
                        "stalk_update: y must have shape [2, 5, 3, 4] (got [1, 5, 3, 4])");
  testing::expect_error(call(good, good, at::ones({4})),
                        "stalk_update: eps must have shape [3] (got [4])");
}

}  // namespace
}  // namespace dsnn
