#include "dsnn/data/features.h"

#include "dsnn/util/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dsnn {
namespace {

TEST(Features, BothFormsAreTheSameMatrix) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const auto rows = static_cast<std::int64_t>(random.below(6));
    const auto columns = static_cast<std::int64_t>(1 + random.below(6));
    std::vector<float> values;
    std::int64_t nonzeros = 0;
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      values.push_back(random.uniform() < 0.6 ? 0.0f : static_cast<float>(random.uniform(-1, 1)));
      nonzeros += values.back() != 0;
    }
    const Features dense = Features::dense(rows, columns, values);
    const Features sparse = dense.to_sparse();
    EXPECT_FALSE(dense.is_sparse());
    EXPECT_TRUE(sparse.is_sparse());
    EXPECT_EQ(sparse.num_nonzeros(), nonzeros);
    EXPECT_EQ(dense.num_nonzeros(), nonzeros);
    EXPECT_EQ(sparse.to_dense(), dense);
    EXPECT_EQ(sparse.to_sparse(), sparse);
    ASSERT_EQ(sparse.offsets.size(), static_cast<std::size_t>(rows) + 1);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t e = sparse.offsets[r]; e < sparse.offsets[r + 1]; ++e) {
        EXPECT_EQ(sparse.values[e], values[r * columns + sparse.columns[e]]);
        EXPECT_TRUE(e == sparse.offsets[r] || sparse.columns[e - 1] < sparse.columns[e]);
      }
    }
  }
}

TEST(Features, LeaveOutZerosThatAreStored) {
  Features features;
  features.num_rows = 2;
  features.num_columns = 3;
  features.offsets = {0, 2, 3};
  features.columns = {0, 2, 1};
  features.values = {0, 5, 7};
  EXPECT_EQ(features.num_nonzeros(), 2);
  EXPECT_DOUBLE_EQ(features.density(), 2.0 / 6);
  EXPECT_EQ(features.to_sparse().columns, (std::vector<std::int32_t>{2, 1}));
  EXPECT_EQ(features.to_dense().values, (std::vector<float>{0, 0, 5, 0, 7, 0}));
}

TEST(Features, OfNothing) {
  const Features none;
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(std::isnan(none.density()));
}

}  // namespace
}  // namespace dsnn
