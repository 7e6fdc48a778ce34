#include "dsnn/sweep/report.h"

#include "dsnn/sweep/importance.h"
#include "dsnn/util/random.h"

#include "support/test_files.h"
#include "sweep/axis.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <limits>

namespace dsnn {
namespace {

using nlohmann::json;
using testing::contains;

/// Three parameters: a list of numbers, a range and a list of words.
Config example_config() {
  return Config(
      {{"layers", std::int64_t{1}, ""}, {"decay", 0.0, ""}, {"act", "elu", "", {"elu", "relu"}}});
}

std::vector<Dimension> example_dimensions() {
  return {{"layers", {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}},
          {"decay", {}, 1e-4, 1e-2, true},
          {"act", {std::string("elu"), std::string("relu")}}};
}

/// A sweep of one rung whose scores are a function of the configurations.
Sweep example_sweep(int num_trials, const std::function<double(const Config&)>& score) {
  Sweep sweep;
  sweep.model = "diag-dsnn";
  sweep.dataset = "texas";
  sweep.method = "random";
  sweep.dimensions = example_dimensions();
  sweep.num_rungs = 1;
  Random random(1);
  for (int i = 0; i < num_trials; ++i) {
    Trial trial;
    trial.number = i;
    trial.config = example_config();
    trial.config.set("layers", static_cast<std::int64_t>(1 + random.below(3)));
    trial.config.set("decay", random.uniform(1e-4, 1e-2));
    trial.config.set("act", std::string(random.below(2) == 0 ? "elu" : "relu"));
    trial.rung = 0;
    trial.num_splits = 1;
    trial.validation = score(trial.config);
    trial.finished_at = i + 1;
    trial.rungs = {{trial.validation, 1, trial.finished_at, false}};
    sweep.trials.push_back(trial);
  }
  return sweep;
}

double score_of_layers(const Config& config) {
  return 0.2 * static_cast<double>(config.integer("layers"));
}

/// The result of read_sweep() for a trial that has not finished a rung.
void unfinish(Trial& trial) {
  trial.rung = -1;
  trial.validation = -1;
  trial.num_splits = 0;
  trial.finished_at = 0;
  trial.rungs.clear();
}

/// And for a trial that failed at the first rung.
void fail(Trial& trial) {
  const double finished_at = trial.finished_at;
  unfinish(trial);
  trial.failure = "epoch 3: the loss is not finite";
  trial.rungs = {{-1, 1, finished_at, true}};
}

Importance importance_of(const Sweep& sweep, const std::string& name) {
  for (const Importance& importance : parameter_importance(sweep).parameters) {
    if (importance.parameter == name) return importance;
  }
  ADD_FAILURE() << "no importance of " << name;
  return {};
}

/// The object that the page draws.
json data_of(const std::string& page) {
  const std::string head = R"(<script type="application/json" id="data">)";
  const std::size_t begin = page.find(head) + head.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(Importance, OfWhatDeterminesTheScoreIsOne) {
  const Sweep sweep = example_sweep(60, score_of_layers);
  EXPECT_NEAR(importance_of(sweep, "layers").share.value(), 1, 1e-12);
  EXPECT_LT(importance_of(sweep, "layers").chance, 0.2);
  EXPECT_EQ(parameter_importance(sweep).parameters.front().parameter, "layers");
}

TEST(Importance, OfARangeIsThatOfItsBins) {
  // Uniform on a line: four bins of it explain 15/16 of the variance.
  const Sweep sweep = example_sweep(400, [](const Config& c) { return 10 * c.number("decay"); });
  EXPECT_NEAR(importance_of(sweep, "decay").share.value(), 15.0 / 16, 0.01);
}

TEST(Importance, OfWhatDoesNothingIsAboutZero) {
  Random random(7);
  const Sweep sweep = example_sweep(
      400, [&](const Config& c) { return score_of_layers(c) + 0.01 * random.uniform(); });
  for (const char* name : {"decay", "act"}) {
    const Importance importance = importance_of(sweep, name);
    EXPECT_LT(importance.share.value(), 0.02) << name;
    EXPECT_LT(importance.chance, 0.03) << name;
  }
}

TEST(Importance, IsTheAdjustedShareOfVariance) {
  // Groups {0, 1} and {2, 3, 4}: 10 in all, 0.5 + 2 within; 1 - (2.5 / 3) / (10 / 4).
  Sweep sweep = example_sweep(5, [](const Config&) { return 0; });
  sweep.dimensions = {sweep.dimensions[2]};
  for (int i = 0; i < 5; ++i) {
    sweep.trials[i].config.set("act", std::string(i < 2 ? "elu" : "relu"));
    sweep.trials[i].rungs.front().validation = i;
  }
  EXPECT_NEAR(importance_of(sweep, "act").share.value(), 2.0 / 3, 1e-12);
}

TEST(Importance, LeavesOutWhatFailed) {
  Sweep sweep = example_sweep(60, score_of_layers);
  fail(sweep.trials[5]);
  unfinish(sweep.trials[6]);
  const ImportanceReport report = parameter_importance(sweep);
  EXPECT_EQ(report.num_failed, 1);
  EXPECT_EQ(report.num_compared, 58);
  EXPECT_NEAR(report.parameters.front().share.value(), 1, 1e-12);
}

TEST(Importance, SaysNothingWhereNothingCanBeSaid) {
  for (const int num_trials : {0, 1, 2}) {
    const Sweep sweep = example_sweep(num_trials, [](const Config&) { return 0.5; });
    for (const Importance& importance : parameter_importance(sweep).parameters) {
      EXPECT_FALSE(importance.share) << num_trials;
    }
  }
  const Sweep same = example_sweep(50, [](const Config&) { return 0.1; });
  EXPECT_FALSE(importance_of(same, "layers").share);
}

TEST(Axis, IsLogarithmicWhereThatSpreadsTheValues) {
  const auto scale_of = [](std::vector<ParameterValue> values) {
    return axis_scale({"x", values});
  };
  EXPECT_EQ(scale_of({std::int64_t{8}, std::int64_t{16}, std::int64_t{32}}), AxisScale::kLog);
  EXPECT_EQ(scale_of({std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}), AxisScale::kLinear);
  EXPECT_EQ(scale_of({0.0, 1e-4, 1e-3}), AxisScale::kLinear);
  EXPECT_EQ(scale_of({0.25, std::string("learn")}), AxisScale::kPoints);
  EXPECT_EQ(scale_of({false, true}), AxisScale::kPoints);
  EXPECT_EQ(scale_of({0.5}), AxisScale::kLinear);
}

TEST(Report, HasTheTrialsAndTheSearchedParameters) {
  Sweep sweep = example_sweep(12, score_of_layers);
  sweep.dimensions.push_back({"fixed", {true}});
  const json data = data_of(sweep_report(sweep));
  EXPECT_EQ(data["trials"].size(), 12u);
  ASSERT_EQ(data["dimensions"].size(), 3u);
  EXPECT_EQ(data["dimensions"][0]["scale"], "linear");
  EXPECT_EQ(data["dimensions"][1]["scale"], "log");
  EXPECT_EQ(data["dimensions"][2]["scale"], "points");
  EXPECT_EQ(data["trials"][4]["values"][2], sweep.trials[4].config.word("act"));
  EXPECT_DOUBLE_EQ(data["trials"][4]["validation"], sweep.trials[4].validation);
}

TEST(Report, NeedsNothingFromElsewhere) {
  const std::string page = sweep_report(example_sweep(3, [](const Config&) { return 0.5; }));
  // The one address is the name of SVG, which is not fetched.
  const std::string name = "http://www.w3.org/2000/svg";
  for (std::size_t at = page.find("http"); at != std::string::npos;
       at = page.find("http", at + 1)) {
    EXPECT_EQ(page.substr(at, name.size()), name);
  }
  for (const char* part : {"src=", "href=", "@import", "url(", "{{"}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
}

TEST(Report, EscapesHostileNames) {
  Sweep sweep = example_sweep(3, [](const Config&) { return 0.5; });
  const std::string hostile = "</script><img src=x onerror=\"alert('1')\">&{{script}}<!--";
  sweep.model = sweep.dataset = sweep.trials[0].failure = hostile;
  const std::string page = sweep_report(sweep);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("<!--"), std::string::npos);
  EXPECT_TRUE(contains(page,
                       "&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;"
                       "&gt;&amp;{{script}}"));
  const json data = data_of(page);
  EXPECT_EQ(data["dataset"], hostile);
  EXPECT_EQ(data["trials"][0]["failure"], hostile);
  sweep.dataset = "\xff.npz";  // a name of a file need not be UTF-8
  EXPECT_EQ(data_of(sweep_report(sweep))["dataset"], "\xEF\xBF\xBD.npz");
}

TEST(Report, OfDegenerateSweeps) {
  Sweep sweep = example_sweep(0, {});
  EXPECT_TRUE(data_of(sweep_report(sweep))["trials"].empty());
  sweep.dimensions.clear();
  EXPECT_TRUE(data_of(sweep_report(sweep))["dimensions"].empty());

  // One trial, which failed; then one that has finished no rung.
  sweep = example_sweep(1, [](const Config&) { return 0.5; });
  fail(sweep.trials[0]);
  EXPECT_TRUE(data_of(sweep_report(sweep))["trials"][0]["validation"].is_null());
  unfinish(sweep.trials[0]);
  EXPECT_TRUE(data_of(sweep_report(sweep))["trials"][0]["test"].is_null());

  // Missing scores are left out: a split may have no test nodes.
  sweep = example_sweep(2, [](const Config&) { return 0.5; });
  sweep.trials[0].test = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(data_of(sweep_report(sweep))["trials"][0]["test"].is_null());
}

TEST(Report, OfAThousandTrialsIsSmall) {
  const Sweep sweep = example_sweep(1000, [](const Config& c) { return c.number("decay"); });
  EXPECT_LT(sweep_report(sweep).size(), 1'000'000u);
}

}  // namespace
}  // namespace dsnn
