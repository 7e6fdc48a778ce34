#include "dsnn/sweep/space.h"

#include "dsnn/train/run_config.h"

#include "support/expect_error.h"
#include "support/test_files.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace dsnn {
namespace {

using testing::expect_error;
using testing::TempDir;
using testing::write_text;

Config defaults(const std::string& model) { return default_config(model); }

TEST(SearchSpace, HasDefaults) {
  const TempDir dir;
  const auto space_of = [&](const std::string& text) {
    return read_space(write_text(dir / "space.toml", text + "[parameters]\nlr = [0.1]\n"));
  };
  EXPECT_EQ(space_of("").method, SweepMethod::kRandom);
  ASSERT_EQ(space_of("").rungs.size(), 1u);  // all splits, all epochs
  EXPECT_EQ(space_of("").rungs[0].splits, 0);
  EXPECT_EQ(space_of("").rungs[0].epochs, 0);
  const SearchSpace halving = space_of("method = \"halving\"\n");
  ASSERT_EQ(halving.rungs.size(), 3u);  // one split for 200 epochs, three, all
  EXPECT_EQ(halving.rungs[0].splits, 1);
  EXPECT_EQ(halving.rungs[0].epochs, 200);
  EXPECT_EQ(halving.rungs[1].splits, 3);
  EXPECT_EQ(halving.rungs[1].epochs, 0);
  EXPECT_EQ(halving.rungs[2].splits, 0);
}

TEST(SearchSpace, ReadsListsRangesAndSingleValues) {
  const TempDir dir;
  const SearchSpace space =
      read_space(write_text(dir / "space.toml",
                            "method = \"halving\"\n"
                            "keep = 4\n"
                            "rungs = [{ splits = 2, epochs = 50 }, {}]\n"
                            "[parameters]\n"
                            "layers = [1, 2, 3]\n"
                            "lr = { from = 0.001, to = 0.1, scale = \"log\" }\n"
                            "dropout = { from = 0, to = 0.9 }\n"
                            "q = 0.25\n"));
  EXPECT_EQ(space.method, SweepMethod::kHalving);
  EXPECT_EQ(space.keep, 4);
  ASSERT_EQ(space.rungs.size(), 2u);
  EXPECT_EQ(space.rungs[0].splits, 2);
  EXPECT_EQ(space.rungs[0].epochs, 50);
  EXPECT_EQ(space.rungs[1].splits, 0);
  ASSERT_EQ(space.dimensions.size(), 4u);  // in the order of their names
  EXPECT_EQ(space.dimensions[0].name, "dropout");
  EXPECT_FALSE(space.dimensions[0].is_log);
  EXPECT_EQ(space.dimensions[1].values.size(), 3u);
  EXPECT_TRUE(space.dimensions[2].is_log);
  EXPECT_EQ(space.dimensions[3].values.size(), 1u);
}

TEST(SearchSpace, DrawsFromTheSeedAndTheNumberAlone) {
  SearchSpace space;
  space.dimensions = {{"layers", {}, 1, 6, false},
                      {"channels", {}, 4, 256, true},
                      {"lr", {}, 1e-4, 1e-1, true},
                      {"dropout", {}, 0.2, 0.4, false},
                      {"sheaf_act", {std::string("tanh"), std::string("elu")}, 0, 0, false}};
  const Config base = defaults("diag-dsnn");
  std::set<std::int64_t> layers, channels;
  std::set<std::string> words;
  int small = 0;
  constexpr int kTrials = 600;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Config config = trial_config(space, base, 7, trial);
    const Config again = trial_config(space, base, 7, trial);
    for (const Parameter& parameter : config.parameters()) {
      EXPECT_EQ(config.value(parameter.name), again.value(parameter.name));
    }
    layers.insert(config.integer("layers"));
    channels.insert(config.integer("channels"));
    words.insert(config.word("sheaf_act"));
    EXPECT_GE(config.number("lr"), 1e-4);
    EXPECT_LE(config.number("lr"), 1e-1);
    EXPECT_GE(config.number("dropout"), 0.2);
    EXPECT_LE(config.number("dropout"), 0.4);
    if (config.number("lr") < std::sqrt(1e-4 * 1e-1)) ++small;
  }
  EXPECT_EQ(layers, (std::set<std::int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(*channels.begin(), 4);
  EXPECT_EQ(words.size(), 2u);
  // Uniform in the logarithm: half of them below the geometric mean.
  EXPECT_NEAR(small, kTrials / 2, 5 * std::sqrt(kTrials) / 2);
  EXPECT_NE(trial_config(space, base, 8, 0).number("lr"),
            trial_config(space, base, 7, 0).number("lr"));
  EXPECT_NE(trial_seed(7, 0), trial_seed(7, 1));
}

TEST(SearchSpace, AGridHasEveryCombinationOnce) {
  SearchSpace space;
  space.method = SweepMethod::kGrid;
  space.dimensions = {{"layers", {std::int64_t{1}, std::int64_t{2}}, 0, 0, false},
                      {"dropout", {0.1, 0.2, 0.3}, 0, 0, false}};
  ASSERT_EQ(space.grid_size(), 6);
  std::set<std::pair<std::int64_t, double>> seen;
  for (std::int64_t trial = 0; trial < 6; ++trial) {
    const Config config = trial_config(space, defaults("diag-dsnn"), 0, trial);
    seen.emplace(config.integer("layers"), config.number("dropout"));
  }
  EXPECT_EQ(seen.size(), 6u);
}

TEST(SearchSpace, LeavesOutWhatOnlyOtherModelsHave) {
  SearchSpace space;
  space.dimensions = {{"q", {0.1, 0.2}, 0, 0, false}, {"lr", {0.1}, 0, 0, false}};
  std::vector<std::string> left_out;
  EXPECT_EQ(space_for_model(space, "diag-nsd", left_out).dimensions.size(), 1u);
  EXPECT_EQ(left_out, std::vector<std::string>{"q"});
  left_out.clear();
  EXPECT_EQ(space_for_model(space, "diag-dsnn", left_out).dimensions.size(), 2u);
  EXPECT_TRUE(left_out.empty());
}

TEST(SearchSpace, RefusesWhatNoModelAllows) {
  std::vector<std::string> left_out;
  const auto check = [&](const Dimension& dimension) {
    SearchSpace space;
    space.dimensions = {dimension};
    space_for_model(space, "diag-dsnn", left_out);
  };
  expect_error(
      [&] {
        check({"layrs", {std::int64_t{1}}, 0, 0, false});
      },
      "no model has a parameter 'layrs'; did you mean 'layers'?");
  EXPECT_THROW(check({"dropout", {}, 0, 3, false}), Error);
  EXPECT_THROW(check({"sheaf_act", {std::string("tanhh")}, 0, 0, false}), Error);
  EXPECT_THROW(check({"sheaf_act", {}, 0, 1, false}), Error);
  expect_error(
      [&] {
        check({"layers", {}, 1.2, 1.8, false});
      },
      "no integer lies between 1.2 and 1.8 for layers");
  expect_error(
      [&] {
        check({"layers", {}, 1, 1e30, false});
      },
      "layers is 9000000000000000000, expected an integer from 1 to 1000");
}

TEST(SearchSpace, ModelsMayHaveValuesOfTheirOwn) {
  const TempDir dir;
  const SearchSpace space = read_space(write_text(dir / "space.toml",
                                                  "[parameters]\n"
                                                  "layers = [1, 2]\n"
                                                  "lr = [0.1]\n"
                                                  "[models.gat]\n"
                                                  "heads = [4, 8]\n"
                                                  "layers = [3]\n"));
  std::vector<std::string> left_out;
  const SearchSpace of_gat = space_for_model(space, "gat", left_out);
  ASSERT_EQ(of_gat.dimensions.size(), 3u);
  EXPECT_EQ(of_gat.dimensions[0].name, "layers");  // in its place
  EXPECT_EQ(of_gat.dimensions[0].values, (std::vector<ParameterValue>{std::int64_t{3}}));
  EXPECT_EQ(of_gat.dimensions[2].name, "heads");
  const SearchSpace of_gcn = space_for_model(space, "gcn", left_out);
  ASSERT_EQ(of_gcn.dimensions.size(), 2u);
  EXPECT_EQ(of_gcn.dimensions[0].values.size(), 2u);
  EXPECT_TRUE(left_out.empty());
}

TEST(SearchSpace, BadFilesAreSentencesWithALine) {
  const TempDir dir;
  const std::string path = (dir / "space.toml").string();
  expect_error([&] { read_space(dir.path()); },
               dir.path().string() + ": is a directory, expected a TOML file");
  const std::pair<const char*, const char*> cases[] = {
      {"method = \"gird\"\n[parameters]\nlr = [1.0]\n",
       "1: method must be \"grid\", \"random\" or \"halving\""},
      {"methd = \"grid\"\n", "1: unknown key 'methd' in a space; did you mean 'method'?"},
      {"method = \"grid\"\n[parameters]\nlr = { from = 1, to = 2 }\n",
       "3: lr is a range, but a grid needs a list"},
      {"[parameters]\nlr = { from = 2, to = 1 }\n", "2: lr: 'from' must not exceed 'to'"},
      {"[parameters]\nlr = { from = 0, to = 1, scale = \"log\" }\n",
       "2: lr: 'from' must not exceed 'to', and both must be above 0 for a log scale"},
      {"[parameters]\nlr = []\n",
       "2: lr must be a list of values, or a range { from = 0.1, to = 10, scale = \"log\" }"},
      {"rungs = [{ splits = 1 }]\n[parameters]\nlr = [1.0]\n", "1: rungs need the method halving"},
      {"method = \"halving\"\nrungs = [{ splits = 3 },\n{ splits = 1 }]\n[parameters]\nlr = "
       "[1.0]\n",
       "3: a rung has fewer splits or epochs than the previous one, expected at least as many"},
      {"method = \"halving\"\nrungs = [{}, { epochs = 50 }]\n[parameters]\nlr = [1.0]\n",
       "2: a rung has fewer splits or epochs than the previous one, expected at least as many"},
      {"keep = 1\n[parameters]\nlr = [1.0]\n", "1: keep must be an integer from 2 to 1000"},
      {"[parameters]\nlr = { max = 2 }\n",
       "2: unknown key 'max' in a range, expected from, to, scale"},
      {"[parameters]\nlayers = [1]\nlr = [0.1, -1.0]\n",
       "3: lr is -1, expected a number from 0 to 1000"},
      {"[parameters]\nlayrs = [1]\n",
       "2: no model has a parameter 'layrs'; did you mean 'layers'?"},
      {"[parameters]\nlr = [0.1]\n[models.diag-dsn]\nlr = [0.2]\n",
       "3: unknown model 'diag-dsn'; did you mean 'diag-dsnn'? ('dsnn models' lists all)"},
      {"models = 3\n[parameters]\nlr = [0.1]\n", "1: models must be tables such as [models.gcn]"},
      {"[parameters]\nlr = [0.1]\n[models]\ngcn = 3\n",
       "4: models.gcn must be a table of parameters"},
      {"[parameters]\nlr = [0.1]\n[models.diag-dsnn]\nlr = [-1.0]\n",
       "4: lr is -1, expected a number from 0 to 1000"}};
  for (const auto& [text, sentence] : cases) {
    write_text(dir / "space.toml", text);
    const auto use = [&] {
      std::vector<std::string> left_out;
      space_for_model(read_space(path), "diag-dsnn", left_out);
    };
    expect_error(use, fmt::format("{}:{}", path, sentence));
  }
  write_text(dir / "space.toml", "method = \"random\"\n");
  expect_error([&] { read_space(path); },
               path + ": no parameters to search, expected [parameters]");
  EXPECT_THROW(read_space(dir / "none.toml"), Error);
}

}  // namespace
}  // namespace dsnn
