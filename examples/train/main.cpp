// Trains two networks on a graph whose communities differ only in arc directions, and uses one.
#include <cstdio>
#include <dsnn/data/splits.h>
#include <dsnn/graph/dsbm.h>
#include <dsnn/train/run.h>
#include <dsnn/train/train.h>

dsnn::Dataset make_dataset() {
  dsnn::DsbmOptions block_model;
  block_model.num_nodes = 300;
  block_model.num_communities = 3;
  block_model.alpha_in = block_model.alpha_out = 0.15;
  block_model.beta = 0.05;
  dsnn::Dataset dataset;
  dataset.name = "block model";
  dataset.graph = dsnn::DirectedGraph::from_arcs(300, dsnn::sample_dsbm(block_model));
  dataset.labels = dsnn::dsbm_communities(block_model);
  dataset.num_classes = 3;
  // A single constant feature: in- and out-degree would distinguish the communities.
  dataset.usual_scale = dsnn::FeatureScale::kNone;
  dataset.features = dsnn::Features::dense(300, 1, {});
  for (int u = 0; u < 300; ++u) {
    dataset.features.values.push_back(static_cast<float>(dataset.graph.degree(u)));
  }
  dataset.splits = dsnn::stratified_splits(dataset.labels, 3, {0.6, 0.2}, 2, /*seed=*/0);
  return dataset;
}

int main(int argc, char** argv) {
  const dsnn::Dataset dataset = make_dataset();
  for (const char* model : {"diag-nsd", "diag-dsnn"}) {
    dsnn::TrainOptions options;
    options.model = model;
    options.config = dsnn::default_config(model);
    for (const char* setting : {"channels=8", "epochs=120", "dropout=0"}) {
      options.config.set_text(setting);
    }
    if (argc > 1) options.folder = std::string(argv[1]) + "/" + model;
    const dsnn::TrainResult result = dsnn::train(dataset, options);
    std::printf("%-10s test accuracy %.0f %%\n", model, 100 * result.splits[0].test.accuracy);
  }
  if (argc > 1) {
    const dsnn::Run run(std::string(argv[1]) + "/diag-dsnn");
    const std::vector<float> logits = run.logits(run.best_split(), dataset);
    std::printf("%zu numbers for %d nodes and %d classes\n", logits.size(), 300, 3);
  }
}
