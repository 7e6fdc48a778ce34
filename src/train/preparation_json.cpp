#include "train/preparation_json.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dsnn {
namespace {

using Json = nlohmann::ordered_json;
using Kind = ColumnPreparation::Kind;

constexpr std::array<std::pair<Kind, std::string_view>, 4> kKinds = {{
    {Kind::kKeep, "keep"},
    {Kind::kStandard, "standard"},
    {Kind::kLogStandard, "log_standard"},
    {Kind::kRowShare, "row_share"},
}};

Json column_json(const ColumnPreparation& column) {
  Json json;
  for (const auto& [kind, name] : kKinds) {
    if (kind == column.kind) json["kind"] = name;
  }
  if (column.kind == Kind::kLogStandard) json["unit"] = column.unit;
  if (column.kind == Kind::kStandard || column.kind == Kind::kLogStandard) {
    json["mean"] = column.mean;
    json["deviation"] = column.deviation;
  }
  if (column.missing_column >= 0) {
    json["missing_column"] = column.missing_column;
    json["fill"] = column.fill;
  }
  return json;
}

ColumnPreparation column_of(const Json& json) {
  ColumnPreparation column;
  bool is_known = false;
  for (const auto& [kind, name] : kKinds) {
    if (json.at("kind").get<std::string>() != name) continue;
    column.kind = kind;
    is_known = true;
  }
  column.unit = json.value("unit", 1.0);
  column.mean = json.value("mean", 0.0);
  column.deviation = json.value("deviation", 1.0);
  column.missing_column = json.value("missing_column", std::int64_t{-1});
  column.fill = json.value("fill", 0.0);
  if (!is_known || !(column.unit > 0) || !(column.deviation > 0) || !std::isfinite(column.mean)) {
    throw std::invalid_argument("column");
  }
  return column;
}

std::vector<ColumnPreparation> columns_of(const Json& json) {
  std::vector<ColumnPreparation> columns;
  for (const Json& entry : json) {
    const ColumnPreparation column = column_of(entry);
    columns.insert(columns.end(), entry.value("count", std::size_t{1}), column);
  }
  for (const ColumnPreparation& column : columns) {
    if (column.missing_column >= std::ssize(columns)) throw std::invalid_argument("column");
  }
  return columns;
}

}  // namespace

Json to_json(const FeaturePreparation& preparation) {
  Json json = Json::object();
  if (preparation.smallest) json["smallest"] = *preparation.smallest;
  // Adjacent columns with the same preparation (a bag of words) are one entry.
  for (const ColumnPreparation& column : preparation.columns) {
    const Json entry = column_json(column);
    Json& columns = json["columns"];
    Json last = columns.empty() ? Json() : columns.back();
    const auto count = last.is_object() ? last.value("count", 1) : 0;
    if (last.is_object()) last.erase("count");
    if (last == entry) {
      columns.back()["count"] = count + 1;
    } else {
      columns.push_back(entry);
    }
  }
  if (preparation.adds_degrees) {
    json["out_degree"] = column_json(preparation.out_degree);
    json["in_degree"] = column_json(preparation.in_degree);
  }
  return json;
}

std::optional<FeaturePreparation> preparation_of(const Json& data) {
  FeaturePreparation result;
  try {
    if (!data.contains("preparation")) {
      if (data.at("normalised").get<bool>()) result.smallest = data.at("smallest").get<float>();
      return result;
    }
    const Json& json = data.at("preparation");
    if (json.contains("smallest")) result.smallest = json.at("smallest").get<float>();
    if (json.contains("columns")) result.columns = columns_of(json.at("columns"));
    result.adds_degrees = json.contains("out_degree");
    if (result.adds_degrees) {
      result.out_degree = column_of(json.at("out_degree"));
      result.in_degree = column_of(json.at("in_degree"));
    }
    return result;
  } catch (const std::exception&) {  // of JSON, or of column_of()
    return std::nullopt;
  }
}

}  // namespace dsnn
