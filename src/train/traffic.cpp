#include "dsnn/train/traffic.h"

#include "dsnn/engine/operators/linear.h"
#include "dsnn/nn/input.h"

#include <memory>
#include <utility>
#include <vector>

namespace dsnn {
namespace {

/// The exchanges of an epoch: they are the same on any graph, such as one arc between two parts.
std::vector<Fetch> fetches_of(const nn::Model& model, const Config& config,
                              const nn::ModelShape& shape) {
  Dataset whole;
  const std::vector<Arc> arcs = {{0, 1}};
  whole.graph = DirectedGraph::from_arcs(2, arcs);
  whole.features =
      Features::dense(2, shape.num_features,
                      std::vector<float>(static_cast<std::size_t>(2 * shape.num_features), 1));
  const std::vector<std::int64_t> labels = {0, 0};
  std::vector<Fetch> all;
  run_as_threads(2, [&](Ranks& ranks) {
    Part part = make_part(whole, {}, {0, 1}, ranks.rank());
    const auto halo = std::make_shared<const Halo>(part.nodes, part.data.graph, ranks);
    const nn::Input input(engine::Graph(part.data.graph), part.data.features, halo);
    engine::Program training, evaluation;
    for (engine::Program* program : {&training, &evaluation}) {
      program->set_rewriter(part_rewriter(halo));
    }
    const engine::Value logits = model.forward(input, {training, true});
    training.differentiate(engine::cross_entropy(logits, labels, {}, 1));
    if (nn::has_dropout(config)) model.forward(input, {evaluation, false});
    if (ranks.rank() != 0) return;
    all = fetches(training);
    for (const Fetch& fetch : fetches(evaluation)) all.push_back(fetch);
  });
  return all;
}

}  // namespace

EpochTraffic epoch_traffic(const std::string& model, const Config& config,
                           const nn::ModelShape& shape, const PartitionCost& cost, int num_parts,
                           std::int64_t num_scored) {
  const auto made = nn::make_model(model, config, shape, 0);
  EpochTraffic traffic;
  for (const Fetch& fetch : fetches_of(*made, config, shape)) {
    const std::int64_t rows =
        fetch.kind == engine::RowKind::kNodes ? cost.ghosts : 2 * cost.cut_edges;
    traffic.rows += rows * fetch.numbers * static_cast<std::int64_t>(sizeof(float));
  }
  // A sum of n numbers: each is sent to the rank that adds it, and its sum from there to all.
  const std::int64_t others = num_parts - 1;
  const auto sum = [&](std::int64_t numbers, std::size_t bytes) {
    return 2 * others * numbers * static_cast<std::int64_t>(bytes);
  };
  constexpr std::int64_t kSets = 3, kFlags = 2;  // whether scores are finite, and a request to stop
  traffic.sums = sum(made->num_weights(), sizeof(float)) + sum(1, sizeof(double)) +
                 kSets * sum(1 + 3 * shape.num_classes, sizeof(double)) +
                 kFlags * sum(1, sizeof(std::int64_t));
  if (shape.num_classes == 2) {  // margins of both classes, gathered after their numbers
    constexpr std::int64_t kLists = 2;
    traffic.sums += others * num_scored * static_cast<std::int64_t>(sizeof(double)) +
                    kSets * kLists * num_parts * others * static_cast<std::int64_t>(sizeof(double));
  }
  return traffic;
}

}  // namespace dsnn
