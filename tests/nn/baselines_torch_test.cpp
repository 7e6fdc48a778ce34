#include "dsnn/nn/model.h"

#include "nn/baseline_cases.h"
#include "support/plain_baselines.h"
#include "support/run_model.h"
#include "torch/gradient_check.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dsnn {
namespace {

using namespace testing;

at::Tensor to_tensor(const Numbers& numbers, const engine::Shape& shape) {
  return at::tensor(numbers, at::kDouble).view(shape);
}

TEST(Baselines, OutputAndGradientsAreThoseOfTheirEquations) {
  std::uint64_t seed = 0;
  for (const Setting& setting : all_settings()) {
    for (const Weighted weighted : {Weighted::kNo, Weighted::kPositive, Weighted::kSigned}) {
      const BaselineCase graph(++seed, weighted);
      const auto model = make(setting, seed);
      const Config config = config_of(setting);
      const auto numbers = numbers_of(*model);
      PlainWeights weights;
      std::vector<at::Tensor> leaves;
      for (const engine::Weight& weight : model->weights().all()) {
        leaves.push_back(to_tensor(numbers.at(weight.name), weight.shape).requires_grad_());
        weights[weight.name] = leaves.back();
      }
      const PlainBaseline& plain = plain_baselines().at(setting.model);
      const std::vector<at::Tensor> matrices = plain.prepare(dense_arcs(graph.graph), config);
      const at::Tensor features = to_tensor(
          {graph.features.values.begin(), graph.features.values.end()}, {kNodes, kFeatures});
      const at::Tensor expected = plain.logits({matrices, features, weights, config});
      const Numbers factors = random_numbers(kNodes * kClasses, seed);
      ModelRun<double> run(*model, graph.input(), {.factors = factors});
      ASSERT_EQ(run.shape(), (engine::Shape{kNodes, kClasses}));
      EXPECT_LT(relative_error(to_tensor(run.logits(), run.shape()), expected), 1e-11)
          << name_of(setting);

      const at::Tensor loss = (expected * to_tensor(factors, run.shape())).sum();
      const std::vector<at::Tensor> expected_gradients =
          torch::autograd::grad({loss}, leaves, {}, c10::nullopt, false, true);
      const at::Tensor gradients = to_tensor(run.gradients(), {model->num_weights()});
      for (std::size_t i = 0; i < leaves.size(); ++i) {
        const engine::Weight& weight = model->weights().all()[i];
        const at::Tensor gradient =
            gradients.narrow(0, weight.offset, engine::num_numbers(weight.shape))
                .view(weight.shape);
        const at::Tensor of_plain =
            expected_gradients[i].defined() ? expected_gradients[i] : at::zeros_like(leaves[i]);
        const double error = (gradient - of_plain).abs().max().item<double>();
        EXPECT_LT(error, 1e-11 * std::max(1.0, of_plain.abs().max().item<double>()))
            << name_of(setting) << " " << weight.name;
      }
    }
  }
}

}  // namespace
}  // namespace dsnn
