#include "dsnn/sweep/space.h"

#include "dsnn/nn/model.h"
#include "dsnn/train/run_config.h"
#include "dsnn/util/error.h"
#include "dsnn/util/random.h"

#include "sweep/space_json.h"
#include "train/toml.h"
#include "util/portable_math.h"
#include "util/suggest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace dsnn {
namespace {

/// Reads one file; errors name the file and the line.
class SpaceReader {
 public:
  explicit SpaceReader(const std::filesystem::path& path) : path_(path.string()) {}

  SearchSpace read() {
    const toml::table table = read_table(path_);
    check_keys(table, {"method", "keep", "rungs", "parameters", "models"}, "a space");
    SearchSpace space;
    if (const toml::node* node = table.get("method")) space.method = method_of(*node);
    if (const toml::node* node = table.get("keep")) {
      space.keep = static_cast<int>(integer(*node, "keep", 2, 1000));
    }
    if (const toml::node* node = table.get("rungs")) {
      if (space.method != SweepMethod::kHalving) fail(*node, "rungs need the method halving");
      space.rungs = rungs_of(*node);
    } else if (space.method == SweepMethod::kHalving) {
      constexpr std::int64_t kFirstEpochs = 200;
      space.rungs = {{1, kFirstEpochs}, {3, 0}, {0, 0}};
    }
    const toml::table* parameters = table["parameters"].as_table();
    if (parameters == nullptr || parameters->empty()) {
      throw Error(fmt::format("{}: no parameters to search, expected [parameters]", path_));
    }
    space.dimensions = dimensions_of(*parameters, space.method);
    if (const toml::node* node = table.get("models")) read_models(*node, space);
    return space;
  }

 private:
  std::string where(const toml::node& node) const {
    return fmt::format("{}:{}", path_, node.source().begin.line);
  }

  [[noreturn]] void fail(const toml::node& node, const std::string& what) const {
    throw Error(where(node) + ": " + what);
  }

  void check_keys(const toml::table& table, const std::vector<std::string>& known,
                  const std::string& what) const {
    for (const auto& [key, node] : table) {
      const std::string name(key);
      if (std::ranges::find(known, name) != known.end()) continue;
      std::string hint = did_you_mean(name, known);
      if (hint.empty()) hint = fmt::format(", expected {}", fmt::join(known, ", "));
      fail(node, fmt::format("unknown key '{}' in {}{}", name, what, hint));
    }
  }

  SweepMethod method_of(const toml::node& node) const {
    const auto* word = node.as_string();
    const auto method = word == nullptr ? std::nullopt : find_method(word->get());
    if (!method) fail(node, "method must be \"grid\", \"random\" or \"halving\"");
    return *method;
  }

  std::int64_t integer(const toml::node& node, const char* name, std::int64_t least,
                       std::int64_t most) const {
    const auto* number = node.as_integer();
    if (number == nullptr || number->get() < least || number->get() > most) {
      fail(node, fmt::format("{} must be an integer from {} to {}", name, least, most));
    }
    return number->get();
  }

  std::vector<Rung> rungs_of(const toml::node& node) const {
    const toml::array* list = node.as_array();
    if (list == nullptr || list->empty()) fail(node, "rungs must be a list of tables");
    std::vector<Rung> rungs;
    for (const toml::node& item : *list) {
      const toml::table* table = item.as_table();
      if (table == nullptr) fail(item, "a rung must be a table such as { splits = 3 }");
      check_keys(*table, {"splits", "epochs"}, "a rung");
      Rung rung;
      if (const toml::node* splits = table->get("splits")) {
        rung.splits = static_cast<int>(integer(*splits, "splits", 1, 1'000'000));
      }
      if (const toml::node* epochs = table->get("epochs")) {
        rung.epochs = integer(*epochs, "epochs", 1, 1'000'000'000);
      }
      if (!rungs.empty() && is_less(rung, rungs.back())) {
        fail(item,
             "a rung has fewer splits or epochs than the previous one, expected at least as many");
      }
      rungs.push_back(rung);
    }
    return rungs;
  }

  /// 0 means all.
  static bool is_less(const Rung& a, const Rung& b) {
    const auto fewer = [](std::int64_t m, std::int64_t n) { return m > 0 && (n == 0 || m < n); };
    return fewer(a.splits, b.splits) || fewer(a.epochs, b.epochs);
  }

  std::vector<Dimension> dimensions_of(const toml::table& table, SweepMethod method) const {
    std::vector<Dimension> dimensions;
    for (const auto& [key, node] : table) {
      dimensions.push_back(dimension_of(std::string(key), node));
      if (method == SweepMethod::kGrid && dimensions.back().values.empty()) {
        fail(node, fmt::format("{} is a range, but a grid needs a list", std::string(key)));
      }
    }
    return dimensions;
  }

  void read_models(const toml::node& node, SearchSpace& space) const {
    const toml::table* models = node.as_table();
    if (models == nullptr) fail(node, "models must be tables such as [models.gcn]");
    for (const auto& [key, item] : *models) {
      const std::string model(key);
      try {
        nn::find_model(model);
      } catch (const Error& error) {
        fail(item, error.what());
      }
      const toml::table* parameters = item.as_table();
      if (parameters == nullptr) {
        fail(item, fmt::format("models.{} must be a table of parameters", model));
      }
      space.of_models[model] = dimensions_of(*parameters, space.method);
    }
  }

  Dimension dimension_of(const std::string& name, const toml::node& node) const {
    Dimension dimension;
    dimension.name = name;
    dimension.where = where(node);
    if (const toml::table* table = node.as_table()) {
      read_range(*table, dimension);
      return dimension;
    }
    const toml::array* list = node.as_array();
    if (list == nullptr) {
      const auto value = value_of(node);  // a single value is fixed
      if (!value) fail(node, expected(name));
      dimension.values = {*value};
      return dimension;
    }
    for (const toml::node& item : *list) {
      const auto value = value_of(item);
      if (!value) fail(item, expected(name));
      dimension.values.push_back(*value);
    }
    if (dimension.values.empty()) fail(node, expected(name));
    return dimension;
  }

  static std::string expected(const std::string& name) {
    return fmt::format(
        "{} must be a list of values, or a range {{ from = 0.1, to = 10, scale = \"log\" }}", name);
  }

  void read_range(const toml::table& table, Dimension& dimension) const {
    check_keys(table, {"from", "to", "scale"}, "a range");
    const auto number = [&](const char* key) {
      const toml::node* node = table.get(key);
      const auto value = node == nullptr ? std::nullopt : node->value<double>();
      if (!value || !std::isfinite(*value)) fail(table, expected(dimension.name));
      return *value;
    };
    dimension.from = number("from");
    dimension.to = number("to");
    if (const toml::node* scale = table.get("scale")) {
      const auto* word = scale->as_string();
      if (word == nullptr || (word->get() != "log" && word->get() != "linear")) {
        fail(*scale, "scale must be \"linear\" or \"log\"");
      }
      dimension.is_log = word->get() == "log";
    }
    if (dimension.to < dimension.from || (dimension.is_log && dimension.from <= 0)) {
      fail(table,
           fmt::format("{}: 'from' must not exceed 'to'{}", dimension.name,
                       dimension.is_log ? ", and both must be above 0 for a log scale" : ""));
    }
  }

  std::string path_;
};

/// The nearest representable integer.
std::int64_t to_integer(double number) {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(std::clamp(number, -kMost, kMost));
}

ParameterValue draw(const Dimension& dimension, const Parameter& parameter, Random& random) {
  if (!dimension.values.empty()) return dimension.values[random.below(dimension.values.size())];
  if (std::holds_alternative<std::int64_t>(parameter.default_value)) {
    const std::int64_t first = to_integer(std::ceil(dimension.from));
    const std::int64_t last = to_integer(std::floor(dimension.to));
    if (!dimension.is_log) {
      return first +
             static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last - first) + 1));
    }
    const double number =
        portable::exp(random.uniform(portable::log(dimension.from), portable::log(dimension.to)));
    return std::clamp(std::llround(number), static_cast<long long>(first),
                      static_cast<long long>(last));
  }
  if (!dimension.is_log) return random.uniform(dimension.from, dimension.to);
  return std::clamp(
      portable::exp(random.uniform(portable::log(dimension.from), portable::log(dimension.to))),
      dimension.from, dimension.to);
}

const Parameter& parameter_of(const Config& config, const std::string& name) {
  return *std::ranges::find(config.parameters(), name, &Parameter::name);
}

/// Whether the model has this parameter; throws if some values are not allowed.
bool check_dimension(const Dimension& dimension, Config& config,
                     const std::set<std::string>& known) {
  const auto found = std::ranges::find(config.parameters(), dimension.name, &Parameter::name);
  if (found == config.parameters().end()) {
    if (known.contains(dimension.name)) return false;
    throw Error(fmt::format("no model has a parameter '{}'{}", dimension.name,
                            did_you_mean(dimension.name, {known.begin(), known.end()})));
  }
  for (const ParameterValue& value : dimension.values) config.set(dimension.name, value);
  if (!dimension.values.empty()) return true;
  if (std::holds_alternative<std::int64_t>(found->default_value)) {
    if (std::floor(dimension.to) < std::ceil(dimension.from)) {
      throw Error(fmt::format("no integer lies between {} and {} for {}", dimension.from,
                              dimension.to, dimension.name));
    }
    config.set(dimension.name, to_integer(std::ceil(dimension.from)));
    config.set(dimension.name, to_integer(std::floor(dimension.to)));
  } else {
    config.set(dimension.name, dimension.from);
    config.set(dimension.name, dimension.to);
  }
  return true;
}

/// The dimensions, those of the model in place of those with the same name.
std::vector<Dimension> with_own(std::vector<Dimension> dimensions,
                                const std::vector<Dimension>& own) {
  for (const Dimension& dimension : own) {
    const auto found = std::ranges::find(dimensions, dimension.name, &Dimension::name);
    if (found == dimensions.end()) {
      dimensions.push_back(dimension);
    } else {
      *found = dimension;
    }
  }
  return dimensions;
}

std::uint64_t mix(std::uint64_t seed, std::int64_t trial) {
  std::uint64_t z = seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(trial) + 1;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

}  // namespace

std::int64_t SearchSpace::grid_size() const {
  std::int64_t size = 1;
  for (const Dimension& dimension : dimensions) {
    const auto count = std::max<std::int64_t>(1, std::ssize(dimension.values));
    if (__builtin_mul_overflow(size, count, &size)) {
      throw Error("the grid has too many combinations");
    }
  }
  return size;
}

SearchSpace read_space(const std::filesystem::path& path) { return SpaceReader(path).read(); }

SearchSpace space_for_model(const SearchSpace& space, const std::string& model,
                            std::vector<std::string>& left_out, TaskKind task) {
  std::set<std::string> known;
  for (const nn::ModelEntry& entry : nn::model_registry()) {
    for (const Parameter& parameter : entry.parameters) known.insert(parameter.name);
  }
  Config config = default_config(model, task);
  SearchSpace result = space;
  result.dimensions.clear();
  result.of_models.clear();
  const auto own = space.of_models.find(model);
  for (const Dimension& dimension :
       own == space.of_models.end() ? space.dimensions : with_own(space.dimensions, own->second)) {
    try {
      if (check_dimension(dimension, config, known)) {
        result.dimensions.push_back(dimension);
      } else {
        left_out.push_back(dimension.name);
      }
    } catch (const Error& error) {
      if (dimension.where.empty()) throw;
      throw Error(dimension.where + ": " + error.what());
    }
  }
  return result;
}

Config trial_config(const SearchSpace& space, const Config& base, std::uint64_t seed,
                    std::int64_t trial) {
  Config config = base;
  if (space.method == SweepMethod::kGrid) {
    // The last parameter changes fastest.
    for (auto dimension = space.dimensions.rbegin(); dimension != space.dimensions.rend();
         ++dimension) {
      const std::int64_t count = std::ssize(dimension->values);
      config.set(dimension->name, dimension->values[static_cast<std::size_t>(trial % count)]);
      trial /= count;
    }
    return config;
  }
  Random random(mix(seed, trial));
  for (const Dimension& dimension : space.dimensions) {
    config.set(dimension.name, draw(dimension, parameter_of(config, dimension.name), random));
  }
  return config;
}

std::uint64_t trial_seed(std::uint64_t seed, std::int64_t trial) {
  constexpr std::uint64_t kSeeds = 1'000'000'000;  // short enough to type
  return mix(seed ^ 0x5eed, trial) % kSeeds;
}

}  // namespace dsnn
