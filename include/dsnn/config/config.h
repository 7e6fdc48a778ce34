#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

namespace dsnn {

/// The value of a parameter: a boolean, an integer, a number or a word.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string>;

/// The value as text in a configuration: "true", "3", "0.25", "learn".
DSNN_API std::string to_text(const ParameterValue& value);

/// The role of a parameter, for code outside its model.
enum class ParameterRole {
  kPlain,
  kDropout,    ///< a dropout rate: 0 disables dropout
  kSheafDecay  ///< the weight decay of the sheaf learner
};

/// A parameter of a model or of training. Its type is that of its default.
struct Parameter {
  std::string name;
  ParameterValue default_value;
  std::string help;
  /// For words: the allowed ones. For numbers: words that are allowed instead.
  std::vector<std::string> choices = {};
  double least = -std::numeric_limits<double>::infinity();  ///< for numbers, inclusive
  double most = std::numeric_limits<double>::infinity();
  ParameterRole role = ParameterRole::kPlain;
};

/// Values of a fixed set of parameters.
class DSNN_API Config {
 public:
  Config() = default;
  /// All parameters have their defaults.
  explicit Config(std::vector<Parameter> parameters);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const ParameterValue& value(const std::string& name) const;

  /// Sets a value. Throws Error, with the closest name or word, if the parameter is unknown or the
  /// value has the wrong type, is out of range or is not an allowed word.
  void set(const std::string& name, const ParameterValue& value);
  /// Sets a value from text such as "layers=3".
  void set_text(const std::string& assignment);

  bool flag(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  double number(const std::string& name) const;
  const std::string& word(const std::string& name) const;
  /// Whether a parameter that may be a number or a word is a word.
  bool is_word(const std::string& name) const;
  /// The names of the parameters with a role.
  std::vector<std::string> with_role(ParameterRole role) const;

 private:
  std::size_t index_of(const std::string& name) const;

  std::vector<Parameter> parameters_;
  std::vector<ParameterValue> values_;
};

}  // namespace dsnn
