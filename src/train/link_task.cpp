#include "train/link_task.h"

#include "dsnn/data/degree_features.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/util/error.h"

#include "train/link_config.h"
#include "train/link_scores.h"
#include "util/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace dsnn {
namespace {

/// Pairs of the dataset's nodes, by the numbers of the input.
std::vector<Arc> in_input(const PreparedInput& prepared, std::vector<Arc> pairs) {
  if (prepared.order.empty()) return pairs;
  std::vector<NodeId> place(prepared.order.size());
  for (std::size_t i = 0; i < place.size(); ++i) {
    place[at(prepared.order[i])] = static_cast<NodeId>(i);
  }
  for (Arc& pair : pairs) pair = {place[at(pair.source)], place[at(pair.target)]};
  return pairs;
}

/// The labels in the order of the entries.
std::vector<std::int64_t> by_entry(const std::vector<std::int64_t>& labels,
                                   const std::vector<std::int64_t>& places) {
  std::vector<std::int64_t> result(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) result[at(places[i])] = labels[i];
  return result;
}

/// Two matrices of equal width, one below the other.
engine::Value stacked(engine::Value upper, engine::Value lower) {
  engine::Program& program = upper.program();
  const auto as_row = [&](engine::Value x) {
    return program.reshape(x, {1, x.size(0) * x.size(1)});
  };
  const engine::Value first = as_row(upper);
  const engine::Value second = as_row(lower);
  return program.reshape(engine::concat({first, second}),
                         {upper.size(0) + lower.size(0), upper.size(1)});
}

std::vector<std::int64_t> all_of(std::size_t count) {
  std::vector<std::int64_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

}  // namespace

engine::SparseMatrix pair_matrix(const PreparedInput& prepared, const std::vector<Arc>& pairs,
                                 std::vector<std::int64_t>& places) {
  const std::int64_t n = prepared.input.num_nodes();
  return engine::SparseMatrix::from_pairs(n, n, in_input(prepared, pairs), places);
}

std::int64_t num_outputs(LinkQuestion question) {
  const std::int64_t classes = num_classes(question);
  return classes == 2 ? 1 : classes;
}

LinkModel make_link_model(const std::string& name, const Config& config, const nn::Input& input,
                          std::uint64_t seed) {
  LinkModel made;
  made.encoder = nn::make_model(
      name, config, {input.num_features(), config.integer("embedding"), /*is_encoder=*/true}, seed);
  engine::Program shapes;
  const engine::Value encoding = made.encoder->encode(input, {shapes});
  constexpr std::uint64_t kOther = 0x6c696e6b;  // other numbers than those of the encoder
  Random random(seed ^ kOther);
  made.decoder = nn::make_decoder(config, {encoding.shape(), num_outputs(link_question(config))},
                                  made.encoder->weights(), random);
  return made;
}

Dataset message_dataset(const Dataset& dataset, const std::vector<Arc>& messages) {
  Dataset result;
  result.name = dataset.name;
  result.graph = subgraph(dataset.graph, messages);
  result.usual_scale = dataset.usual_scale;
  result.feature_names = dataset.feature_names;
  if (!has_degree_features(dataset)) {
    result.features = dataset.features;
    return result;
  }
  if (dataset.feature_names != std::vector<std::string>{"out-degree", "in-degree"}) {
    throw Error(fmt::format(
        "{}: its features contain degrees, which would reveal arcs of validation and test; use "
        "--features degrees or --degree-features yes, which count training arcs only",
        dataset.name));
  }
  set_degree_features(result, DegreeFeatures::kDegrees);
  return result;
}

LinkTask::LinkTask(const Dataset& dataset, const Config& config, int split)
    : question_(link_question(config)), metric_(link_metric(config)) {
  const LinkExamples examples = link_examples(dataset, link_options(config, dataset), split);
  const Dataset messages = message_dataset(dataset, examples.messages);
  preparation_ = fit_preparation(messages, config);
  prepared_.emplace(prepare_input(messages, messages.features, preparation_));
  std::vector<std::int64_t> places;
  train_ = pair_matrix(*prepared_, examples.train.pairs, places);
  train_labels_ = by_entry(examples.train.labels, places);
  num_drawn_ = examples.num_drawn;
  train_labels_.insert(train_labels_.end(), at(num_drawn_), examples.drawn_label);
  std::vector<Arc> evaluated = examples.validation.pairs;
  evaluated.insert(evaluated.end(), examples.test.pairs.begin(), examples.test.pairs.end());
  evaluated_ = pair_matrix(*prepared_, evaluated, places_);
  validation_labels_ = examples.validation.labels;
  test_labels_ = examples.test.labels;
  if (num_drawn_ > 0) {
    drawn_ = drawn_pairs(absent_pairs(prepared_->input.graph().directed(), num_drawn_, 0));
  }
}

engine::SparseMatrix LinkTask::drawn_pairs(const std::vector<Arc>& pairs) const {
  const std::int64_t n = prepared_->input.num_nodes();
  std::vector<std::int64_t> places;
  return engine::SparseMatrix::from_pairs(n, n, pairs, places);
}

std::unique_ptr<nn::Model> LinkTask::make_model(const std::string& name, const Config& config,
                                                std::uint64_t seed) {
  LinkModel made = make_link_model(name, config, prepared_->input, seed);
  decoder_ = std::move(made.decoder);
  return std::move(made.encoder);
}

SplitTask::Training LinkTask::append_training(const nn::Model& model, const nn::Pass& pass) const {
  const std::vector<engine::Value> nodes = decoder_->prepare(model.encode(prepared_->input, pass));
  engine::Value logits = decoder_->score(nodes, *train_, pass, 0);
  if (drawn_) logits = stacked(logits, decoder_->score(nodes, *drawn_, pass, 1));
  const engine::Value loss =
      num_outputs(question_) == 1
          ? binary_cross_entropy(logits, train_labels_)
          : cross_entropy(logits, train_labels_, all_of(train_labels_.size()));
  return {loss, logits};
}

engine::Value LinkTask::append_evaluation(const nn::Model& model, const nn::Pass& pass) const {
  return decoder_->score(decoder_->prepare(model.encode(prepared_->input, pass)), *evaluated_, pass,
                         0);
}

void LinkTask::begin_step(std::uint64_t seed, const kernels::Executor& executor) {
  constexpr std::int64_t kBlock = 512;
  if (!drawn_) return;
  const DirectedGraph& graph = prepared_->input.graph().directed();
  std::vector<Arc> pairs(at(num_drawn_));
  std::atomic<bool> is_complete = true;
  kernels::run_blocks(executor, (num_drawn_ + kBlock - 1) / kBlock,
                      [&](kernels::BlockQueue& queue) {
                        for (std::int64_t block; queue.take(block);) {
                          const std::int64_t end = std::min((block + 1) * kBlock, num_drawn_);
                          for (std::int64_t i = block * kBlock; i < end; ++i) {
                            const std::optional<Arc> pair = absent_pair(graph, i, seed);
                            if (pair) pairs[at(i)] = *pair;
                            if (!pair) is_complete = false;
                          }
                        }
                      });
  if (!is_complete) pairs = absent_pairs(graph, num_drawn_, seed);  // throws
  drawn_->replace(drawn_pairs(pairs));
}

void LinkTask::score_step(std::span<const float> outputs, EpochRecord& record) const {
  const std::size_t width = at(num_outputs(question_));
  std::int64_t hits = 0;
  for (std::size_t i = 0; i < train_labels_.size(); ++i) {
    const auto row = outputs.subspan(i * width, width);
    const std::int64_t predicted =
        width == 1 ? (row[0] > 0 ? 1 : 0) : std::ranges::max_element(row) - row.begin();
    if (predicted == train_labels_[i]) ++hits;
  }
  record.train.loss = record.train_loss;
  record.train.accuracy = static_cast<double>(hits) / static_cast<double>(train_labels_.size());
}

bool LinkTask::has_finite_scores(std::span<const float> outputs) const {
  return std::ranges::all_of(outputs, [](float z) { return std::isfinite(z); });
}

std::vector<float> LinkTask::logits_of(std::span<const float> outputs, std::size_t begin,
                                       std::size_t count) const {
  const std::size_t width = at(num_outputs(question_));
  std::vector<float> logits;
  logits.reserve(count * width);
  for (std::size_t i = begin; i < begin + count; ++i) {
    const auto row = outputs.subspan(at(places_[i]) * width, width);
    logits.insert(logits.end(), row.begin(), row.end());
  }
  return logits;
}

void LinkTask::score(std::span<const float> outputs, EpochRecord& record) const {
  const std::size_t num_validation = validation_labels_.size();
  const auto of = [&](std::size_t begin, const std::vector<std::int64_t>& labels) {
    return link_scores(logits_of(outputs, begin, labels.size()), num_outputs(question_), labels,
                       metric_);
  };
  record.validation = of(0, validation_labels_);
  record.test = of(num_validation, test_labels_);
}

LearningSigns LinkTask::signs() const {
  LearningSigns signs;
  const std::int64_t classes = num_classes(question_);
  std::vector<std::int64_t> counts(at(classes), 0);
  for (const std::int64_t label : train_labels_) ++counts[at(label)];
  signs.guess_loss = std::log(static_cast<double>(classes));
  signs.majority_share =
      static_cast<double>(std::ranges::max(counts)) / static_cast<double>(train_labels_.size());
  return signs;
}

}  // namespace dsnn
