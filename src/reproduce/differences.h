#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace dsnn::reproduce {

/// The splits of a result.json by their numbers. Throws nlohmann's exceptions.
std::map<int, nlohmann::ordered_json> splits_of(const nlohmann::ordered_json& result);

/// Compares two texts of result.json digit by digit: all values of these splits except times, and
/// means and deviations if the first has no other splits. Returns a line for each split or mean
/// that differs. Throws Error if either is damaged or lacks a split.
std::vector<std::string> differences(const std::string& kept, const std::string& now,
                                     const std::vector<int>& splits);

}  // namespace dsnn::reproduce
