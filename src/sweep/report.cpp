#include "dsnn/sweep/report.h"

#include "dsnn/sweep/importance.h"

#include "page/page.h"
#include "sweep/axis.h"
#include "sweep/report/files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace dsnn {
namespace {

using Json = nlohmann::ordered_json;

const char* scale_name(AxisScale scale) {
  return scale == AxisScale::kPoints ? "points" : scale == AxisScale::kLog ? "log" : "linear";
}

/// A number, or on an axis of points its name.
Json value_json(const ParameterValue& value, AxisScale scale) {
  const std::optional<double> number = number_of(value);
  return number && scale != AxisScale::kPoints ? Json(*number) : Json(to_text(value));
}

Json dimension_json(const Dimension& dimension) {
  const AxisScale scale = axis_scale(dimension);
  Json json = {{"name", dimension.name}, {"scale", scale_name(scale)}};
  if (dimension.values.empty()) {
    json["from"] = dimension.from;
    json["to"] = dimension.to;
    return json;
  }
  json["values"] = Json::array();
  for (const ParameterValue& value : dimension.values) {
    json["values"].push_back(value_json(value, scale));
  }
  return json;
}

/// Missing scores are null.
Json trial_json(const Trial& trial, const std::vector<Dimension>& dimensions) {
  const bool has_score = trial.has_score();
  Json json = {{"number", trial.number},
               {"rung", trial.rung},
               {"splits", trial.num_splits},
               {"validation", has_score ? Json(trial.validation) : Json()},
               {"test", has_score ? Json(trial.test) : Json()},
               {"test_deviation", has_score ? Json(trial.test_deviation) : Json()},
               {"seconds", trial.seconds},
               {"failure", trial.failure}};
  json["rungs"] = Json::array();
  for (const RungScore& score : trial.rungs) {
    json["rungs"].push_back({{"validation", score.is_failed ? Json() : Json(score.validation)},
                             {"finished_at", score.finished_at}});
  }
  json["values"] = Json::array();
  for (const Dimension& dimension : dimensions) {
    json["values"].push_back(value_json(trial.config.value(dimension.name), axis_scale(dimension)));
  }
  return json;
}

Json importance_json(const ImportanceReport& report) {
  Json json = {{"num_compared", report.num_compared}, {"num_failed", report.num_failed}};
  json["parameters"] = Json::array();
  for (const Importance& importance : report.parameters) {
    json["parameters"].push_back({{"name", importance.parameter},
                                  {"share", importance.share ? Json(*importance.share) : Json()},
                                  {"chance", importance.chance}});
  }
  return json;
}

Json sweep_json(const Sweep& sweep) {
  std::vector<Dimension> searched;
  std::ranges::copy_if(sweep.dimensions, std::back_inserter(searched), is_searched);
  Json json = {{"model", sweep.model},
               {"dataset", sweep.dataset},
               {"method", sweep.method},
               {"num_rungs", sweep.num_rungs}};
  json["dimensions"] = Json::array();
  for (const Dimension& dimension : searched)
    json["dimensions"].push_back(dimension_json(dimension));
  json["is_complete"] = sweep.is_complete;
  json["trials"] = Json::array();
  for (const Trial& trial : sweep.trials) json["trials"].push_back(trial_json(trial, searched));
  json["importance"] = importance_json(parameter_importance(sweep));
  return json;
}

}  // namespace

std::string sweep_report(const Sweep& sweep) {
  return make_page(kSweepPage, sweep.model + " on " + sweep.dataset, sweep_json(sweep));
}

}  // namespace dsnn
