#include "reproduce/maps.h"

#include "dsnn/nn/model.h"

#include "reproduce/paired_test.h"
#include "support/expect_error.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace dsnn::reproduce {
namespace {

using testing::contains;
using testing::TempDir;

void write(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

void add_config(const TempDir& dir, const std::string& column, const std::string& row,
                const std::string& model, const std::string& maps) {
  write(dir / "configs" / column / (row + ".toml"),
        fmt::format("model = \"{}\"\n[parameters]\nmaps = \"{}\"\n", model, maps));
}

MapsOptions options_in(const TempDir& dir) {
  MapsOptions options;
  options.configs = dir / "configs";
  options.out = dir / "out";
  options.seeds = {1, 2};
  return options;
}

TEST(Maps, RowsAreAllCombinations) {
  std::set<std::string> names;
  for (const MapsRow& row : maps_rows()) {
    names.insert(row.name);
    EXPECT_NO_THROW(nn::find_model(row.model)) << row.name;
    EXPECT_EQ(row.family.empty(), row.maps == "identity") << row.name;
  }
  EXPECT_EQ(names.size(), 2u * (3 * 2 + 1));
  EXPECT_EQ(maps_rows().size(), names.size());
}

TEST(Maps, APlanHasARunForEachSeed) {
  const TempDir dir;
  add_config(dir, "texas", "diag-dsnn-random", "diag-dsnn", "random");
  add_config(dir, "blocks-0.4", "nsd-identity", "diag-nsd", "identity");
  const Grid grid = plan_maps(options_in(dir));
  EXPECT_EQ(grid.cells.size(), maps_rows().size() * maps_columns().size());
  std::vector<const Cell*> pending;
  for (const Cell& cell : grid.cells) {
    if (cell.is_pending()) pending.push_back(&cell);
  }
  ASSERT_EQ(pending.size(), 2u);
  EXPECT_EQ(pending[0]->trained_model(), "diag-dsnn");
  ASSERT_EQ(pending[0]->runs.size(), 2u);
  EXPECT_EQ(pending[0]->runs[1].seed, 2u);
  EXPECT_EQ(pending[0]->runs[1].folder, dir / "out" / "seed-2" / "texas" / "diag-dsnn-random");
}

TEST(Maps, MistakesAreOneSentence) {
  const TempDir dir;
  testing::expect_error(
      [&] { plan_maps(options_in(dir)); },
      fmt::format("no configuration for the selected cells, expected "
                  "{}/DATASET/ROW.toml; scripts/sweep-cells.py maps searches them",
                  (dir / "configs").string()));
  add_config(dir, "texas", "diag-dsnn-random", "diag-dsnn", "learned");
  testing::expect_error([&] { plan_maps(options_in(dir)); },
                        fmt::format("{}: maps is learned, expected random according to its name",
                                    (dir / "configs/texas/diag-dsnn-random.toml").string()));
  MapsOptions options = options_in(dir);
  options.rows = {"diag-dsnn-randm"};
  testing::expect_error([&] { plan_maps(options); },
                        "unknown row 'diag-dsnn-randm'; did you mean 'diag-dsnn-random'?");
}

/// Scores of texas for both seeds of some rows.
Grid scored_grid(const TempDir& dir) {
  for (const char* maps : {"learned", "random"}) {
    add_config(dir, "texas", fmt::format("diag-dsnn-{}", maps), "diag-dsnn", maps);
    add_config(dir, "texas", fmt::format("diag-nsd-{}", maps), "diag-nsd", maps);
  }
  add_config(dir, "texas", "dsnn-identity", "diag-dsnn", "identity");
  Grid grid = plan_maps(options_in(dir));
  const auto add = [&](const std::string& row, std::vector<std::vector<double>> by_seed) {
    Cell& cell = grid.at(row, "texas");
    for (std::size_t i = 0; i < by_seed.size(); ++i) {
      CellScores& scores = cell.runs[i].scores.emplace();
      scores.accuracies = by_seed[i];
      scores.seeds = {cell.runs[i].seed};
      scores.seed_means = {scores.mean().mean};
    }
    cell.combine_runs();
    cell.test_per_train = 0.4;
  };
  add("diag-dsnn-learned", {{80, 84, 90, 85}, {82, 86, 90, 81}});
  add("diag-dsnn-random", {{70, 73, 74, 75}, {72, 73, 76, 75}});
  add("dsnn-identity", {{81, 85, 90, 83}, {81, 85, 90, 83}});
  return grid;
}

TEST(Maps, TheReportComparesMeansOverSeeds) {
  const TempDir dir;
  Grid grid = scored_grid(dir);
  const std::string json = maps_json(grid);
  const auto parsed = nlohmann::json::parse(json);
  const auto& comparison = parsed.at("questions").at("learned-random").at(0);
  EXPECT_EQ(comparison.at("first"), "diag-dsnn-learned");
  const std::vector<double> learned = {81, 85, 90, 83}, random = {71, 73, 75, 75};
  const Difference expected = paired_difference(learned, random, 0.4);
  EXPECT_DOUBLE_EQ(comparison.at("difference").get<double>(), expected.mean);
  EXPECT_DOUBLE_EQ(comparison.at("corrected_p").get<double>(), expected.corrected_p);
  EXPECT_DOUBLE_EQ(comparison.at("holm").get<double>(), expected.corrected_p);  // the only one
  // Equal scores split by split: no difference, although the seeds differ.
  EXPECT_EQ(parsed.at("questions").at("learned-identity").at(0).at("difference"), 0);
  EXPECT_TRUE(parsed.at("questions").at("phase").empty());
  grid.trim();
  const std::string text = to_markdown(make_maps_report(grid));
  EXPECT_TRUE(contains(text, "| diag-dsnn-learned | 84.75 +- 3.86 (seeds 0.00) |\n")) << text;
  EXPECT_TRUE(contains(text, "| diag-nsd-learned | pending |\n")) << text;
  EXPECT_TRUE(contains(text, "| gen-nsd-random | not searched |\n")) << text;
  EXPECT_TRUE(contains(text, "### Learned maps against random ones\n")) << text;
  EXPECT_TRUE(contains(text, "| texas | 1 of 1 | +11.25 |")) << text;
  EXPECT_TRUE(
      contains(maps_csv(grid), "texas,dsnn-identity,diag-dsnn,identity,1 2,84.7500,3.8622,0.0000,"))
      << maps_csv(grid);
}

// A seed without scores is left out, a failure is not.
TEST(Maps, FailuresAreNotAveraged) {
  const TempDir dir;
  Grid grid = scored_grid(dir);
  Cell& cell = grid.at("diag-dsnn-learned", "texas");
  cell.runs[1].scores.reset();
  cell.combine_runs();
  EXPECT_TRUE(
      contains(to_markdown(make_maps_report(grid)), "| diag-dsnn-learned | 84.75 +- 4.11 |"));
  cell.runs[1].failure = "not enough memory";
  cell.combine_runs();
  const std::string text = to_markdown(make_maps_report(grid));
  EXPECT_TRUE(contains(text, "| diag-dsnn-learned | failed |"));
  EXPECT_TRUE(contains(text, "not enough memory"));
  EXPECT_FALSE(contains(text, "### Learned maps"));
}

TEST(Maps, BlockModelsDifferInBetaAlone) {
  const Dataset a = block_model("blocks-0.2"), b = block_model("blocks-0.4");
  EXPECT_EQ(a.graph.num_nodes(), b.graph.num_nodes());
  EXPECT_EQ(a.graph.num_edges(), b.graph.num_edges());
  EXPECT_NE(checksum(a), checksum(b));
  EXPECT_FALSE(is_block_model("texas"));
}

}  // namespace
}  // namespace dsnn::reproduce
