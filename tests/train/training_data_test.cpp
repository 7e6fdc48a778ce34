#include "train/training_data.h"

#include "dsnn/nn/model.h"
#include "dsnn/train/train.h"

#include "util/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace dsnn {
namespace {

// They are then in another order, with all their data.
TEST(TrainingData, OfManyNodesKeepsTogetherWhatBelongsTogether) {
  const NodeId n = 12'000;
  const auto other = [](NodeId u) { return static_cast<NodeId>((7919LL * u) % n); };
  std::vector<Arc> arcs;
  std::vector<float> numbers;
  Dataset dataset;
  dataset.num_classes = 3;
  dataset.splits.resize(1);
  for (NodeId u = 0; u < n; ++u) {
    arcs.push_back({other(u), other((u + 1) % n)});
    numbers.push_back(static_cast<float>(u));
    dataset.labels.push_back(u % 3);
    dataset.splits[0].train.push_back(u % 5 == 0);
    dataset.splits[0].validation.push_back(u % 5 == 1);
    dataset.splits[0].test.push_back(u % 5 > 1);
  }
  dataset.graph = DirectedGraph::from_arcs(n, arcs);
  dataset.features = Features::dense(n, 1, numbers);
  dataset.usual_scale = FeatureScale::kNone;
  const TrainingData data =
      make_training_data(dataset, fit_preparation(dataset, default_config("diag-dsnn")));
  const float* features = data.prepared.input.dense_features()->numbers<float>();
  const DirectedGraph& graph = data.prepared.input.graph().directed();
  std::vector<int> part(at(n), -1);  // of each node of the input
  const Split& split = dataset.splits[0];
  for (const std::int64_t i : data.labelled_nodes(split.train)) part[at(i)] = 0;
  for (const std::int64_t i : data.labelled_nodes(split.validation)) part[at(i)] = 1;
  for (const std::int64_t i : data.labelled_nodes(split.test)) part[at(i)] = 2;
  int num_moved = 0;
  for (NodeId i = 0; i < n; ++i) {
    const auto node = [&](NodeId place) { return static_cast<NodeId>(features[place]); };
    const NodeId u = node(i);
    num_moved += u == i ? 0 : 1;
    EXPECT_EQ(data.labels[at(i)], u % 3);
    EXPECT_EQ(data.prepared.node(at(i)), u);
    EXPECT_EQ(part[at(i)], std::min(u % 5, 2));
    for (HalfEdgeId h = graph.row_begin(i); h < graph.row_end(i); ++h) {
      const NodeId v = node(graph.neighbour(h));
      const NodeId step = graph.has_arc(h) ? (v - u + n) % n : (u - v + n) % n;
      EXPECT_EQ(step, 7919);
    }
  }
  EXPECT_GT(num_moved, n / 2);
}

TEST(NormaliseRows, SubtractsTheSmallestAndDividesBySums) {
  const Features dense = Features::dense(3, 2, {-1, 1, -1, -1, -0.9f, -1});
  const Features result = normalise_rows(dense);
  EXPECT_EQ(result.num_rows, 3);
  const std::vector<float> expected = {0, 1, 0, 0, 0.1f, 0};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(result.values[i], expected[i], 1e-6);
  const Features sparse = Features::dense(2, 3, {0, 2, 2, 0, 0, 0.5f}).to_sparse();
  const Features normalised = normalise_rows(sparse);
  EXPECT_TRUE(normalised.is_sparse());
  EXPECT_EQ(normalised.values, (std::vector<float>{0.5f, 0.5f, 0.5f}));
  EXPECT_EQ(smallest_value(dense), -1);
  EXPECT_EQ(smallest_value(Features::dense(1, 2, {3, 2})), 2);
  EXPECT_EQ(smallest_value(Features::dense(1, 2, {3, 2}).to_sparse()), 0);
  EXPECT_EQ(normalise_rows(Features::dense(1, 2, {0, 1}), -1).values,
            (std::vector<float>{1.0f / 3, 2.0f / 3}));
}

}  // namespace
}  // namespace dsnn
