#include "reproduce/figure2.h"

#include "dsnn/data/feature_preparation.h"

#include <gtest/gtest.h>

namespace dsnn::reproduce {
namespace {

// What scripts/sweep-cells.py sets for the searches on files of these graphs: no preparation, or
// standardised columns without degrees.
TEST(Figure2, IsTrainedOnTheFeaturesOfItsSearches) {
  const Dataset dataset = figure2_dataset("0.05");
  EXPECT_TRUE(
      FeaturePreparation::fit(dataset, FeatureScale::kAuto, DegreeColumns::kAuto).is_identity());
  Dataset file = dataset;
  file.usual_scale = FeatureScale::kAuto;  // unknown, as of any file
  EXPECT_FALSE(
      FeaturePreparation::fit(file, FeatureScale::kAuto, DegreeColumns::kAuto).is_identity());
  EXPECT_TRUE(FeaturePreparation::fit(file, FeatureScale::kNone, DegreeColumns::kNo).is_identity());
}

}  // namespace
}  // namespace dsnn::reproduce
