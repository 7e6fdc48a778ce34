#include "c/options.h"

#include "dsnn/util/error.h"

#include "util/json_text.h"
#include "util/suggest.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace dsnn::c {

using Json = nlohmann::ordered_json;

Options::Options(const char* text, std::string where)
    : where_(std::move(where)), json_(std::make_unique<Json>(Json::object())) {
  if (text == nullptr || *text == 0) return;
  *json_ = parse_json(std::string(text));
  if (!json_->is_object()) throw Error(where_ + ": the options are not one JSON object");
}

Options::~Options() = default;

const Json* Options::find(const char* name) {
  known_.emplace_back(name);
  const auto found = json_->find(name);
  return found == json_->end() || found->is_null() ? nullptr : &*found;
}

void Options::fail(const char* name, const Json& got, std::string_view expected) const {
  throw Error(fmt::format("{}: {} is {}, expected {}", where_, name, json_text(got), expected));
}

bool Options::has(const char* name) { return find(name) != nullptr; }

bool Options::flag(const char* name, bool fallback) {
  const Json* value = find(name);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) fail(name, *value, "true or false");
  return value->get<bool>();
}

std::int64_t Options::integer(const char* name, std::int64_t fallback, std::int64_t least,
                              std::int64_t most) {
  const Json* value = find(name);
  if (value == nullptr) return fallback;
  const bool fits = value->is_number_unsigned()
                        ? value->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX)
                        : value->is_number_integer();
  if (!fits || value->get<std::int64_t>() < least || value->get<std::int64_t>() > most) {
    fail(name, *value, fmt::format("a whole number from {} to {}", least, most));
  }
  return value->get<std::int64_t>();
}

double Options::number(const char* name, double fallback) {
  const Json* value = find(name);
  if (value == nullptr) return fallback;
  if (!value->is_number() || !std::isfinite(value->get<double>())) fail(name, *value, "a number");
  return value->get<double>();
}

std::string Options::text(const char* name, const std::string& fallback) {
  const Json* value = find(name);
  if (value == nullptr) return fallback;
  if (!value->is_string()) fail(name, *value, "a string");
  return value->get<std::string>();
}

std::vector<std::int64_t> Options::integers(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return {};
  const auto is_whole = [](const Json& entry) { return entry.is_number_integer(); };
  if (!value->is_array() || !std::all_of(value->begin(), value->end(), is_whole)) {
    fail(name, *value, "a list of whole numbers");
  }
  return value->get<std::vector<std::int64_t>>();
}

std::vector<std::string> Options::texts(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return {};
  const auto is_text = [](const Json& entry) { return entry.is_string(); };
  if (!value->is_array() || !std::all_of(value->begin(), value->end(), is_text)) {
    fail(name, *value, "a list of strings");
  }
  return value->get<std::vector<std::string>>();
}

std::vector<std::string> Options::assignments(const char* name) {
  const Json* value = find(name);
  if (value == nullptr) return {};
  if (!value->is_object()) fail(name, *value, "an object");
  std::vector<std::string> result;
  for (const auto& [key, member] : value->items()) {
    if (member.is_structured() || member.is_null()) {
      fail(name, *value, "an object of booleans, numbers and strings");
    }
    result.push_back(key + "=" +
                     (member.is_string() ? member.get<std::string>() : json_text(member)));
  }
  return result;
}

void Options::done() const {
  for (const auto& [name, value] : json_->items()) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    throw Error(
        fmt::format("{}: there is no option '{}'{}", where_, name, did_you_mean(name, known_)));
  }
}

}  // namespace dsnn::c
