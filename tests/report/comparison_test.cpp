#include "report/comparison.h"

#include "dsnn/train/train.h"

#include "support/communities.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

namespace dsnn {
namespace {

using testing::communities;
using testing::options_of;
using testing::TempDir;
using testing::write_text;

class ComparisonTest : public ::testing::Test {
 protected:
  /// Trains splits 1 and 3.
  TrainResult trained(const std::string& model, const std::vector<std::string>& settings,
                      const std::filesystem::path& folder) {
    TrainOptions options = options_of(settings, model);
    options.splits = {1, 3};
    options.folder = folder;
    return train(dataset_, options);
  }
  std::vector<Comparison> compared(const std::vector<double>& accuracies) {
    return compare(dsnn::Run(folder_), dataset_, accuracies, {});
  }

  TempDir dir_;
  Dataset dataset_ = communities();
  std::filesystem::path folder_ = dir_ / "run";
};

std::vector<double> accuracies_of(const TrainResult& result) {
  std::vector<double> accuracies;
  for (const SplitResult& split : result.splits) accuracies.push_back(split.test.accuracy);
  return accuracies;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST_F(ComparisonTest, IsWithWhatADirectTrainingGives) {
  const std::vector<double> own =
      accuracies_of(trained("diag-dsnn", {"epochs=6", "lr=0.02"}, folder_));
  TrainOptions mlp;
  mlp.model = "mlp";
  mlp.config = default_config("mlp");
  mlp.config.set_text("epochs=6");
  mlp.splits = {1, 3};
  const std::vector<double> of_mlp = accuracies_of(train(dataset_, mlp));
  const std::vector<double> undirected =
      accuracies_of(trained("diag-dsnn", {"epochs=6", "lr=0.02", "q=0"}, dir_ / "undirected"));

  const std::vector<Comparison> comparisons = compared(own);
  ASSERT_EQ(comparisons.size(), 2U);
  EXPECT_EQ(comparisons[0].name, "mlp");
  EXPECT_EQ(comparisons[0].accuracies, of_mlp);
  EXPECT_EQ(comparisons[1].name, "charge-0");
  EXPECT_EQ(comparisons[1].accuracies, undirected);
  for (const Comparison& comparison : comparisons) {
    EXPECT_EQ(comparison.splits, (std::vector<int>{1, 3}));
    EXPECT_NEAR(comparison.difference, mean_of(own) - mean_of(comparison.accuracies), 1e-12);
    ASSERT_TRUE(comparison.interval && comparison.corrected);
    // 90 nodes train and 30 test: the variance of the mean is 1/2 + 1/3 times that of a split.
    const double narrow = comparison.interval->high - comparison.difference;
    const double wide = comparison.corrected->high - comparison.difference;
    EXPECT_NEAR(wide * wide * 3, narrow * narrow * 5, 1e-9);
  }
}

TEST_F(ComparisonTest, TrainsOnce) {
  const std::vector<double> own = accuracies_of(trained("diag-dsnn", {"epochs=4"}, folder_));
  const std::vector<Comparison> first = compared(own);
  // Training continues where it ended, in the same folder.
  const std::filesystem::path folder = folder_ / "report" / "mlp";
  write_text(folder / "mark", "");
  EXPECT_EQ(compared(own)[0].accuracies, first[0].accuracies);
  EXPECT_TRUE(std::filesystem::exists(folder / "mark"));
  // Stored networks of another training are not used.
  std::filesystem::copy_file(folder_ / "report" / "charge-0" / "config.toml",
                             folder / "config.toml",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(compared(own)[0].accuracies, first[0].accuracies);
  EXPECT_FALSE(std::filesystem::exists(folder / "mark"));
}

TEST_F(ComparisonTest, AsksOnlyWhatAModelCanAnswer) {
  const auto names = [&](const std::string& model, const std::vector<std::string>& settings) {
    std::filesystem::remove_all(folder_);
    std::vector<std::string> result;
    for (const Comparison& comparison : compared(accuracies_of(trained(model, settings, folder_))))
      result.push_back(comparison.name);
    return result;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("mlp", {"epochs=2"}), Names());
  EXPECT_EQ(names("gcn", {"epochs=2"}), Names{"mlp"});
  EXPECT_EQ(names("diag-dsnn", {"epochs=2", "q=0"}), Names{"mlp"});
  EXPECT_EQ(names("diag-dsnn", {"epochs=2", "q=learn"}), (Names{"mlp", "charge-0"}));
  EXPECT_EQ(names("magnet", {"epochs=2"}), (Names{"mlp", "charge-0"}));
}

}  // namespace
}  // namespace dsnn
