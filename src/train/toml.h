#pragma once

#include "dsnn/config/config.h"
#include "dsnn/util/error.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <filesystem>
#include <optional>
#include <string>

namespace dsnn {

/// The table returned by `parse`, with errors that name file and line.
template <class Parse>
toml::table parse_table(const std::string& where, const Parse& parse) {
  try {
    return parse();
  } catch (const toml::parse_error& error) {
    const auto line = error.source().begin.line;
    throw Error(line > 0 ? fmt::format("{}:{}: {}", where, line, error.description())
                         : fmt::format("{}: {}", where, error.description()));
  }
}

/// The table of a file.
inline toml::table read_table(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {  // toml++ reads it as an empty file
    throw Error(fmt::format("{}: is a directory, expected a TOML file", path));
  }
  return parse_table(path, [&] { return toml::parse_file(path); });
}

/// The value of a key; nothing for unsupported TOML types (dates, tables). Constructed in place:
/// with sanitizers, gcc 12 reports a moved value as uninitialised.
inline std::optional<ParameterValue> value_of(const toml::node& node) {
  if (const auto* v = node.as_boolean())
    return std::optional<ParameterValue>(std::in_place, v->get());
  if (const auto* v = node.as_integer())
    return std::optional<ParameterValue>(std::in_place, v->get());
  if (const auto* v = node.as_floating_point())
    return std::optional<ParameterValue>(std::in_place, v->get());
  if (const auto* v = node.as_string())
    return std::optional<ParameterValue>(std::in_place, v->get());
  return std::nullopt;
}

}  // namespace dsnn
