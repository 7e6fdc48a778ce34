#include "dsnn/data/dsbm_dataset.h"

#include "dsnn/data/splits.h"

namespace dsnn {
namespace {

constexpr int kNumSplits = 10;
constexpr SplitShares kShares = {.train = 0.80, .validation = 0.05};  // and 0.15 to test

}  // namespace

Dataset dsbm_dataset(const DsbmOptions& options) {
  Dataset dataset;
  dataset.graph = DirectedGraph::from_arcs(options.num_nodes, sample_dsbm(options));
  dataset.labels = dsbm_communities(options);
  dataset.num_classes = options.num_communities;
  // The total degree: what can be known without looking at directions.
  dataset.features = Features::dense(options.num_nodes, 1, {});
  for (NodeId u = 0; u < options.num_nodes; ++u) {
    dataset.features.values.push_back(static_cast<float>(dataset.graph.degree(u)));
  }
  dataset.usual_scale = FeatureScale::kNone;  // as the paper's figure has it
  dataset.splits =
      stratified_splits(dataset.labels, dataset.num_classes, kShares, kNumSplits, options.seed);
  return dataset;
}

}  // namespace dsnn
