#include "dsnn/train/run_config.h"
#include "dsnn/util/error.h"

#include "train/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

namespace dsnn {
namespace {

constexpr std::string_view kWords[] = {"model", "dataset", "checksum", "task"};

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

std::string toml_text(const ParameterValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return quoted(*word);
  std::string text = to_text(value);
  const bool is_number = std::holds_alternative<double>(value);
  if (is_number && text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::uint64_t parse_seed(const std::string& text, const std::string& where) {
  std::uint64_t seed = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, seed);
  if (error != std::errc() || stop != end) {
    throw Error(fmt::format("{}: seed is '{}', expected an integer, 0 or more", where, text));
  }
  return seed;
}

/// Whether a parameter has the value that trainings had before it existed: their checkpoints stay
/// valid.
bool is_as_before(const Config& config, const std::string& name, const std::string& value) {
  if (name == "degree_features") return value == "auto";
  if (name == "maps") return value == "learned";
  // Of sheaf networks; MagNet always had one.
  return name == "order" && value == "1" &&
         std::ranges::find(config.parameters(), "maps", &Parameter::name) !=
             config.parameters().end();
}

}  // namespace

std::string RunConfig::fingerprint() const {
  std::string text = fmt::format("{} {} {}", model, checksum, seed);
  for (const Parameter& parameter : config.parameters()) {
    const std::string value = to_text(config.value(parameter.name));
    if (is_as_before(config, parameter.name, value)) continue;
    text += fmt::format(" {}={}", parameter.name, value);
  }
  return text;
}

std::string write_toml(const RunConfig& config) {
  std::string text =
      fmt::format("model = {}\ndataset = {}\n", quoted(config.model), quoted(config.dataset));
  if (!config.checksum.empty()) text += fmt::format("checksum = {}\n", quoted(config.checksum));
  if (task_of(config.config) == TaskKind::kLinks) text += "task = \"links\"\n";
  text += fmt::format("seed = {}\n\n[parameters]\n", config.seed);
  for (const Parameter& parameter : config.config.parameters()) {
    text += fmt::format("{} = {}  # {}\n", parameter.name,
                        toml_text(config.config.value(parameter.name)), parameter.help);
  }
  return text;
}

namespace {

RunConfig config_of(const toml::table& table, const std::string& where) {
  const auto fail = [&](const toml::node& node, const std::string& what) {
    throw Error(fmt::format("{}:{}: {}", where, node.source().begin.line, what));
  };
  RunConfig config;
  const auto word = [&](const char* key, std::string& to) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    if (!node->is_string()) fail(*node, fmt::format("{} must be a quoted string", key));
    to = node->as_string()->get();
  };
  word("model", config.model);
  word("dataset", config.dataset);
  word("checksum", config.checksum);
  if (const toml::node* seed = table.get("seed")) {
    const auto value = value_of(*seed);
    config.seed = parse_seed(value ? to_text(*value) : "", where);
  }
  if (config.model.empty()) {
    throw Error(fmt::format("{}: no model given, expected model = \"...\"", where));
  }
  std::string task = "nodes";
  word("task", task);
  config.config = default_config(config.model, parse_task(task));
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::ranges::find(kWords, name) != std::end(kWords) || name == "seed") continue;
    if (name != "parameters" || !node.is_table()) {
      fail(node, fmt::format("unknown key '{}', expected model, dataset, task, seed or a table "
                             "[parameters]",
                             name));
    }
    for (const auto& [parameter, value] : *node.as_table()) {
      const std::optional<ParameterValue> found = value_of(value);
      if (!found)
        fail(value, fmt::format("{} is neither a number, a string nor a boolean",
                                std::string(parameter.str())));
      try {
        config.config.set(std::string(parameter.str()), *found);
      } catch (const Error& error) {
        fail(value, error.what());
      }
    }
  }
  return config;
}

}  // namespace

RunConfig read_toml(const std::filesystem::path& path) {
  return config_of(read_table(path.string()), path.string());
}

RunConfig parse_toml(const std::string& text, const std::string& where) {
  return config_of(parse_table(where, [&] { return toml::parse(text); }), where);
}

}  // namespace dsnn
