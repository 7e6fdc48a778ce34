#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace dsnn {

/// The value of a parameter: a switch, a whole number, a number or a word.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

/// "true", "3", "0.25", "learn": as it stands in a configuration.
DSNN_API std::string to_text(const ParameterValue& value);

/// What a parameter does that others than its model need to know.
enum class ParameterRole {
  kPlain,
  kDropout,    ///< a rate of dropout: 0 leaves nothing out
  kSheafDecay  ///< the weight decay of what learns a sheaf
};

/// A parameter of a model or of its training. Its kind is that of its default.
struct Parameter {
  std::string name;
  ParameterValue default_value;
  std::string help;
  /// For words: those that are allowed. For a number: words that may stand in its place.
  std::vector<std::string> choices = {};
  double least = -std::numeric_limits<double>::infinity();  ///< for numbers, inclusive
  double most = std::numeric_limits<double>::infinity();
  ParameterRole role = ParameterRole::kPlain;
};

/// Values of a fixed set of parameters.
class DSNN_API Config {
 public:
  Config() = default;
  /// All have their default.
  explicit Config(std::vector<Parameter> parameters);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const ParameterValue& value(const std::string& name) const;

  /// Sets a value. Throws Error if there is no such parameter, with the nearest name, or if the
  /// value is of another kind, out of range or no allowed word, with the nearest word.
  void set(const std::string& name, const ParameterValue& value);
  /// The same from text: "layers=3".
  void set_text(const std::string& assignment);

  bool flag(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  double number(const std::string& name) const;
  const std::string& word(const std::string& name) const;
  /// Whether a parameter that may be a number or a word is a word.
  bool is_word(const std::string& name) const;
  /// The parameters of a role.
  std::vector<std::string> with_role(ParameterRole role) const;

 private:
  std::size_t index_of(const std::string& name) const;

  std::vector<Parameter> parameters_;
  std::vector<ParameterValue> values_;
};

}  // namespace dsnn
