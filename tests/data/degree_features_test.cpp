#include "dsnn/data/degree_features.h"

#include <gtest/gtest.h>

namespace dsnn {
namespace {

Dataset star() {
  Dataset dataset;
  std::vector<Arc> arcs;
  for (NodeId leaf = 1; leaf <= 5; ++leaf) arcs.push_back({0, leaf});
  arcs.push_back({1, 0});
  dataset.graph = DirectedGraph::from_arcs(7, arcs);
  return dataset;
}

TEST(DegreeFeatures, Degrees) {
  Dataset dataset = star();
  set_degree_features(dataset, DegreeFeatures::kDegrees);
  EXPECT_EQ(dataset.features, Features::dense(7, 2, {5, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0}));
  ASSERT_EQ(dataset.notes.size(), 1u);
  EXPECT_EQ(dataset.notes[0], "the features are the out-degree and in-degree of each node");
  set_degree_features(dataset, DegreeFeatures::kDegrees);
  EXPECT_TRUE(dataset.notes[1].ends_with(", replacing 2 features"));
}

TEST(DegreeFeatures, BucketsAreOneHot) {
  Dataset dataset = star();
  set_degree_features(dataset, DegreeFeatures::kBuckets);
  EXPECT_EQ(dataset.feature_names,
            (std::vector<std::string>{"out-degree=0", "out-degree=1", "out-degree=2-3",
                                      "out-degree=4-7", "in-degree=0", "in-degree=1"}));
  EXPECT_TRUE(dataset.features.is_sparse());
  const Features dense = dataset.features.to_dense();
  EXPECT_EQ(std::vector<float>(dense.values.begin(), dense.values.begin() + 18),
            (std::vector<float>{0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1}));
  EXPECT_EQ(std::vector<float>(dense.values.end() - 6, dense.values.end()),
            (std::vector<float>{1, 0, 0, 0, 1, 0}));
}

}  // namespace
}  // namespace dsnn
