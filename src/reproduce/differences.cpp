#include "reproduce/differences.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace dsnn::reproduce {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers as in the files: the shortest text that reads as the same number.
std::string text_of(const Json& json, const std::string& name) {
  return json.contains(name) ? json[name].dump() : "nothing";
}

/// Compares these values of both; the texts differ exactly where the numbers do.
std::vector<std::string> value_differences(const Json& kept, const Json& now,
                                           const std::vector<std::string>& names) {
  std::vector<std::string> lines;
  for (const std::string& name : names) {
    const std::string before = text_of(kept, name), after = text_of(now, name);
    if (before != after) lines.push_back(fmt::format("{} stored {}, now {}", name, before, after));
  }
  return lines;
}

/// The names in either, in their order.
std::vector<std::string> names_in(const Json& first, const Json& second) {
  std::vector<std::string> names;
  for (const Json* json : {&first, &second}) {
    for (const auto& [name, value] : json->items()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

}  // namespace

std::map<int, Json> splits_of(const Json& result) {
  std::map<int, Json> splits;
  for (const Json& split : result.at("splits")) splits[split.at("split").get<int>()] = split;
  return splits;
}

std::vector<std::string> differences(const std::string& kept, const std::string& now,
                                     const std::vector<int>& splits) {
  std::vector<std::string> lines;
  try {
    const Json before = Json::parse(kept), after = Json::parse(now);
    const auto splits_before = splits_of(before), splits_after = splits_of(after);
    for (const int number : splits) {
      const auto first = splits_before.find(number), second = splits_after.find(number);
      if (first == splits_before.end() || second == splits_after.end()) {
        throw Error(fmt::format("one of the results has no split {}", number));
      }
      std::vector<std::string> names = names_in(first->second, second->second);
      std::erase(names, "seconds");
      const auto values = value_differences(first->second, second->second, names);
      if (values.empty()) continue;
      lines.push_back(fmt::format("split {}: {}", number, fmt::join(values, "; ")));
    }
    if (splits_before.size() != splits.size()) return lines;
    std::vector<std::string> means = names_in(before, after);
    std::erase_if(means, [](const std::string& name) {
      return !name.ends_with("_mean") && !name.ends_with("_std");
    });
    const auto values = value_differences(before, after, means);
    if (!values.empty()) lines.push_back(fmt::format("all splits: {}", fmt::join(values, "; ")));
  } catch (const Json::exception& error) {
    throw Error(fmt::format("a result is damaged: {}", error.what()));
  }
  return lines;
}

}  // namespace dsnn::reproduce
