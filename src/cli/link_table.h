#pragma once

#include "dsnn/train/scores.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <string>
#include <vector>

// Tables of the metrics of links.
namespace dsnn::cli {

/// Values in percent by the names of metrics.
using Metrics = std::map<std::string, double>;

/// All metrics that are defined for the scores.
Metrics metrics_of(const Scores& scores);
/// Their names in the order of tables.
std::vector<std::string> names_of(const Metrics& values);
/// test_NAME for each.
nlohmann::ordered_json json_of(const Metrics& values);

void print_heading(const std::vector<std::string>& metrics);
/// A row: means and deviations over splits.
void print_means(const std::string& name, const std::vector<Metrics>& splits,
                 const std::vector<std::string>& metrics);

}  // namespace dsnn::cli
