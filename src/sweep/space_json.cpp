#include "sweep/space_json.h"

#include "dsnn/util/error.h"

#include "util/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>

namespace dsnn {
namespace {

using Json = nlohmann::ordered_json;

const std::map<std::string, SweepMethod> kMethods = {{"grid", SweepMethod::kGrid},
                                                     {"random", SweepMethod::kRandom},
                                                     {"halving", SweepMethod::kHalving}};

ParameterValue value_of(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.get<std::string>();
}

SearchSpace parse(const std::string& text) {
  const Json json = parse_json(text);
  SearchSpace space;
  space.method = find_method(json.at("method").get<std::string>()).value_or(SweepMethod::kHalving);
  space.keep = json.at("keep").get<int>();
  space.rungs.clear();
  for (const Json& rung : json.at("rungs")) {
    space.rungs.push_back({rung.at("splits").get<int>(), rung.at("epochs").get<std::int64_t>()});
  }
  for (const Json& item : json.at("parameters")) {
    Dimension dimension;
    dimension.name = item.at("name").get<std::string>();
    if (item.contains("values")) {
      for (const Json& value : item["values"]) dimension.values.push_back(value_of(value));
    } else {
      dimension.from = item.at("from").get<double>();
      dimension.to = item.at("to").get<double>();
      dimension.is_log = item.at("log").get<bool>();
    }
    space.dimensions.push_back(dimension);
  }
  return space;
}

Json to_json(const SearchSpace& space) {
  Json json = {{"method", method_name(space.method)}, {"keep", space.keep}};
  json["rungs"] = Json::array();
  for (const Rung& rung : space.rungs) {
    json["rungs"].push_back({{"splits", rung.splits}, {"epochs", rung.epochs}});
  }
  json["parameters"] = Json::array();
  for (const Dimension& dimension : space.dimensions) {
    Json item = {{"name", dimension.name}};
    if (dimension.values.empty()) {
      item["from"] = dimension.from;
      item["to"] = dimension.to;
      item["log"] = dimension.is_log;
    } else {
      item["values"] = Json::array();
      for (const ParameterValue& value : dimension.values) {
        std::visit([&](const auto& v) { item["values"].push_back(v); }, value);
      }
    }
    json["parameters"].push_back(item);
  }
  return json;
}

}  // namespace

std::string method_name(SweepMethod method) {
  for (const auto& [name, known] : kMethods) {
    if (known == method) return name;
  }
  return "";
}

std::optional<SweepMethod> find_method(const std::string& name) {
  const auto found = kMethods.find(name);
  return found == kMethods.end() ? std::nullopt : std::optional(found->second);
}

std::string space_json(const SearchSpace& space) { return json_text(to_json(space)); }

std::string space_difference(const SearchSpace& there, const SearchSpace& here) {
  const Json first = to_json(there), second = to_json(here);
  for (const char* key : {"method", "keep", "rungs"}) {
    if (first[key] == second[key]) continue;
    return fmt::format("{} is {}, now {}", key, json_text(first[key]), json_text(second[key]));
  }
  const auto describe = [](const Json& parameters, const std::string& name) -> std::string {
    for (Json item : parameters) {
      if (item["name"] != name) continue;
      item.erase("name");
      return item.contains("values") ? json_text(item["values"]) : json_text(item);
    }
    return "not searched";
  };
  for (const Json& parameters : {first["parameters"], second["parameters"]}) {
    for (const Json& item : parameters) {
      const auto name = item["name"].get<std::string>();
      const std::string a = describe(first["parameters"], name);
      const std::string b = describe(second["parameters"], name);
      if (a != b) return fmt::format("{} is {}, now {}", name, a, b);
    }
  }
  return first == second ? "" : "the parameters are in a different order";
}

SearchSpace space_from_json(const std::string& text) {
  try {
    return parse(text);
  } catch (const Json::exception& error) {
    throw Error(fmt::format("the space of the sweep is damaged: {}", error.what()));
  }
}

}  // namespace dsnn
