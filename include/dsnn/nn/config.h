#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace dsnn {

/// The value of a parameter: a switch, a whole number, a number or a word.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// "true", "3", "0.25", "learn": as it stands in a configuration.
DSNN_API std::string to_text(const Value& value);

/// A parameter of a model or of its training. Its kind is that of its default.
struct Parameter {
  std::string name;
  Value default_value;
  std::string help;
  /// For words: those that are allowed. For a number: words that may stand in its place.
  std::vector<std::string> choices = {};
  double least = -std::numeric_limits<double>::infinity();  ///< for numbers, inclusive
  double most = std::numeric_limits<double>::infinity();
};

/// Values of a fixed set of parameters.
class DSNN_API Config {
 public:
  Config() = default;
  /// All have their default.
  explicit Config(std::vector<Parameter> parameters);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Value& value(const std::string& name) const;

  /// Sets a value. Throws Error if there is no such parameter, with the nearest name, or if the
  /// value is of another kind, out of range or no allowed word, with the nearest word.
  void set(const std::string& name, const Value& value);
  /// The same from text: "layers=3".
  void set_text(const std::string& assignment);

  bool flag(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  double number(const std::string& name) const;
  const std::string& word(const std::string& name) const;
  /// Whether a parameter that may be a number or a word is a word.
  bool is_word(const std::string& name) const;

 private:
  std::size_t index_of(const std::string& name) const;

  std::vector<Parameter> parameters_;
  std::vector<Value> values_;
};

}  // namespace dsnn
