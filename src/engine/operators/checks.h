#pragma once

#include "dsnn/engine/shape.h"
#include "dsnn/util/error.h"

#include <fmt/format.h>

#include <string_view>

namespace dsnn::engine {

/// Checks of an operator's arguments. The Error names the operator, the argument, the received and
/// the expected shape: "sheaf_maps: left must have shape [5, 3] (got [5, 4])".
class Checks {
 public:
  Checks(std::string_view op, const Shapes& shapes) : op_(op), shapes_(shapes) {}

  /// The argument's shape; it must not be omitted.
  const Shape& there(std::size_t i, std::string_view name) const {
    if (!shapes_.has(i)) fail(fmt::format("{} is missing", name));
    return shapes_[i];
  }
  /// Exactly this shape; -1 stands for any size.
  const Shape& shape(std::size_t i, std::string_view name, const Shape& expected) const {
    const Shape& got = there(i, name);
    bool fits = got.size() == expected.size();
    for (std::size_t axis = 0; fits && axis < got.size(); ++axis) {
      fits = expected[axis] < 0 || got[axis] == expected[axis];
    }
    if (!fits) {
      fail(fmt::format("{} must have shape {} (got {})", name, shape_text(expected),
                       shape_text(got)));
    }
    return got;
  }
  /// [planes, rest...], with 1 plane or 2.
  const Shape& planes(std::size_t i, std::string_view name, Shape rest) const {
    const Shape& got = there(i, name);
    if (got.empty() || got[0] < 1 || got[0] > 2) {
      fail(fmt::format("{} must have shape [1 or 2, {} (got {})", name, shape_text(rest).substr(1),
                       shape_text(got)));
    }
    rest.insert(rest.begin(), got[0]);
    return shape(i, name, rest);
  }
  /// Throws "op: what".
  [[noreturn]] void fail(std::string_view what) const {
    throw Error(fmt::format("{}: {}", op_, what));
  }

 private:
  std::string_view op_;
  const Shapes& shapes_;
};

}  // namespace dsnn::engine
