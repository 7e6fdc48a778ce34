#include "dsnn/config/config.h"

#include "dsnn/util/error.h"

#include "util/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

namespace dsnn {
namespace {

template <class T>
std::optional<T> parse(const std::string& text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

std::optional<bool> parse_switch(const std::string& text) {
  static const std::map<std::string, bool> kWords = {
      {"true", true}, {"yes", true}, {"on", true}, {"false", false}, {"no", false}, {"off", false}};
  const auto found = kWords.find(text);
  return found == kWords.end() ? std::nullopt : std::optional(found->second);
}

/// "an integer from 1 to 5", "one of tanh, elu".
std::string expected(const Parameter& parameter) {
  const auto range = [&]() -> std::string {
    if (std::isinf(parameter.least) && std::isinf(parameter.most)) return "";
    if (std::isinf(parameter.most)) return fmt::format(", {} or more", parameter.least);
    return fmt::format(" from {} to {}", parameter.least, parameter.most);
  };
  const auto words = fmt::format("{}", fmt::join(parameter.choices, ", "));
  if (std::holds_alternative<bool>(parameter.default_value)) return "true or false";
  if (std::holds_alternative<std::string>(parameter.default_value)) return "one of " + words;
  const std::string kind = std::holds_alternative<double>(parameter.default_value)
                               ? "a number" + range()
                               : "an integer" + range();
  return words.empty() ? kind : fmt::format("{}, or {}", kind, words);
}

[[noreturn]] void fail(const Parameter& parameter, const std::string& got) {
  throw Error(fmt::format("{} is {}, expected {}{}", parameter.name, got, expected(parameter),
                          did_you_mean(got, parameter.choices)));
}

bool is_allowed_word(const Parameter& parameter, const std::string& word) {
  return std::ranges::find(parameter.choices, word) != parameter.choices.end();
}

/// Converts a value to the parameter's type; throws Error if that is impossible.
ParameterValue checked(const Parameter& parameter, const ParameterValue& value) {
  const ParameterValue& model = parameter.default_value;
  if (const auto* word = std::get_if<std::string>(&value)) {
    if (!is_allowed_word(parameter, *word)) fail(parameter, *word);
    return value;
  }
  if (std::holds_alternative<bool>(model) != std::holds_alternative<bool>(value) ||
      std::holds_alternative<std::string>(model)) {
    fail(parameter, to_text(value));
  }
  if (std::holds_alternative<bool>(value)) return value;
  const double number = std::holds_alternative<double>(value)
                            ? std::get<double>(value)
                            : static_cast<double>(std::get<std::int64_t>(value));
  if (!(number >= parameter.least && number <= parameter.most) || !std::isfinite(number)) {
    fail(parameter, to_text(value));
  }
  if (std::holds_alternative<double>(model)) return number;
  if (!std::holds_alternative<double>(value)) return value;
  const std::string text = to_text(value);
  fail(parameter, text.find_first_of(".e") == std::string::npos ? text + ".0" : text);
}

}  // namespace

std::string to_text(const ParameterValue& value) {
  struct Visitor {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(double v) const { return fmt::format("{}", v); }
    std::string operator()(const std::string& v) const { return v; }
  };
  return std::visit(Visitor(), value);
}

Config::Config(std::vector<Parameter> parameters) : parameters_(std::move(parameters)) {
  for (const Parameter& parameter : parameters_) values_.push_back(parameter.default_value);
}

std::size_t Config::index_of(const std::string& name) const {
  const auto found = std::ranges::find(parameters_, name, &Parameter::name);
  if (found != parameters_.end()) return static_cast<std::size_t>(found - parameters_.begin());
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_) names.push_back(parameter.name);
  throw Error(fmt::format("unknown parameter '{}'{}", name, did_you_mean(name, names)));
}

const ParameterValue& Config::value(const std::string& name) const {
  return values_[index_of(name)];
}

void Config::set(const std::string& name, const ParameterValue& value) {
  const std::size_t i = index_of(name);
  values_[i] = checked(parameters_[i], value);
}

void Config::set_text(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) {
    throw Error(fmt::format("invalid setting '{}', expected key=value", assignment));
  }
  const std::string name = assignment.substr(0, equals), text = assignment.substr(equals + 1);
  const Parameter& parameter = parameters_[index_of(name)];
  if (std::holds_alternative<bool>(parameter.default_value)) {
    const std::optional<bool> value = parse_switch(text);
    if (!value) fail(parameter, text);
    return set(name, *value);
  }
  if (is_allowed_word(parameter, text)) return set(name, text);
  if (const auto integer = parse<std::int64_t>(text)) return set(name, *integer);
  if (const auto number = parse<double>(text)) return set(name, *number);
  fail(parameter, text);
}

bool Config::flag(const std::string& name) const { return std::get<bool>(value(name)); }
std::int64_t Config::integer(const std::string& name) const {
  return std::get<std::int64_t>(value(name));
}
double Config::number(const std::string& name) const { return std::get<double>(value(name)); }
const std::string& Config::word(const std::string& name) const {
  return std::get<std::string>(value(name));
}
std::vector<std::string> Config::with_role(ParameterRole role) const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_) {
    if (parameter.role == role) names.push_back(parameter.name);
  }
  return names;
}
bool Config::is_word(const std::string& name) const {
  return std::holds_alternative<std::string>(value(name));
}

}  // namespace dsnn
