#pragma once

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace dsnn::testing {

using TensorFunction = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

/// Entries uniform in [-1, 1].
inline at::Tensor random_tensor(at::IntArrayRef shape, std::uint64_t seed,
                                at::ScalarType dtype = at::kDouble) {
  at::Generator generator = at::detail::createCPUGenerator(seed);
  return at::rand(shape, generator, at::TensorOptions().dtype(at::kDouble)).mul(2).sub(1).to(dtype);
}

/// largest |a - b| over largest |b| (or 1e-300).
inline double relative_error(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes()) return 1e300;
  if (a.numel() == 0) return 0;
  const at::Tensor x = a.to(at::kDouble);
  const at::Tensor y = b.to(at::kDouble);
  const double error = (x - y).abs().max().item<double>();
  return error == error ? error / std::max(y.abs().max().item<double>(), 1e-300) : 1e300;
}

/// The gradients of sum(weights * function(inputs)), weights random, by autograd.
inline std::vector<at::Tensor> gradients(const TensorFunction& function,
                                         const std::vector<at::Tensor>& inputs,
                                         std::uint64_t seed = 7) {
  std::vector<at::Tensor> leaves;
  for (const at::Tensor& input : inputs) leaves.push_back(input.detach().clone().requires_grad_());
  const at::Tensor output = function(leaves);
  const at::Tensor weights = random_tensor(output.sizes(), seed, output.scalar_type());
  return torch::autograd::grad({(output * weights).sum()}, leaves, {}, c10::nullopt, false, true);
}

/// The gradient of each input alone equals its gradient among all inputs.
inline void expect_same_alone(const TensorFunction& function, const std::vector<at::Tensor>& inputs,
                              const std::vector<at::Tensor>& all, double tolerance,
                              std::uint64_t seed = 7) {
  for (std::size_t i = 0; i < inputs.size() && inputs.size() > 1; ++i) {
    const auto of_one = [&](const std::vector<at::Tensor>& in) {
      std::vector<at::Tensor> mixed = inputs;
      mixed[i] = in[0];
      return function(mixed);
    };
    EXPECT_LT(relative_error(gradients(of_one, {inputs[i]}, seed)[0], all[i]), tolerance)
        << "gradient " << i << " alone";
  }
}

/// Compares autograd's gradients with central differences, in double. Every entry of small inputs
/// is varied; of large ones, random directions. Fails the test above `tolerance`, relative to the
/// largest entry of each gradient.
inline void expect_gradients(const TensorFunction& function, const std::vector<at::Tensor>& inputs,
                             const std::string& what, double tolerance = 1e-6, double step = 1e-5) {
  const std::uint64_t seed = 7;
  const std::vector<at::Tensor> analytic = gradients(function, inputs, seed);
  expect_same_alone(function, inputs, analytic, 1e-12, seed);
  at::Tensor weights;
  const auto value = [&](const std::vector<at::Tensor>& at_inputs) {
    const at::NoGradGuard no_grad;
    const at::Tensor output = function(at_inputs);
    if (!weights.defined()) weights = random_tensor(output.sizes(), seed, output.scalar_type());
    return (output * weights).sum().item<double>();
  };
  constexpr std::int64_t kDirections = 24;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_TRUE(analytic[i].defined()) << what << ": input " << i << " has no gradient";
    ASSERT_EQ(analytic[i].sizes(), inputs[i].sizes()) << what;
    const std::int64_t count = inputs[i].numel();
    const bool by_entry = count <= kDirections;
    double largest = 1e-3;
    double error = 0;
    for (std::int64_t k = 0; k < std::min(count, kDirections); ++k) {
      at::Tensor direction = at::zeros({count}, at::kDouble);
      if (by_entry) {
        direction[k] = 1;
      } else {
        direction = random_tensor({count}, 1000 * i + static_cast<std::uint64_t>(k));
      }
      direction = direction.view(inputs[i].sizes());
      std::vector<at::Tensor> moved;
      for (const at::Tensor& input : inputs) moved.push_back(input.detach().clone());
      moved[i] = inputs[i].detach() + step * direction;
      const double above = value(moved);
      moved[i] = inputs[i].detach() - step * direction;
      const double below = value(moved);
      const double numeric = (above - below) / (2 * step);
      const double exact = (analytic[i] * direction).sum().item<double>();
      largest = std::max({largest, std::abs(numeric), std::abs(exact)});
      const double difference = std::abs(numeric - exact);
      error = difference == difference ? std::max(error, difference) : 1e300;
    }
    EXPECT_LT(error / largest, tolerance) << what << ": gradient of input " << i;
  }
}

}  // namespace dsnn::testing
