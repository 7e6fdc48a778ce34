#include "dsnn/engine/shape.h"

#include <fmt/format.h>

namespace dsnn::engine {

std::int64_t num_numbers(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += size < 0 ? "any" : fmt::to_string(size);
  }
  return text + "]";
}

}  // namespace dsnn::engine
