#include "reproduce/estimate.h"

#include <gtest/gtest.h>

namespace dsnn::reproduce {
namespace {

TEST(EstimateTest, TakesTheSameCellElseTheColumnElseAll) {
  Estimate estimate;
  EXPECT_EQ(estimate.seconds_for({{"texas", "gcn"}, {"cora", "gcn"}}), 0);
  estimate.add({"texas", "gcn"}, 10);
  estimate.add({"texas", "gat"}, 20);
  estimate.add({"texas", "gat"}, 30);
  estimate.add({"pubmed", "gcn"}, 340);
  EXPECT_EQ(estimate.seconds_for({{"texas", "gat"}, {"texas", "mlp"}, {"pubmed", "mlp"}}),
            25 + 20 + 340);
  EXPECT_EQ(estimate.seconds_for({{"cora", "gcn"}}), 100);
  EXPECT_EQ(estimate.seconds_for({}), 0);
}

}  // namespace
}  // namespace dsnn::reproduce
