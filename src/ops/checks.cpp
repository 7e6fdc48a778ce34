#include "ops/checks.h"

#include "dsnn/util/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace dsnn::ops {
namespace {

std::string dtype_text(const at::Tensor& tensor) { return c10::toString(tensor.scalar_type()); }

bool matches(at::IntArrayRef shape, at::IntArrayRef expected) {
  if (shape.size() != expected.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (expected[i] >= 0 && shape[i] != expected[i]) return false;
  }
  return true;
}

}  // namespace

std::string shape_text(at::IntArrayRef shape) {
  std::string text = "[";
  for (const std::int64_t size : shape) {
    if (text.size() > 1) text += ", ";
    text += size < 0 ? "any" : fmt::to_string(size);
  }
  return text + "]";
}

void Checks::fail(std::string_view what) const { throw Error(fmt::format("{}: {}", op_, what)); }

void Checks::dense_on_cpu(std::string_view name, const at::Tensor& tensor) const {
  if (!tensor.defined()) fail(fmt::format("{} is an undefined tensor", name));
  if (!tensor.device().is_cpu()) {
    fail(fmt::format("{} must be on the CPU (got shape {} on {})", name, shape_text(tensor.sizes()),
                     tensor.device().str()));
  }
  if (tensor.layout() != at::kStrided) fail(fmt::format("{} must be a dense tensor", name));
}

void Checks::integers(std::string_view name, const at::Tensor& tensor) const {
  dense_on_cpu(name, tensor);
  if (tensor.scalar_type() != at::kLong) {
    fail(fmt::format("{} must be of dtype Long (got shape {} of {})", name,
                     shape_text(tensor.sizes()), dtype_text(tensor)));
  }
}

void Checks::real(std::string_view name, const at::Tensor& tensor) const {
  dense_on_cpu(name, tensor);
  const at::ScalarType dtype = tensor.scalar_type();
  if (dtype != at::kFloat && dtype != at::kDouble) {
    fail(fmt::format("{} must be of dtype Float or Double (got shape {} of {})", name,
                     shape_text(tensor.sizes()), dtype_text(tensor)));
  }
}

void Checks::like(std::string_view name, const at::Tensor& tensor, std::string_view other_name,
                  const at::Tensor& other) const {
  real(name, tensor);
  if (tensor.scalar_type() != other.scalar_type()) {
    fail(fmt::format("{} must have the dtype of {}, {} (got shape {} of {})", name, other_name,
                     dtype_text(other), shape_text(tensor.sizes()), dtype_text(tensor)));
  }
}

void Checks::shape(std::string_view name, const at::Tensor& tensor,
                   at::IntArrayRef expected) const {
  if (!matches(tensor.sizes(), expected)) {
    fail(fmt::format("{} must have shape {} (got {})", name, shape_text(expected),
                     shape_text(tensor.sizes())));
  }
}

void Checks::planes(std::string_view name, const at::Tensor& tensor, at::IntArrayRef rest) const {
  const at::IntArrayRef sizes = tensor.sizes();
  if (sizes.empty() || sizes[0] < 1 || sizes[0] > 2 || !matches(sizes.slice(1), rest)) {
    fail(fmt::format("{} must have shape [1 or 2, {} (got {})", name, shape_text(rest).substr(1),
                     shape_text(sizes)));
  }
}

}  // namespace dsnn::ops
