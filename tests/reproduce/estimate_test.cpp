#include "reproduce/estimate.h"

#include <gtest/gtest.h>

namespace dsnn::reproduce {
namespace {

TEST(EstimateTest, TakesTheSameColumnElseTheMeanOfAll) {
  Estimate estimate;
  EXPECT_EQ(estimate.seconds_for({"texas", "cora"}), 0);
  estimate.add("texas", 10);
  estimate.add("texas", 20);
  estimate.add("pubmed", 270);
  EXPECT_EQ(estimate.seconds_for({"texas", "texas", "pubmed"}), 15 + 15 + 270);
  EXPECT_EQ(estimate.seconds_for({"cora"}), 100);
  EXPECT_EQ(estimate.seconds_for({}), 0);
}

}  // namespace
}  // namespace dsnn::reproduce
