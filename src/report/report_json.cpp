#include "report/report_json.h"

#include "dsnn/nn/model.h"
#include "dsnn/train/scores.h"
#include "dsnn/train/train.h"
#include "dsnn/util/error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace dsnn {
namespace {

using Json = nlohmann::ordered_json;

/// Rounded to the digits that a plot can show; null if not finite.
Json curve_json(const std::vector<double>& numbers) {
  Json json = Json::array();
  for (const double number : numbers) {
    json.push_back(std::isfinite(number) ? Json(std::round(number * 1e5) / 1e5) : Json());
  }
  return json;
}

Json parameters_json(const Run& run) {
  Json json = Json::array();
  for (const Parameter& parameter : run.config().parameters()) {
    const ParameterValue& value = run.config().value(parameter.name);
    json.push_back({{"name", parameter.name},
                    {"value", to_text(value)},
                    {"is_default", value == parameter.default_value}});
  }
  return json;
}

}  // namespace

void check_dataset(const Run& run, const Dataset& dataset) {
  if (checksum(dataset) == run.checksum()) return;
  throw Error(fmt::format(
      "{}: {} that {} was trained on; give the data and options of that training", dataset.name,
      run.has_other_splits(dataset) ? "its splits differ from those" : "differs from the dataset",
      run.folder().string()));
}

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json{{"low", interval->low}, {"high", interval->high}} : Json();
}

Json mean_json(const std::vector<double>& values, const std::optional<Interval>& single) {
  return {{"mean", mean_and_deviation(values).mean},
          {"interval", interval_json(values.size() == 1 ? single : mean_interval(values))}};
}

Json curves_json(std::size_t member, int split, const Run& run, const LearningCurves& curves,
                 bool has_validation) {
  const std::optional<std::int64_t> best_epoch = run.best_epoch(split);
  Json json = {{"member", member},
               {"split", split},
               {"best_epoch", best_epoch ? Json(*best_epoch) : Json()},
               {"train_loss", curve_json(curves.train_loss)},
               {"train_accuracy", curve_json(curves.train_accuracy)}};
  if (has_validation) {
    json["validation_loss"] = curve_json(curves.validation_loss);
    json["validation_accuracy"] = curve_json(curves.validation_accuracy);
  }
  return json;
}

Json member_json(const Run& run, const std::vector<double>& scores) {
  return {{"model", run.model()},
          {"title", nn::find_model(run.model()).title},
          {"seed", run.seed()},
          {"accuracy", mean_and_deviation(scores).mean},
          {"parameters", parameters_json(run)}};
}

}  // namespace dsnn
