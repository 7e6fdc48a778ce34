#include "train/split_trainer.h"

#include "dsnn/util/error.h"

#include "kernels/adam.h"
#include "train/node_task.h"
#include "util/duration.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace dsnn {
namespace {

/// Derives a seed from a seed and its purpose.
std::uint64_t mix_seed(std::uint64_t seed, std::uint64_t purpose) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15u + purpose + 0x632be59bd9b4e019u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Whether a program needs so much memory that some values are better recomputed: they do not fit
/// into a cache anyway.
bool is_large(const engine::Program& program) {
  constexpr double kLargeBytes = 5e8;
  double bytes = 0;
  for (const engine::Program::Tensor& tensor : program.tensors()) {
    if (tensor.kind != engine::Program::Kind::kResult) continue;
    bytes += static_cast<double>(engine::num_numbers(tensor.shape)) * sizeof(float);
  }
  return bytes > kLargeBytes;
}

/// A GPU's copies of the entries of a matrix that will be replaced.
void forget_entries(const engine::Device& device, const engine::SparseMatrix* matrix) {
  if (matrix == nullptr || !device.is_gpu()) return;
  const void* const arrays[] = {matrix->row_offsets().data(), matrix->cols().data(),
                                matrix->values().data(),      matrix->col_offsets().data(),
                                matrix->rows().data(),        matrix->positions().data()};
  device.gpu()->forget_arrays(arrays);
}

bool are_finite(std::span<const float> numbers) {
  return std::ranges::all_of(numbers, [](float z) { return std::isfinite(z); });
}

}  // namespace

TrainingPrograms::TrainingPrograms(const nn::Model& model, const SplitTask& task,
                                   bool has_evaluation) {
  const SplitTask::Training values = task.append_training(model, {training, true});
  loss = values.loss;
  training_outputs = values.outputs;
  training.keep(training_outputs);
  training.keep(loss);
  training.differentiate(loss, is_large(training));
  if (!has_evaluation) return;
  outputs = task.append_evaluation(model, {evaluation, false});
  evaluation.keep(outputs);
}

SplitTrainer::SplitTrainer(const TrainingData& data, int number, const std::string& model,
                           const Config& config, std::uint64_t seed, engine::Device device)
    : SplitTrainer(std::make_unique<NodeTask>(data, number), number, model, config, seed,
                   std::move(device)) {}

SplitTrainer::SplitTrainer(std::unique_ptr<SplitTask> task, int number, const std::string& model,
                           const Config& config, std::uint64_t seed, engine::Device device)
    : task_(std::move(task)),
      config_(config),
      seed_(mix_seed(seed, static_cast<std::uint64_t>(number))),
      model_(task_->make_model(model, config, mix_seed(seed_, 0))),
      has_evaluation_(nn::has_dropout(config) || !task_->shares_outputs()),
      programs_(*model_, *task_, has_evaluation_),
      device_(std::move(device)),
      weights_(model_->weights().initial().begin(), model_->weights().initial().end()),
      gradients_(weights_.size()),
      first_moments_(weights_.size()),
      second_moments_(weights_.size()),
      best_weights_(weights_),
      gpu_(make_gpu_epochs()),
      training_(programs_.training, device_, gpu_ ? gpu_->weights() : weights_,
                gpu_ ? gpu_->gradients() : gradients_, {}, memory()) {
  if (has_evaluation_) {
    // One arena for both: a step does not use the previous evaluation. On a GPU, small ones run at
    // the same time.
    constexpr std::int64_t kSmall = 512'000'000 / sizeof(float);
    const bool is_apart = gpu_ && training_.plan().size <= kSmall;
    evaluation_.emplace(programs_.evaluation, device_,
                        gpu_ ? gpu_->weights() : std::span<const float>(weights_),
                        std::span<float>(), is_apart ? nullptr : training_.arena(), memory());
  }
  if (gpu_) {
    gpu_->set_sessions(training_, programs_.loss, evaluation_ ? *evaluation_ : training_,
                       evaluation_ ? programs_.outputs : programs_.training_outputs);
    gpu_->upload(arrays(), {});
  }
  result_.split = number;
  result_.num_validation = task_->num_validation();
  result_.num_test = task_->num_test();
  result_.arithmetic = Arithmetic::of(device_.is_gpu());
}

std::unique_ptr<GpuEpochs> SplitTrainer::make_gpu_epochs() const {
  const auto sets = task_->node_sets();
  if (!device_.is_gpu() || !sets) return nullptr;
  GpuEpochs::Plan plan;
  plan.rules = {seed_, config_.word("select_by") == "loss", config_.integer("patience")};
  plan.sets[0].assign(sets->train.begin(), sets->train.end());
  plan.sets[1].assign(sets->validation.begin(), sets->validation.end());
  plan.sets[2].assign(sets->test.begin(), sets->test.end());
  plan.labels = sets->labels;
  plan.classes = sets->num_classes;
  for (const auto& [begin, end, group] : model_->weights().pieces()) {
    if (group != nn::WeightGroup::kFixed) plan.updates.push_back({begin, end, adam(group)});
  }
  plan.has_evaluation = has_evaluation_;
  return std::make_unique<GpuEpochs>(*device_.gpu(), model_->weights().size(), std::move(plan));
}

TrainingArrays SplitTrainer::arrays() {
  return {weights_, first_moments_, second_moments_, best_weights_};
}

void SplitTrainer::run_on_gpu(std::int64_t most) {
  const std::int64_t left = config_.integer("epochs") - result_.epochs;
  for (EpochRecord& record : gpu_->run(std::min(most, left), is_recorded_)) {
    records_.push_back(record);
    take_best(record);
  }
  const kernels::EpochState& state = gpu_->state();
  result_.epochs = state.epochs;
  if (state.failure != 0) {
    engine::Session<float>& session = evaluation_ && state.failure == 2 ? *evaluation_ : training_;
    const std::int64_t epoch = state.epochs + 1;
    const bool is_loss = state.failure == 1;
    const auto loss = static_cast<double>(training_.numbers(programs_.loss)[0]);
    stop_non_finite(is_loss ? fmt::format("the loss of epoch {} is {}", epoch, loss)
                            : fmt::format("scores are not finite after epoch {}", epoch),
                    session, is_loss ? mix_seed(seed_, static_cast<std::uint64_t>(epoch)) : 0);
  }
  gpu_->download(arrays());
}

std::span<const float> SplitTrainer::best_weights(const engine::Weight& weight) const {
  return {best_weights_.data() + weight.offset, at(engine::num_numbers(weight.shape))};
}

bool SplitTrainer::is_finished() const {
  // Only better epochs are chosen, and no score is better than this one.
  const bool is_perfect = config_.word("select_by") == "accuracy" && result_.best_epoch > 0 &&
                          result_.validation.value() >= 1;
  return is_perfect || result_.epochs >= config_.integer("epochs") || !result_.failure.empty() ||
         result_.epochs - result_.best_epoch >= config_.integer("patience");
}

void SplitTrainer::run_epoch(int threads, std::int64_t most) {
  const auto start = std::chrono::steady_clock::now();
  if (gpu_) {
    run_on_gpu(most);
    result_.seconds += seconds_since(start);
    return;
  }
  const std::int64_t interruptions = num_interruptions();
  device_.use_threads(threads_.next(threads));
  records_.emplace_back().epoch = result_.epochs + 1;
  step();
  if (result_.failure.empty()) evaluate();
  if (result_.failure.empty()) {
    ++result_.epochs;
  } else {
    records_.pop_back();
  }
  const double seconds = seconds_since(start);
  threads_.add(seconds, num_interruptions() - interruptions);
  result_.seconds += seconds;
}

void SplitTrainer::stop_non_finite(const std::string& what, engine::Session<float>& session,
                                   std::uint64_t pass_seed) {
  std::string place;
  session.forward(pass_seed, [&](const std::string& part, std::span<const float> numbers) {
    if (place.empty() && !are_finite(numbers)) place = part;
  });
  if (Ranks* ranks = task_->ranks()) {  // the part of the network where the first rank sees it
    for (const std::string& other : ranks->gather_text(place)) {
      if (place.empty()) place = other;
    }
    place = ranks->from_first(place);
  }
  result_.failure = fmt::format("split {}: {}; the first non-finite values come from {}",
                                result_.split, what, place.empty() ? "the output" : place);
}

void SplitTrainer::step() {
  const std::int64_t epoch = records_.back().epoch;
  const std::uint64_t pass_seed = mix_seed(seed_, static_cast<std::uint64_t>(epoch));
  // Without an own evaluation, the last one was the forward pass of this step.
  if (!std::exchange(is_evaluated_, false)) {
    forget_entries(device_, task_->replaced_matrix());
    task_->begin_step(pass_seed, device_.executor());
    training_.forward(pass_seed);
  }
  Ranks* ranks = task_->ranks();
  double loss = static_cast<double>(training_.numbers(programs_.loss)[0]);
  if (ranks != nullptr) loss = ranks->sum(loss);
  if (!std::isfinite(loss)) {
    return stop_non_finite(fmt::format("the loss of epoch {} is {}", epoch, loss), training_,
                           pass_seed);
  }
  records_.back().train_loss = loss;
  task_->score_step(training_.numbers(programs_.training_outputs), records_.back());
  training_.backward();
  if (ranks != nullptr) ranks->sum(std::span(gradients_));
  for (const auto& [begin, end, group] : model_->weights().pieces()) {
    if (group == nn::WeightGroup::kFixed) continue;
    kernels::AdamStep adam_step = adam(group);
    adam_step.step = epoch;
    kernels::adam_step(device_.executor(), adam_step, end - begin, gradients_.data() + begin,
                       weights_.data() + begin, first_moments_.data() + begin,
                       second_moments_.data() + begin);
  }
}

kernels::AdamStep SplitTrainer::adam(nn::WeightGroup group) const {
  return {.learning_rate = config_.number("lr"), .weight_decay = decay_of(group)};
}

double SplitTrainer::decay_of(nn::WeightGroup group) const {
  switch (group) {
    case nn::WeightGroup::kModel:
      return config_.number("weight_decay");
    case nn::WeightGroup::kSheaf:
      for (const std::string& name : config_.with_role(ParameterRole::kSheafDecay)) {
        return config_.number(name);
      }
      return config_.number("weight_decay");
    case nn::WeightGroup::kUndecayed:
    case nn::WeightGroup::kFixed:
      break;
  }
  return 0;
}

LearningSigns SplitTrainer::signs() const {
  LearningSigns signs = task_->signs();
  if (!records_.empty()) signs.first_loss = records_.front().train_loss;
  for (const EpochRecord& record : records_) {
    signs.train_accuracy = std::max(signs.train_accuracy, record.train.accuracy);
  }
  return signs;
}

void SplitTrainer::evaluate() {
  engine::Session<float>& session = evaluation_ ? *evaluation_ : training_;
  session.forward();
  is_evaluated_ = !evaluation_;
  const std::span<const float> outputs =
      session.numbers(evaluation_ ? programs_.outputs : programs_.training_outputs);
  EpochRecord& record = records_.back();
  if (!task_->has_finite_scores(outputs)) {
    is_evaluated_ = false;
    return stop_non_finite(fmt::format("scores are not finite after epoch {}", record.epoch),
                           session, 0);
  }
  task_->score(outputs, record);
  take_best(record);
}

void SplitTrainer::take_best(const EpochRecord& record) {
  const bool is_first = result_.best_epoch == 0;
  const bool is_better =
      result_.num_validation == 0 || (config_.word("select_by") == "loss"
                                          ? record.validation.loss < result_.validation.loss
                                          : record.validation.value() > result_.validation.value());
  if (!is_first && !is_better) return;
  result_.best_epoch = record.epoch;
  result_.validation = record.validation;
  result_.test = record.test;
  if (!gpu_) best_weights_ = weights_;
}

}  // namespace dsnn
