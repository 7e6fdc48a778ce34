#include "cli/link_table.h"

#include "train/link_scores.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dsnn::cli {

Metrics metrics_of(const Scores& scores) {
  Metrics values;
  for (const std::string& metric : link_metrics()) {
    const bool is_share = metric == "accuracy" || metric == "macro_f1";
    if (is_share || scores.ranks) values[metric] = 100 * metric_of(scores, metric);
  }
  return values;
}

void print_means(const std::string& name, const std::vector<Metrics>& splits,
                 const std::vector<std::string>& metrics) {
  std::string line = fmt::format("{:<24}", name);
  for (const std::string& metric : metrics) {
    std::vector<double> values;
    for (const auto& split : splits) values.push_back(split.at(metric));
    const auto [mean, deviation] = mean_and_deviation(values);
    line += fmt::format("  {:6.2f} +- {:5.2f}", mean, deviation);
  }
  fmt::print("{}\n", line);
}

void print_heading(const std::vector<std::string>& metrics) {
  std::string line(24, ' ');
  for (const std::string& metric : metrics) line += fmt::format("  {:>15}", metric);
  fmt::print("{}\n", line);
}

std::vector<std::string> names_of(const Metrics& values) {
  std::vector<std::string> names;
  for (const std::string& metric : link_metrics()) {
    if (values.contains(metric)) names.push_back(metric);
  }
  return names;
}

nlohmann::ordered_json json_of(const Metrics& values) {
  auto json = nlohmann::ordered_json::object();
  for (const std::string& name : names_of(values)) json["test_" + name] = values.at(name);
  return json;
}

}  // namespace dsnn::cli
