#include "train/gpu_epochs.h"

#include "train/class_counts.h"
#include "util/duration.h"
#include "util/index.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dsnn {
namespace {

/// Epochs whose results are kept on the GPU; one slot is being prepared.
constexpr std::int64_t kSlots = 65;
/// Epochs of the longer recording.
constexpr std::int64_t kLong = 8;
/// The first branch of evaluations (kernels/gpu.h).
constexpr int kEvaluationBranch = 8;
/// The host looks about this often: rarely enough to cost nothing, often enough to be interrupted.
constexpr double kWindowSeconds = 0.025;

/// The labels of all sets, one after the other.
std::vector<std::int64_t> joined(const GpuEpochs::Plan& plan, bool is_labels) {
  std::vector<std::int64_t> result;
  for (const auto& set : plan.sets) {
    for (const std::int64_t u : set) result.push_back(is_labels ? plan.labels[at(u)] : u);
  }
  return result;
}

}  // namespace

GpuEpochs::GpuEpochs(const kernels::Gpu& gpu, std::int64_t num_weights, Plan plan)
    : gpu_(gpu),
      plan_(std::move(plan)),
      weights_(gpu, at(num_weights)),
      gradients_(gpu, at(num_weights)),
      first_moments_(gpu, at(num_weights)),
      second_moments_(gpu, at(num_weights)),
      best_(gpu, at(num_weights)),
      nodes_(gpu, std::span<const std::int64_t>(joined(plan_, false))),
      labels_(gpu, std::span<const std::int64_t>(joined(plan_, true))),
      results_(gpu, at(kSlots)),
      states_(gpu, 1),
      counts_(gpu, at(kSlots * kernels::kScoredSets * 3 * plan_.classes)),
      num_bad_(gpu, 1),
      margins_(gpu, plan_.classes == 2 ? at(kSlots) * nodes_.size() : 0) {
  for (int set = 0; set < kernels::kScoredSets; ++set) {
    scored_.sizes[at(set)] = std::ssize(plan_.sets[at(set)]);
  }
  scored_.classes = plan_.classes;
  scored_.nodes = nodes_.data();
  scored_.labels = labels_.data();
  scored_.slots = kSlots;
  scored_.results = results_.data();
  scored_.counts = counts_.data();
  scored_.margins = plan_.classes == 2 ? margins_.data() : nullptr;
  scored_.num_bad = num_bad_.data();
  // One of a few steps for each weight.
  std::vector<std::uint8_t> step_of(at(num_weights), kernels::WeightUpdates::kFixed);
  std::size_t num_steps = 0;
  for (const Plan::Update& update : plan_.updates) {
    std::size_t i = 0;
    while (i < num_steps && updates_.steps[i].weight_decay != update.step.weight_decay) ++i;
    if (i == num_steps) updates_.steps.at(num_steps++) = update.step;
    std::fill(step_of.begin() + update.begin, step_of.begin() + update.end,
              static_cast<std::uint8_t>(i));
  }
  step_of_ = kernels::GpuArray<std::uint8_t>(gpu, std::span<const std::uint8_t>(step_of));
  updates_.count = num_weights;
  updates_.step_of = step_of_.data();
  updates_.gradients = gradients_.data();
  updates_.weights = weights_.data();
  updates_.first_moments = first_moments_.data();
  updates_.second_moments = second_moments_.data();
  // Weights that no operator uses have no gradient.
  gpu.clear(gradients_.data(), gradients_.size() * sizeof(float));
}

void GpuEpochs::set_sessions(engine::Session<float>& training, engine::Value loss,
                             engine::Session<float>& evaluation, engine::Value logits) {
  training_ = &training;
  evaluation_ = &evaluation;
  loss_ = loss;
  logits_ = logits;
}

void GpuEpochs::upload(const TrainingArrays& arrays, const kernels::EpochState& state) {
  weights_.upload(arrays.weights);
  first_moments_.upload(arrays.first_moments);
  second_moments_.upload(arrays.second_moments);
  best_.upload(arrays.best);
  state_ = state;
  states_.upload(std::span<const kernels::EpochState>(&state_, 1));
  gpu_.clear(counts_.data(), counts_.size() * sizeof(int));
  gpu_.clear(num_bad_.data(), sizeof(int));
  is_warm_ = false;
}

void GpuEpochs::download(const TrainingArrays& arrays) const {
  weights_.download(arrays.weights);
  first_moments_.download(arrays.first_moments);
  second_moments_.download(arrays.second_moments);
  best_.download(arrays.best);
}

// Without dropout, the evaluation of an epoch is the forward pass of the next one. The scores of an
// epoch are found, and its weights kept, while the next step runs, up to the update of the weights.
void GpuEpochs::enqueue(std::int64_t count) {
  kernels::EpochState* state = states_.data();
  if (plan_.has_evaluation) kernels::start_epoch(gpu_, plan_.rules, state);
  int evaluated = -1;
  for (std::int64_t i = 0; i < count; ++i) {
    if (plan_.has_evaluation) training_->start_forward();
    training_->backward();
    gpu_.start_step();
    gpu_.after(evaluated);
    kernels::update_weights(gpu_, plan_.rules, updates_, training_->address(loss_), scored_, state);
    if (!plan_.has_evaluation) training_->start_forward();
    const bool is_apart = !plan_.has_evaluation || evaluation_->arena() != training_->arena();
    const int branch = is_apart ? kEvaluationBranch : 0;
    const int stepped = gpu_.mark();
    gpu_.use_branch(branch);
    if (is_apart) gpu_.after(stepped);
    if (plan_.has_evaluation) evaluation_->start_forward(branch);
    gpu_.start_step();
    kernels::finish_epoch(gpu_, plan_.rules, evaluation_->address(logits_), scored_, state);
    kernels::keep_best(gpu_, std::ssize(weights()), weights_.data(), best_.data(), state);
    evaluated = gpu_.mark();
    gpu_.use_branch(0);
  }
  gpu_.after(evaluated);
}

std::vector<EpochRecord> GpuEpochs::run(std::int64_t most, bool is_recorded) {
  const auto start = std::chrono::steady_clock::now();
  const std::int64_t first = state_.epochs;
  std::int64_t count = 1;
  // The first passes allocate and copy what the program needs; the recording finds it all there.
  if (!is_warm_) {
    if (!plan_.has_evaluation) training_->start_forward();
    enqueue(1);
  } else {
    const double fitting = kWindowSeconds / std::max(epoch_seconds_, 1e-6);
    count =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(fitting), 1, std::min(kSlots - 1, most));
    if (!is_recorded) {
      enqueue(count);
    } else {
      for (std::int64_t i = 0; i < count / kLong; ++i)
        gpu_.replay(*recorded(long_recording_, kLong));
      for (std::int64_t i = 0; i < count % kLong; ++i) gpu_.replay(*recorded(recording_, 1));
    }
  }
  std::vector<EpochRecord> records = read(first);
  if (is_warm_) epoch_seconds_ = seconds_since(start) / static_cast<double>(count);
  is_warm_ = true;
  return records;
}

const std::shared_ptr<kernels::Recording>& GpuEpochs::recorded(
    std::shared_ptr<kernels::Recording>& recording, std::int64_t count) {
  if (!recording) {
    gpu_.start_recording();
    enqueue(count);
    recording = gpu_.finish_recording();
  }
  return recording;
}

std::vector<EpochRecord> GpuEpochs::read(std::int64_t first) {
  states_.download(std::span(&state_, 1));
  std::vector<kernels::EpochResult> results(at(kSlots));
  results_.download(results);
  read_counts_.resize(counts_.size());
  counts_.download(read_counts_);
  read_margins_.resize(margins_.size());
  margins_.download(read_margins_);
  std::vector<EpochRecord> records;
  for (std::int64_t epoch = first; epoch < state_.epochs; ++epoch) {
    const std::int64_t slot = epoch % kSlots;
    const kernels::EpochResult& result = results[at(slot)];
    records.push_back({epoch + 1, result.train_loss, scores_of(0, slot, result),
                       scores_of(1, slot, result), scores_of(2, slot, result)});
  }
  return records;
}

Scores GpuEpochs::scores_of(int set, std::int64_t slot, const kernels::EpochResult& result) const {
  const std::size_t classes = at(plan_.classes);
  ClassCounts counts(classes);
  const int* from = read_counts_.data() + (at(slot) * kernels::kScoredSets + at(set)) * 3 * classes;
  for (std::vector<double>* to : {&counts.hits, &counts.predicted, &counts.actual}) {
    std::copy_n(from, classes, to->begin());
    from += classes;
  }
  const std::size_t size = plan_.sets[at(set)].size();
  counts.loss_sum = result.losses[at(set)] * static_cast<double>(size);
  if (!read_margins_.empty()) {
    std::size_t begin = at(slot) * nodes_.size();
    for (int before = 0; before < set; ++before) begin += plan_.sets[at(before)].size();
    for (std::size_t i = 0; i < size; ++i) {
      counts.add_margin(plan_.labels[at(plan_.sets[at(set)][i])] == 1, read_margins_[begin + i]);
    }
  }
  Scores scores = std::move(counts).scores(size);
  scores.loss = result.losses[at(set)];  // as the GPU compared it
  return scores;
}

}  // namespace dsnn
