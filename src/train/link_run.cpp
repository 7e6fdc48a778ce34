#include "dsnn/train/link_run.h"

#include "dsnn/engine/session.h"
#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "train/link_config.h"
#include "train/link_scores.h"
#include "train/link_task.h"
#include "train/run_files.h"
#include "train/run_input.h"
#include "util/index.h"
#include "util/log_sum_exp.h"
#include "util/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace dsnn {
namespace {

constexpr std::size_t kBlockPairs = 1 << 16;

/// The nodes' values that a decoder reads, computed once: shapes and elements.
struct NodeValues {
  engine::Shape shape;
  std::shared_ptr<const engine::Constant> numbers;
};

void check_links(const Run& run) {
  if (run.task() == TaskKind::kLinks) return;
  throw Error(fmt::format("{}: predicts classes of nodes, not links (train with --task links)",
                          run.folder().string()));
}

void check_pairs(std::span<const Arc> pairs, NodeId n, const std::string& name) {
  for (const Arc pair : pairs) {
    if (std::min(pair.source, pair.target) >= 0 && std::max(pair.source, pair.target) < n) continue;
    throw Error(fmt::format("{}: the pair {} -> {} is out of range, expected nodes 0 to {}", name,
                            pair.source, pair.target, n - 1));
  }
}

}  // namespace

/// A model with a program that scores blocks of pairs of one size.
struct LinkPredictor::Member {
  LinkQuestion question = LinkQuestion::kExistence;
  std::optional<PreparedInput> prepared;
  LinkModel model;
  std::vector<float> weights;
  std::vector<NodeValues> nodes;
  std::optional<engine::SparseMatrix> pairs;
  engine::Program program;
  engine::Value scores;
  std::unique_ptr<engine::Session<float>> session;

  /// On a device; pairs are scored on the processor.
  void encode(const engine::Device& device) {
    engine::Program encoder;
    const std::vector<engine::Value> values =
        model.decoder->prepare(model.encoder->encode(prepared->input, {encoder}));
    for (const engine::Value& value : values) encoder.keep(value);
    engine::Session<float> run(encoder, device, weights);
    run.forward();
    for (const engine::Value& value : values) {
      const std::span<const float> numbers = run.numbers(value);
      nodes.push_back({value.shape(), std::make_shared<const engine::Constant>(
                                          std::vector<float>(numbers.begin(), numbers.end()))});
    }
  }

  void make_program() {
    std::vector<std::int64_t> places;
    pairs = pair_matrix(*prepared, std::vector<Arc>(kBlockPairs, Arc{0, 0}), places);
    std::vector<engine::Value> values;
    for (const NodeValues& each : nodes) {
      values.push_back(program.constant(each.shape, each.numbers));
    }
    scores = model.decoder->score(values, *pairs, {program});
    program.keep(scores);
    session = std::make_unique<engine::Session<float>>(program, engine::Device::cpu(num_cores()),
                                                       std::span<const float>(weights));
  }

  /// Appends the logits of at most kBlockPairs pairs.
  void score(std::span<const Arc> block, const std::string& name, std::vector<float>& to) {
    std::vector<Arc> padded(block.begin(), block.end());
    padded.resize(kBlockPairs, Arc{0, 0});
    std::vector<std::int64_t> places;
    pairs->replace(pair_matrix(*prepared, padded, places));
    session->forward();
    const std::span<const float> logits = session->numbers(scores);
    const std::size_t width = at(num_outputs(question));
    for (std::size_t i = 0; i < block.size(); ++i) {
      const auto row = logits.subspan(at(places[i]) * width, width);
      if (!std::ranges::all_of(row, [](float z) { return std::isfinite(z); })) {
        throw Error(fmt::format("{}: the model has non-finite outputs for the pair {} -> {}", name,
                                block[i].source, block[i].target));
      }
      to.insert(to.end(), row.begin(), row.end());
    }
  }
};

LinkPredictor::LinkPredictor(const Ensemble& ensemble, int split, const Dataset& dataset)
    : LinkPredictor(std::span(ensemble.members()), split, dataset) {}
LinkPredictor::LinkPredictor(const Run& run, int split, const Dataset& dataset)
    : LinkPredictor(std::span(&run, 1), split, dataset) {}

LinkPredictor::LinkPredictor(std::span<const Run> runs, int split, const Dataset& dataset)
    : graph_(dataset.graph), name_(dataset.name) {
  for (const Run& run : runs) {
    check_links(run);
    auto member = std::make_unique<Member>();
    member->question = link_question(run.config());
    if (!members_.empty() && member->question != members_.front()->question) {
      throw Error(fmt::format("{}: answers another question about pairs than the other members",
                              run.folder().string()));
    }
    member->prepared.emplace(input_for(run, dataset, run.preparation(split)));
    member->model = make_link_model(run.model(), run.config(), member->prepared->input, 0);
    member->weights = read_weights(RunFiles(run.folder()).model(split), *member->model.encoder);
    member->encode(engine::Device::of_word(run.device(), num_cores()));
    member->make_program();
    members_.push_back(std::move(member));
  }
}

LinkPredictor::~LinkPredictor() = default;
LinkPredictor::LinkPredictor(LinkPredictor&&) noexcept = default;

std::vector<float> LinkPredictor::logits(std::span<const Arc> pairs) const {
  check_pairs(pairs, graph_.num_nodes(), name_);
  std::vector<float> result;
  if (members_.size() == 1) {
    for (std::size_t begin = 0; begin < pairs.size(); begin += kBlockPairs) {
      members_.front()->score(pairs.subspan(begin, std::min(kBlockPairs, pairs.size() - begin)),
                              name_, result);
    }
    return result;
  }
  constexpr double kLeast = 1e-300;  // its logarithm is finite
  const std::vector<double> p = probabilities(pairs);
  if (num_outputs(members_.front()->question) == 1) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      result.push_back(static_cast<float>(std::log(std::max(p[2 * i + 1], kLeast)) -
                                          std::log(std::max(p[2 * i], kLeast))));
    }
    return result;
  }
  for (const double each : p)
    result.push_back(static_cast<float>(std::log(std::max(each, kLeast))));
  return result;
}

std::vector<double> LinkPredictor::probabilities(std::span<const Arc> pairs) const {
  check_pairs(pairs, graph_.num_nodes(), name_);
  const LinkQuestion question = members_.front()->question;
  const std::int64_t outputs = num_outputs(question);
  const std::size_t classes = at(num_classes(question));
  std::vector<double> result(pairs.size() * classes, 0), of_pair(classes);
  for (const auto& member : members_) {
    std::vector<float> scores;
    for (std::size_t begin = 0; begin < pairs.size(); begin += kBlockPairs) {
      member->score(pairs.subspan(begin, std::min(kBlockPairs, pairs.size() - begin)), name_,
                    scores);
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const float* row = scores.data() + i * at(outputs);
      const float both[] = {0, *row};  // of class 0, of class 1
      softmax_of(outputs == 1 ? both : row, std::ssize(of_pair), of_pair.data());
      for (std::size_t c = 0; c < classes; ++c) result[i * classes + c] += of_pair[c];
    }
  }
  if (members_.size() == 1) return result;
  for (double& each : result) each /= static_cast<double>(members_.size());
  return result;
}

std::vector<LinkPrediction> LinkPredictor::top(std::int64_t count) const {
  const LinkQuestion question = members_.front()->question;
  if (question == LinkQuestion::kDirection) {
    throw Error(
        "a model of directions assumes that there is an arc, so it cannot find missing ones; train "
        "with link_task=existence");
  }
  const std::size_t arc_class = question == LinkQuestion::kThreeClass ? 0 : 1;
  const std::size_t classes = at(num_classes(question));
  const auto is_better = [](const LinkPrediction& a, const LinkPrediction& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.target < b.target;
  };
  const DirectedGraph& graph = graph_;
  std::vector<LinkPrediction> result, best;  // best: a heap, the worst first
  std::vector<Arc> block;
  NodeId source = 0;  // of `best`
  const auto finish = [&] {
    std::ranges::sort(best, is_better);
    result.insert(result.end(), best.begin(), best.end());
    best.clear();
  };
  const auto flush = [&] {
    const std::vector<double> p = probabilities(block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (block[i].source != source) finish();
      source = block[i].source;
      const LinkPrediction each = {source, block[i].target, p[i * classes + arc_class]};
      if (std::ssize(best) == count) {
        if (!is_better(each, best.front())) continue;
        std::ranges::pop_heap(best, is_better);
        best.pop_back();
      }
      best.push_back(each);
      std::ranges::push_heap(best, is_better);
    }
    block.clear();
  };
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    HalfEdgeId h = graph.row_begin(u);
    for (NodeId v = 0; v < graph.num_nodes(); ++v) {
      while (h < graph.row_end(u) && graph.neighbour(h) < v) ++h;
      const bool is_arc = h < graph.row_end(u) && graph.neighbour(h) == v && graph.has_arc(h);
      if (u == v || is_arc) continue;
      block.push_back({u, v});
      if (block.size() < kBlockPairs) continue;
      if (is_cancel_requested()) throw Cancelled();
      flush();
    }
  }
  flush();
  finish();
  return result;
}

EnsembleScores link_scores_of(const Ensemble& ensemble, int split, const Dataset& dataset) {
  const Run& run = ensemble.first();
  check_links(run);
  if (split >= num_link_splits(run.config(), dataset)) {
    throw Error(fmt::format("{}: has no link split {}", dataset.name, split));
  }
  const LinkOptions options = link_options(run.config(), dataset);
  const LinkExamples examples = link_examples(dataset, options, split);
  const LinkPredictor predictor(ensemble, split, message_dataset(dataset, examples.messages));
  const auto scores_of = [&](const LabelledPairs& part) {
    return link_scores(predictor.logits(part.pairs), num_outputs(options.question), part.labels,
                       link_metric(run.config()));
  };
  EnsembleScores scores;
  scores.split = split;
  scores.num_validation = std::ssize(examples.validation.pairs);
  scores.num_test = std::ssize(examples.test.pairs);
  scores.validation = scores_of(examples.validation);
  scores.test = scores_of(examples.test);
  return scores;
}

std::vector<Scores> link_test_scores(const Ensemble& ensemble, const std::vector<int>& splits,
                                     const Dataset& dataset) {
  std::vector<Scores> scores;
  for (const int split : splits) scores.push_back(link_scores_of(ensemble, split, dataset).test);
  return scores;
}

}  // namespace dsnn
