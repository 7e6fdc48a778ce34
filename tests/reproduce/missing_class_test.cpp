#include "reproduce/missing_class.h"

#include "dsnn/data/dsbm_dataset.h"
#include "dsnn/nn/model.h"
#include "dsnn/train/run.h"
#include "dsnn/train/train.h"

#include "reproduce/made_up_grid.h"
#include "support/test_files.h"

#include <gtest/gtest.h>

namespace dsnn::reproduce {
namespace {

using testing::contains;
using testing::made_up_cell;

class MissingClassTest : public ::testing::Test {
 protected:
  MissingClassTest() {
    corrected_ = dsbm_dataset({.num_nodes = 90,
                               .num_communities = 3,
                               .alpha_in = 0.3,
                               .alpha_out = 0.2,
                               .beta = 0.1,
                               .seed = 1});
    published_ = corrected_;
    for (Split& split : published_.splits) {
      for (std::size_t u = 0; u < split.test.size(); ++u) {
        if (published_.labels[u] == 1) split.test[u] = 0;
      }
    }
  }
  Dataset corrected_, published_;
};

TEST_F(MissingClassTest, IsFound) {
  EXPECT_EQ(untested_classes(corrected_, published_), std::vector<std::int64_t>{1});
  EXPECT_TRUE(untested_classes(published_, corrected_).empty());
  published_.num_classes = 4;
  EXPECT_TRUE(untested_classes(corrected_, published_).empty());
}

// Counted by hand from the models' predictions.
TEST_F(MissingClassTest, IsLeftOutOfTheTest) {
  const testing::TempDir dir;
  TrainOptions options;
  options.model = "mlp";
  options.config = default_config("mlp");
  options.config.set_text("epochs=3");
  options.folder = dir / "mlp";
  train(corrected_, options);
  const dsnn::Run run(options.folder);
  std::vector<double> accuracies;
  for (int split = 0; split < 10; ++split) {
    const std::vector<float> logits = run.logits(split, corrected_);
    int right = 0, all = 0;
    for (std::size_t u = 0; u < 90; ++u) {
      if (corrected_.splits[static_cast<std::size_t>(split)].test[u] == 0) continue;
      if (corrected_.labels[u] == 1) continue;
      const float* row = logits.data() + 3 * u;
      ++all;
      right += std::max_element(row, row + 3) - row == corrected_.labels[u];
    }
    accuracies.push_back(100.0 * right / all);
  }
  Grid grid;
  grid.models = {"mlp"};
  grid.columns = {"good", "bad"};
  grid.cells = {made_up_cell("mlp", "good", {50, 60}), made_up_cell("mlp", "bad", {70, 80})};
  grid.cells[0].runs = {{1, options.folder, false, grid.cells[0].scores}};
  MissingClass missing({"good", "bad", "", true}, corrected_, published_);
  Document document;
  missing.add_to(document, grid);
  const std::string text = to_markdown(document);
  EXPECT_TRUE(contains(text, "No test set of bad contains a node of class 1.")) << text;
  EXPECT_TRUE(contains(
      text, "| mlp | 55.00 +- 7.07 | " + score_text(mean_and_deviation(accuracies)) + " | "))
      << text;
  EXPECT_TRUE(contains(text, " | 75.00 +- 7.07 | - |\n")) << text;
  // Stored runs have no weights.
  std::filesystem::remove(options.folder / "data.json");
  const auto again = [&] {
    Document later;
    MissingClass({"good", "bad", "", true}, corrected_, published_).add_to(later, grid);
    return to_markdown(later);
  };
  EXPECT_EQ(again(), text);
  std::filesystem::remove(options.folder / "without-classes.json");
  EXPECT_TRUE(contains(again(), "| mlp | 55.00 +- 7.07 | weights not kept | - | 75.00")) << again();
  Document none;
  MissingClass({"good", "good", "", false}, corrected_, corrected_).add_to(none, grid);
  EXPECT_TRUE(none.blocks.empty());
}

}  // namespace
}  // namespace dsnn::reproduce
