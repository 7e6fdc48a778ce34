#include "reproduce/check.h"

#include "dsnn/data/dsbm_dataset.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"

#include "reproduce/differences.h"
#include "reproduce/made_up_grid.h"
#include "support/expect_error.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace dsnn::reproduce {
namespace {

using testing::contains;
using testing::message_of;
using testing::TempDir;
using testing::write_text;

using Lines = std::vector<std::string>;

class NoObserver : public CellObserver {
 public:
  void plan(int, double) override {}
  void begin(const Cell&, const SeedRun&, int, int, std::size_t, double) override { ++num_trained; }
  void show(const TrainProgress&) override {}
  void end(const Cell&, const SeedRun&, int, int, double) override {}
  void note(const std::string&) override {}
  int num_trained = 0;
};

/// Two splits whose second one has this loss.
std::string made_up_result(double loss, double seconds = 1) {
  TrainResult result;
  result.config.model = "mlp";
  result.splits.resize(2);
  for (int i = 0; i < 2; ++i) {
    SplitResult& split = result.splits[static_cast<std::size_t>(i)];
    split.split = i;
    split.best_epoch = 4 + i;
    split.epochs = 9;
    split.num_test = split.num_validation = 10;
    split.test.accuracy = split.validation.accuracy = 0.5;
    split.seconds = seconds;
    split.arithmetic = Arithmetic::current();
  }
  result.splits[1].test.loss = loss;
  return result_json(result);
}

TEST(Differences, AreThoseOfTheLastDigit) {
  const std::string kept = made_up_result(0.1);
  EXPECT_EQ(differences(kept, made_up_result(0.1, 2), {0, 1}), Lines{});  // times are ignored
  EXPECT_EQ(differences(kept, made_up_result(0.1 + 2e-17), {0, 1}),
            Lines{"split 1: test_loss stored 0.1, now 0.10000000000000002"});
  EXPECT_EQ(differences(kept, made_up_result(0.2), {0}), Lines{});  // not requested
}

TEST(Differences, OfMeansAndOfWhatIsMissing) {
  nlohmann::json kept = nlohmann::json::parse(made_up_result(0.1)), now = kept;
  now["test_accuracy_mean"] = 51;
  now["splits"][0]["failure"] = "the loss is nan";
  now["splits"][0].erase("epochs");
  now["splits"][0]["best_epoch"] = 5;
  EXPECT_EQ(differences(kept.dump(), now.dump(), {0, 1}),
            (Lines{"split 0: best_epoch stored 4, now 5; epochs stored 9, now nothing; failure "
                   "stored nothing, "
                   "now \"the loss is nan\"",
                   "all splits: test_accuracy_mean stored 50.0, now 51"}));
  // A mean over more splits is different.
  EXPECT_EQ(differences(kept.dump(), now.dump(), {1}), Lines{});
  EXPECT_TRUE(
      contains(message_of<Error>([&] { differences(kept.dump(), now.dump(), {2}); }), "split 2"));
  EXPECT_TRUE(contains(message_of<Error>([&] { differences("{", now.dump(), {0}); }), "damaged"));
}

class CheckTest : public ::testing::Test {
 protected:
  CheckTest() {
    grid_.models = {"mlp"};
    grid_.columns = {"made-up"};
    grid_.cells = {testing::made_up_cell("mlp", "made-up")};
    Cell& cell = grid_.cells[0];
    cell.stored = dir_ / "results/table1/made-up/mlp.json";
    cell.config.emplace();
    cell.config->model = "mlp";
    cell.config->config = default_config("mlp");
    cell.config->config.set_text("epochs=4");
    cell.config->seed = 8;  // the seeds are those of the stored file
    std::filesystem::create_directories(cell.stored.parent_path());
    store({3});
  }
  std::filesystem::path stored() const { return grid_.cells[0].stored; }
  void store(const std::vector<std::uint64_t>& seeds) {
    TrainOptions options;
    options.model = "mlp";
    options.config = grid_.cells[0].config->config;
    nlohmann::ordered_json file, runs = nlohmann::ordered_json::array();
    for (const std::uint64_t seed : seeds) {
      options.seed = seed;
      auto result = nlohmann::ordered_json::parse(result_json(train(load("made-up"), options)));
      for (const char* name : {"model", "dataset", "checksum", "parameters"}) {
        file[name] = result.at(name);
        result.erase(name);
      }
      runs.push_back(result);
    }
    file["runs"] = runs;
    write_text(stored(), file.dump(2));
  }

  static Dataset load(const std::string&) {
    return dsbm_dataset(
        {.num_nodes = 60, .num_communities = 2, .alpha_in = 0.2, .alpha_out = 0.2, .seed = 1});
  }
  CheckSummary check(const CheckOptions& options = {}) {
    lines_.clear();
    return check_cells(grid_, load, options, observer_,
                       [&](const std::string& line) { lines_.push_back(line); });
  }
  void edit(const std::string& from, const std::string& to) {
    std::string text = testing::read_text(stored());
    ASSERT_TRUE(contains(text, from));
    write_text(stored(), text.replace(text.find(from), from.size(), to));
  }

  TempDir dir_;
  Grid grid_;
  NoObserver observer_;
  Lines lines_;
};

TEST_F(CheckTest, TrainsAnewWhatIsSelected) {
  const CheckSummary summary = check();
  EXPECT_EQ(summary.text(), "1 training compared: 1 same, 0 differ.");
  EXPECT_EQ(observer_.num_trained, 1);
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_TRUE(lines_[0].starts_with("made-up mlp seed 3: same (10 splits, ")) << lines_[0];
  grid_.cells[0].is_selected = false;
  EXPECT_EQ(check().text(), "0 trainings compared: 0 same, 0 differ.");
  EXPECT_TRUE(lines_.empty());
}

TEST_F(CheckTest, TrainsEachStoredSeed) {
  store({3, 4});
  EXPECT_EQ(check({.splits = {0, 1}}).same, 2);
  ASSERT_EQ(lines_.size(), 2u);
  EXPECT_TRUE(lines_[1].starts_with("made-up mlp seed 4: same (2 splits, ")) << lines_[1];
  EXPECT_EQ(check({.splits = {0}, .seeds = {4}}).same, 1);
  EXPECT_TRUE(lines_[0].starts_with("made-up mlp seed 4: ")) << lines_[0];
  // A seed that was not trained with gives other digits.
  edit("\"seed\": 4", "\"seed\": 5");
  EXPECT_EQ(check().different, 1);
}

TEST_F(CheckTest, TrainsLinks) {
  RunConfig& config = *grid_.cells[0].config;
  config.config = default_config("mlp", TaskKind::kLinks);
  for (const char* setting : {"epochs=3", "protocol=random", "num_splits=2", "decoder=inner"}) {
    config.config.set_text(setting);
  }
  store({3});
  EXPECT_EQ(check().same, 1);
  EXPECT_TRUE(lines_[0].starts_with("made-up mlp seed 3: same (2 splits, ")) << lines_[0];
}

TEST_F(CheckTest, ListsWhatDiffers) {
  edit("\"best_epoch\": ", "\"best_epoch\": 1");  // 1 becomes 11
  EXPECT_EQ(check({.splits = {0}, .jobs = 2}).different, 1);
  ASSERT_EQ(lines_.size(), 2u);
  EXPECT_TRUE(lines_[1].starts_with("  split 0: best_epoch stored 1")) << lines_[1];
  EXPECT_EQ(check({.splits = {1}}).same, 1);
}

TEST_F(CheckTest, LeavesOtherArithmeticsAlone) {
  edit(fmt::format("\"arithmetic\": {}", kArithmeticVersion), "\"arithmetic\": 0");
  EXPECT_EQ(check().not_compared, 1);
  EXPECT_EQ(lines_,
            Lines{"made-up mlp seed 3: not compared: made with more than one version of the "
                  "arithmetic"});
  edit("\"arithmetic\": 0", "\"older\": 1");
  EXPECT_EQ(check().not_compared, 1);
  EXPECT_EQ(lines_,
            Lines{fmt::format("made-up mlp seed 3: not compared: made with version 1 of the "
                              "arithmetic, this program has version {}",
                              kArithmeticVersion)});
  EXPECT_EQ(observer_.num_trained, 0);
}

TEST_F(CheckTest, NamesWhatIsMissing) {
  const auto config = std::exchange(grid_.cells[0].config, std::nullopt);
  EXPECT_EQ(check().not_compared, 1);
  EXPECT_TRUE(contains(lines_[0], "is stored, but has no configuration"));
  grid_.cells[0].config = config;
  std::filesystem::remove(stored());
  EXPECT_EQ(check().not_compared, 1);
  EXPECT_TRUE(contains(lines_[0], "mlp.json is missing"));
  grid_.cells[0].config.reset();  // a row that only the paper has
  EXPECT_EQ(check().not_compared, 0);
}

TEST_F(CheckTest, SetsRunsOfOtherParametersAside) {
  const CheckOptions options = {.splits = {0}, .runs = dir_ / "runs"};
  RunConfig other = *grid_.cells[0].config;
  other.seed = 8;
  std::filesystem::create_directories(dir_ / "runs/seed-3/made-up/mlp");
  write_text(dir_ / "runs/seed-3/made-up/mlp/config.toml", write_toml(other));
  EXPECT_EQ(check(options).same, 1);
  EXPECT_TRUE(std::filesystem::exists(dir_ / "runs/seed-3/made-up/mlp.old-1/config.toml"));
}

TEST(CheckRuns, AreNotWrittenIntoWhatIsKept) {
  const TempDir dir;
  std::filesystem::create_directories(dir / "results");
  EXPECT_NO_THROW(check_is_outside(dir / "results-new", dir / "results"));
  EXPECT_NO_THROW(check_is_outside(dir.path(), dir / "results"));
  for (const char* name : {"results", "results/a/b", "results/../results/a"}) {
    EXPECT_THROW(check_is_outside(dir / name, dir / "results"), Error) << name;
  }
}

}  // namespace
}  // namespace dsnn::reproduce
