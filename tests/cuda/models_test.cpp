// Every model on the GPU against the processor: logits and gradients in double, with dropout.
#include "dsnn/train/run_config.h"

#include "cuda/gpu_runner.h"
#include "nn/baseline_cases.h"
#include "support/run_model.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dsnn {
namespace {

using testing::ModelRun;
using testing::Numbers;
using testing::relative_error;
using testing::RunOptions;

/// The largest relative difference of logits and gradients.
template <class T>
double difference(const nn::Model& model, const nn::Input& input, const engine::Device& device) {
  const std::int64_t size = input.num_nodes() * testing::kClasses;
  RunOptions options;
  options.is_training = true;
  options.factors = testing::random_numbers(size, 3);
  ModelRun<T> expected(model, input, options);
  options.device = device;
  ModelRun<T> got(model, input, options);
  constexpr std::uint64_t kSeed = 5;
  const auto doubles = [](const std::vector<T>& x) { return Numbers(x.begin(), x.end()); };
  return std::max(
      relative_error(doubles(got.logits(kSeed)), doubles(expected.logits(kSeed))),
      relative_error(doubles(got.gradients(kSeed)), doubles(expected.gradients(kSeed))));
}

void expect_like_processor(const std::string& name, const Config& config,
                           const engine::Device& device) {
  for (const auto weighted : {testing::Weighted::kNo, testing::Weighted::kPositive}) {
    const testing::BaselineCase graph(7, weighted);
    auto model = nn::make_model(name, config, {testing::kFeatures, testing::kClasses}, 2);
    testing::shake(*model, 4);
    EXPECT_LT(difference<double>(*model, graph.input(), device), 1e-10) << name;
    EXPECT_LT(difference<float>(*model, graph.input(), device), 1e-3) << name;
  }
}

TEST(CudaModels, BaselinesAreThoseOfTheProcessor) {
  DSNN_NEED_GPU();
  const engine::Device device = engine::Device::cuda();
  for (const testing::Setting& setting : testing::all_settings()) {
    Config config = testing::config_of(setting);
    for (const std::string& rate : config.with_role(ParameterRole::kDropout)) {
      config.set_text(rate + "=0.4");
    }
    expect_like_processor(setting.model, config, device);
  }
}

TEST(CudaModels, SheafNetworksAreThoseOfTheProcessor) {
  DSNN_NEED_GPU();
  const engine::Device device = engine::Device::cuda();
  for (const char* name : {"diag-dsnn", "orth-dsnn", "gen-dsnn", "diag-nsd", "orth-nsd", "gen-nsd",
                           "diag-nsd-compl", "orth-nsd-compl", "gen-nsd-compl"}) {
    Config config = default_config(name);
    for (const char* text : {"channels=3", "layers=2", "stalk_dim=2"}) config.set_text(text);
    expect_like_processor(name, config, device);
  }
}

}  // namespace
}  // namespace dsnn
