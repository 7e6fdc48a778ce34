#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>

namespace dsnn::ops {

/// What operators ask of their arguments. A mistake is an Error that names the operator, the
/// argument, what it got and what it wanted: "sheaf_maps: left must have shape [5, 3] (got [5,
/// 4])".
class Checks {
 public:
  explicit Checks(std::string_view op) : op_(op) {}

  /// A dense tensor of floats or doubles on the CPU.
  void real(std::string_view name, const at::Tensor& tensor) const;
  /// A dense tensor of int64 on the CPU.
  void integers(std::string_view name, const at::Tensor& tensor) const;
  /// Real, with the dtype of another argument.
  void like(std::string_view name, const at::Tensor& tensor, std::string_view other_name,
            const at::Tensor& other) const;
  /// Exactly this shape; -1 stands for any size.
  void shape(std::string_view name, const at::Tensor& tensor, at::IntArrayRef expected) const;
  /// [planes, rest...], with 1 plane or 2.
  void planes(std::string_view name, const at::Tensor& tensor, at::IntArrayRef rest) const;
  /// Throws "op: what".
  [[noreturn]] void fail(std::string_view what) const;

 private:
  void dense_on_cpu(std::string_view name, const at::Tensor& tensor) const;

  std::string_view op_;
};

/// "[5, 4]"
std::string shape_text(at::IntArrayRef shape);

}  // namespace dsnn::ops
