#pragma once

#include "dsnn/export.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace dsnn::engine {

/// Sizes of a dense row-major tensor, outermost first. {} is a scalar.
using Shape = std::vector<std::int64_t>;

/// The number of elements of a tensor of this shape.
DSNN_API std::int64_t num_numbers(const Shape& shape);
/// "[5, 4]"; a negative size is shown as any.
DSNN_API std::string shape_text(const Shape& shape);

/// The shapes of an operator's arguments, some of which may be omitted, or of its results.
class Shapes {
 public:
  Shapes() = default;
  Shapes(std::initializer_list<Shape> shapes) : shapes_(shapes.begin(), shapes.end()) {}

  std::size_t size() const { return shapes_.size(); }
  bool has(std::size_t i) const { return i < shapes_.size() && shapes_[i].has_value(); }
  const Shape& operator[](std::size_t i) const { return *shapes_[i]; }
  void add(std::optional<Shape> shape) { shapes_.push_back(std::move(shape)); }

 private:
  std::vector<std::optional<Shape>> shapes_;
};

}  // namespace dsnn::engine
