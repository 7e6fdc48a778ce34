#include "train/split_trainer.h"

#include "dsnn/ops/cross_entropy.h"
#include "dsnn/util/error.h"

#include "kernels/adam.h"
#include "ops/torch_executor.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dsnn {
namespace {

/// One number out of a seed and what it is for.
std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t purpose) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15u + purpose + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Nodes of a mask whose label is known.
std::vector<std::int64_t> labelled_nodes(const std::vector<std::uint8_t>& mask,
                                         const std::vector<std::int64_t>& labels) {
  std::vector<std::int64_t> nodes;
  for (std::size_t u = 0; u < mask.size(); ++u) {
    if (mask[u] != 0 && labels[u] >= 0) nodes.push_back(static_cast<std::int64_t>(u));
  }
  return nodes;
}

at::Tensor tensor_of(const std::vector<std::int64_t>& numbers) {
  at::Tensor tensor = at::empty({std::ssize(numbers)}, at::kLong);
  std::copy(numbers.begin(), numbers.end(), tensor.data_ptr<std::int64_t>());
  return tensor;
}

std::span<const float> numbers_of(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

}  // namespace

SplitTrainer::SplitTrainer(const TrainingData& data, const Split& split, int number,
                           const std::string& model, const Config& config, std::uint64_t seed)
    : data_(data),
      config_(config),
      seed_(mix_seed(seed, static_cast<std::uint64_t>(number))),
      labels_(tensor_of(data.labels)),
      train_(labelled_nodes(split.train, data.labels)),
      validation_(labelled_nodes(split.validation, data.labels)),
      test_(labelled_nodes(split.test, data.labels)),
      reuses_evaluation_(!nn::has_dropout(config)) {
  if (train_.empty()) {
    throw Error(fmt::format("split {}: no node with a label trains", number));
  }
  model_ = nn::make_model(model, config, {data.input.num_features(), data.num_classes},
                          mix_seed(seed_, 0));
  train_nodes_ = tensor_of(train_);
  const at::Tensor& values = model_->weights().values();
  first_moments_ = at::zeros_like(values);
  second_moments_ = at::zeros_like(values);
  best_weights_ = values.clone();
  result_.split = number;
  result_.num_validation = std::ssize(validation_);
  result_.num_test = std::ssize(test_);
}

bool SplitTrainer::is_finished() const {
  // An epoch has to be better to be chosen, and no accuracy is better than this one.
  const bool is_perfect = config_.word("select_by") == "accuracy" && result_.best_epoch > 0 &&
                          result_.validation.accuracy >= 1;
  return is_perfect || result_.epochs >= config_.integer("epochs") || !result_.failure.empty() ||
         result_.epochs - result_.best_epoch >= config_.integer("patience");
}

void SplitTrainer::run_epoch() {
  records_.emplace_back().epoch = result_.epochs + 1;
  step();
  if (result_.failure.empty()) evaluate();
  if (!result_.failure.empty()) {
    records_.pop_back();
    next_logits_.reset();
    return;
  }
  ++result_.epochs;
  if (is_finished()) next_logits_.reset();
}

void SplitTrainer::stop_non_finite(const std::string& what, const nn::Pass& pass) {
  std::string place;
  const at::NoGradGuard no_gradients;
  nn::Pass probed = pass;
  probed.probe = [&](const std::string& name, const at::Tensor& numbers) {
    if (place.empty() && !numbers.isfinite().all().item<bool>()) place = name;
  };
  model_->forward(data_.input, probed);
  result_.failure =
      fmt::format("split {}: {}; the first numbers that are not finite come out of {}",
                  result_.split, what, place.empty() ? "the output" : place);
}

void SplitTrainer::step() {
  const std::int64_t epoch = records_.back().epoch;
  const nn::Pass pass = {true, mix_seed(seed_, static_cast<std::uint64_t>(epoch)), {}};
  nn::Weights& weights = model_->weights();
  weights.gradients().zero_();
  at::Tensor logits = std::exchange(next_logits_, {});
  if (!logits.defined()) logits = model_->forward(data_.input, pass);
  const at::Tensor loss = ops::cross_entropy(logits, labels_, train_nodes_);
  const double value = static_cast<double>(*loss.data_ptr<float>());
  if (!std::isfinite(value)) {
    return stop_non_finite(fmt::format("the loss of epoch {} is {}", epoch, value), pass);
  }
  records_.back().train_loss = value;
  loss.backward();
  for (const auto& [begin, end, group] : weights.pieces()) {
    kernels::adam_step(
        ops::torch_executor(),
        {.learning_rate = config_.number("lr"), .weight_decay = decay_of(group), .step = epoch},
        end - begin, weights.gradients().data_ptr<float>() + begin,
        weights.values().data_ptr<float>() + begin, first_moments_.data_ptr<float>() + begin,
        second_moments_.data_ptr<float>() + begin);
  }
}

double SplitTrainer::decay_of(nn::WeightGroup group) const {
  switch (group) {
    case nn::WeightGroup::kModel:
      return config_.number("weight_decay");
    case nn::WeightGroup::kSheaf:
      return config_.number("sheaf_decay");
    case nn::WeightGroup::kUndecayed:
      break;
  }
  return 0;
}

bool SplitTrainer::has_finite_scores(const at::Tensor& logits) const {
  const std::int64_t classes = data_.num_classes;
  const float* numbers = logits.data_ptr<float>();
  const auto is_finite = [&](std::int64_t node) {
    const float* row = numbers + node * classes;
    return std::all_of(row, row + classes, [](float z) { return std::isfinite(z); });
  };
  return std::ranges::all_of(train_, is_finite) && std::ranges::all_of(validation_, is_finite) &&
         std::ranges::all_of(test_, is_finite);
}

void SplitTrainer::evaluate() {
  // Without dropout the next step would compute these numbers again: it goes on from here.
  const at::AutoGradMode keeps_history(reuses_evaluation_);
  const at::Tensor logits = model_->forward(data_.input, {}).contiguous();
  if (reuses_evaluation_) next_logits_ = logits;
  if (!has_finite_scores(logits)) {
    return stop_non_finite(
        fmt::format("scores are not finite after epoch {}", records_.back().epoch), {});
  }
  const auto of = [&](const std::vector<std::int64_t>& nodes) {
    return score(numbers_of(logits), data_.num_classes, data_.labels, nodes);
  };
  EpochRecord& record = records_.back();
  record.train = of(train_);
  record.validation = of(validation_);
  record.test = of(test_);
  const bool is_first = result_.best_epoch == 0;
  const bool is_better =
      validation_.empty() || (config_.word("select_by") == "loss"
                                  ? record.validation.loss < result_.validation.loss
                                  : record.validation.accuracy > result_.validation.accuracy);
  if (!is_first && !is_better) return;
  result_.best_epoch = record.epoch;
  result_.validation = record.validation;
  result_.test = record.test;
  best_weights_.copy_(model_->weights().values());
}

}  // namespace dsnn
