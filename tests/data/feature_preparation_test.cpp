#include "dsnn/data/feature_preparation.h"

#include "dsnn/util/random.h"

#include "util/index.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dsnn {
namespace {

using Kind = ColumnPreparation::Kind;

/// A path of n nodes with dense features.
Dataset path_with(std::vector<std::string> names, std::int64_t num_rows,
                  std::vector<float> values) {
  Dataset dataset;
  std::vector<Arc> arcs;
  for (NodeId u = 0; u + 1 < num_rows; ++u) arcs.push_back({u, static_cast<NodeId>(u + 1)});
  dataset.graph = DirectedGraph::from_arcs(static_cast<NodeId>(num_rows), arcs);
  const auto num_columns = static_cast<std::int64_t>(values.size()) / num_rows;
  dataset.features = Features::dense(num_rows, num_columns, std::move(values));
  dataset.feature_names = std::move(names);
  return dataset;
}

FeaturePreparation fit(const Dataset& dataset, FeatureScale scale = FeatureScale::kAuto) {
  return FeaturePreparation::fit(dataset, scale, DegreeColumns::kNo);
}

std::vector<Kind> kinds(const FeaturePreparation& preparation) {
  std::vector<Kind> result;
  for (const ColumnPreparation& column : preparation.columns) result.push_back(column.kind);
  return result;
}

double mean_of_column(const Features& features, std::int64_t column, int power) {
  double sum = 0;
  for (std::int64_t row = 0; row < features.num_rows; ++row) {
    sum += std::pow(features.values[at(row * features.num_columns + column)], power);
  }
  return sum / static_cast<double>(features.num_rows);
}

/// Nearly normal, by the central limit.
double normal(Random& random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random.uniform();
  return sum;
}

/// age: normal, balance: long-tailed, flag: 0/1, country=DE: a category that happens to be
/// constant.
Dataset accounts(std::int64_t num_rows) {
  Random random(3);
  std::vector<float> values;
  for (std::int64_t i = 0; i < num_rows; ++i) {
    const double z = normal(random);
    values.push_back(static_cast<float>(2000 + 500 * normal(random)));
    values.push_back(static_cast<float>(std::exp(8 + 2 * z)));
    values.push_back(i % 3 == 0 ? 1.0F : 0.0F);
    values.push_back(1);
  }
  return path_with({"age", "balance", "flag", "country=DE"}, num_rows, std::move(values));
}

TEST(FeaturePreparation, TreatsEachColumnAsSuitsIt) {
  const Dataset dataset = accounts(400);
  const FeaturePreparation preparation = fit(dataset);
  EXPECT_EQ(kinds(preparation),
            (std::vector{Kind::kStandard, Kind::kLogStandard, Kind::kKeep, Kind::kKeep}));
  EXPECT_EQ(preparation.description(dataset.feature_names),
            "1 column standardised (age); 1 column standardised after a logarithm (balance); 2 "
            "columns as given (flag, country)");
  const Features prepared = preparation.apply(dataset.graph, dataset.features);
  for (const std::int64_t column : {0, 1}) {
    EXPECT_NEAR(mean_of_column(prepared, column, 1), 0, 1e-5);
    EXPECT_NEAR(mean_of_column(prepared, column, 2), 1, 1e-5);
  }
  EXPECT_LT(std::abs(mean_of_column(prepared, 1, 3)), 2);  // the tail is shorter
  EXPECT_EQ(prepared.values[2], 1);
  EXPECT_EQ(prepared.values[3], 1);
}

TEST(FeaturePreparation, StandardTakesNoLogarithm) {
  EXPECT_EQ(kinds(fit(accounts(400), FeatureScale::kStandard)),
            (std::vector{Kind::kStandard, Kind::kStandard, Kind::kKeep, Kind::kKeep}));
  EXPECT_TRUE(fit(accounts(40), FeatureScale::kNone).is_identity());
}

// Statistics are those of the graph that it was fitted on.
TEST(FeaturePreparation, UsesItsStatisticsOnOtherGraphs) {
  const Dataset dataset = accounts(400);
  const FeaturePreparation preparation = fit(dataset);
  const Dataset one = path_with(dataset.feature_names, 1, {2000, 100, 0, 0});
  const Features prepared = preparation.apply(one.graph, one.features);
  const ColumnPreparation& age = preparation.columns[0];
  EXPECT_FLOAT_EQ(prepared.values[0], static_cast<float>((2000 - age.mean) / age.deviation));
  EXPECT_NEAR(age.mean, 2000, 100);
  EXPECT_NEAR(age.deviation, 500, 60);
}

TEST(FeaturePreparation, ConstantColumnsBecomeZero) {
  const Dataset dataset = path_with({"a"}, 3, {7.1F, 7.1F, 7.1F});
  const Features prepared = fit(dataset).apply(dataset.graph, dataset.features);
  for (const float value : prepared.values) EXPECT_NEAR(value, 0, 1e-5);
}

// 40 sparse columns of counts are a bag of words; each row becomes shares of its sum.
TEST(FeaturePreparation, CountsOfWordsBecomeShares) {
  std::vector<float> values(50 * 40, 0);
  for (std::size_t row = 0; row < 50; ++row) {
    for (std::size_t k = 0; k < 3; ++k) values[row * 40 + (row + 7 * k) % 40] = 2;
  }
  const Dataset dataset = path_with({}, 50, values);
  const FeaturePreparation preparation = fit(dataset);
  EXPECT_EQ(kinds(preparation), std::vector(40, Kind::kRowShare));
  const Features prepared = preparation.apply(dataset.graph, dataset.features);
  EXPECT_FLOAT_EQ(prepared.to_dense().values[0], 1.0F / 3);
  // The same as what known bags of words get.
  EXPECT_EQ(prepared.to_dense(),
            FeaturePreparation::fit(dataset, FeatureScale::kRows, DegreeColumns::kNo)
                .apply(dataset.graph, dataset.features)
                .to_dense());
  Dataset sparse = dataset;
  sparse.features = dataset.features.to_sparse();
  EXPECT_EQ(fit(sparse).apply(sparse.graph, sparse.features).to_dense(), prepared.to_dense());
}

// Known datasets keep their published treatment.
TEST(FeaturePreparation, AutoIsWhatIsUsualForTheDataset) {
  Dataset dataset = accounts(40);
  dataset.usual_scale = FeatureScale::kRows;
  EXPECT_EQ(FeaturePreparation::fit(dataset, FeatureScale::kAuto, DegreeColumns::kAuto).smallest,
            smallest_value(dataset.features));
  dataset.usual_scale = FeatureScale::kNone;
  EXPECT_TRUE(
      FeaturePreparation::fit(dataset, FeatureScale::kAuto, DegreeColumns::kAuto).is_identity());
}

TEST(FeaturePreparation, AMissingNumberBecomesTheMeanOfTraining) {
  const Dataset dataset = path_with({"age", "age=missing"}, 4, {1, 0, 3, 0, 5, 0, 3, 1});
  const FeaturePreparation preparation = fit(dataset);
  EXPECT_EQ(preparation.columns[0].missing_column, 1);
  // Another table filled its own mean in; that of the training counts.
  const Dataset other = path_with(dataset.feature_names, 1, {100, 1});
  const Features prepared = preparation.apply(other.graph, other.features);
  EXPECT_EQ(prepared.values, (std::vector<float>{0, 1}));
}

TEST(FeaturePreparation, AddsDegreesWhereFeaturesAreFew) {
  Dataset dataset = accounts(40);
  const auto preparation =
      FeaturePreparation::fit(dataset, FeatureScale::kAuto, DegreeColumns::kAuto);
  EXPECT_TRUE(preparation.adds_degrees);
  EXPECT_EQ(preparation.num_prepared(4), 6);
  const Features prepared = preparation.apply(dataset.graph, dataset.features);
  EXPECT_EQ(prepared.num_columns, 6);
  EXPECT_LT(prepared.values[5], prepared.values[11]);  // the first node of a path has no arc in
  dataset.features = {};
  const Features alone = FeaturePreparation::fit(dataset, FeatureScale::kAuto, DegreeColumns::kAuto)
                             .apply(dataset.graph, dataset.features);
  EXPECT_EQ(alone.num_columns, 2);
  EXPECT_NEAR(mean_of_column(alone, 0, 1), 0, 1e-5);
  const Dataset wide = path_with({}, 2, std::vector<float>(2 * kFewFeatures, 1));
  EXPECT_FALSE(
      FeaturePreparation::fit(wide, FeatureScale::kAuto, DegreeColumns::kAuto).adds_degrees);
}

}  // namespace
}  // namespace dsnn
