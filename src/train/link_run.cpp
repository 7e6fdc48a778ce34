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

}  // namespace

/// A program that scores blocks of pairs of one size.
struct LinkPredictor::Data {
  DirectedGraph graph;  ///< in the dataset's order of nodes
  std::string name;
  LinkQuestion question = LinkQuestion::kExistence;
  std::optional<PreparedInput> prepared;
  LinkModel model;
  std::vector<float> weights;
  std::vector<NodeValues> nodes;
  std::optional<engine::SparseMatrix> pairs;
  engine::Program program;
  engine::Value scores;
  std::unique_ptr<engine::Session<float>> session;

  void encode() {
    engine::Program encoder;
    const std::vector<engine::Value> values =
        model.decoder->prepare(model.encoder->encode(prepared->input, {encoder}));
    for (const engine::Value& value : values) encoder.keep(value);
    engine::Session<float> run(encoder, engine::Device::cpu(num_cores()), weights);
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

  /// Logits of at most kBlockPairs pairs.
  void score(std::span<const Arc> block, std::vector<float>& to) {
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

LinkPredictor::LinkPredictor(const Run& run, int split, const Dataset& dataset)
    : data_(std::make_unique<Data>()) {
  check_links(run);
  data_->graph = dataset.graph;
  data_->name = dataset.name;
  data_->question = link_question(run.config());
  data_->prepared.emplace(input_for(run, dataset, run.preparation(split)));
  data_->model = make_link_model(run.model(), run.config(), data_->prepared->input, 0);
  data_->weights = read_weights(RunFiles(run.folder()).model(split), *data_->model.encoder);
  data_->encode();
  data_->make_program();
}

LinkPredictor::~LinkPredictor() = default;
LinkPredictor::LinkPredictor(LinkPredictor&&) noexcept = default;

std::vector<float> LinkPredictor::logits(std::span<const Arc> pairs) const {
  const NodeId n = data_->graph.num_nodes();
  for (const Arc pair : pairs) {
    if (std::min(pair.source, pair.target) >= 0 && std::max(pair.source, pair.target) < n) continue;
    throw Error(fmt::format("{}: the pair {} -> {} is out of range, expected nodes 0 to {}",
                            data_->name, pair.source, pair.target, n - 1));
  }
  std::vector<float> result;
  for (std::size_t begin = 0; begin < pairs.size(); begin += kBlockPairs) {
    data_->score(pairs.subspan(begin, std::min(kBlockPairs, pairs.size() - begin)), result);
  }
  return result;
}

std::vector<double> LinkPredictor::probabilities(std::span<const Arc> pairs) const {
  const std::vector<float> scores = logits(pairs);
  const std::int64_t outputs = num_outputs(data_->question);
  std::vector<double> result;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const float* row = scores.data() + i * at(outputs);
    if (outputs == 1) {
      const float both[] = {0, *row};  // of class 0, of class 1
      result.resize(result.size() + 2);
      softmax_of(both, 2, result.data() + 2 * i);
    } else {
      result.resize(result.size() + at(outputs));
      softmax_of(row, outputs, result.data() + i * at(outputs));
    }
  }
  return result;
}

std::vector<LinkPrediction> LinkPredictor::top(std::int64_t count) const {
  if (data_->question == LinkQuestion::kDirection) {
    throw Error(
        "a model of directions assumes that there is an arc, so it cannot find missing ones; train "
        "with link_task=existence");
  }
  const std::size_t arc_class = data_->question == LinkQuestion::kThreeClass ? 0 : 1;
  const std::size_t classes = at(num_classes(data_->question));
  const auto is_better = [](const LinkPrediction& a, const LinkPrediction& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.target < b.target;
  };
  const DirectedGraph& graph = data_->graph;
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

std::vector<Scores> link_test_scores(const Run& run, const std::vector<int>& splits,
                                     const Dataset& dataset) {
  check_links(run);
  const LinkOptions options = link_options(run.config(), dataset);
  std::vector<Scores> scores;
  for (const int split : splits) {
    if (split >= num_link_splits(run.config(), dataset)) {
      throw Error(fmt::format("{}: has no link split {}", dataset.name, split));
    }
    const LinkExamples examples = link_examples(dataset, options, split);
    const LinkPredictor predictor(run, split, message_dataset(dataset, examples.messages));
    scores.push_back(link_scores(predictor.logits(examples.test.pairs),
                                 num_outputs(options.question), examples.test.labels,
                                 link_metric(run.config())));
  }
  return scores;
}

}  // namespace dsnn
