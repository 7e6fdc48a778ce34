#pragma once

#include "dsnn/ops/sheaf_diffusion.h"

#include "ops/checks.h"
#include "ops/graph_holder.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace dsnn::ops {

using MaybeTensor = c10::optional<at::Tensor>;

/// The options of a diffusion as the dispatcher carries them.
DiffusionOptions diffusion_options(const Checks& checks, c10::string_view family,
                                   c10::string_view normalisation, bool low_pass, bool high_pass);

/// The tensor, or an undefined one.
inline at::Tensor or_undefined(const MaybeTensor& tensor) { return tensor.value_or(at::Tensor()); }

inline MaybeTensor maybe(const at::Tensor& tensor) {
  return tensor.defined() ? MaybeTensor(tensor) : c10::nullopt;
}

struct MapsShape {
  bool is_complex = false;
  std::int64_t dim = 0;  // d, without fixed dimensions
};

/// Maps of shape [2m, d] or [2m, d, d], with a plane in front if complex, and weights [2m] or none.
MapsShape check_maps(const Checks& checks, const at::Tensor& maps, const at::Tensor& edge_weights,
                     const GraphHolder& graph, MapFamily family);

/// Features [P, n, dim, f] that go with these maps, and a charge that goes with both.
void check_features(const Checks& checks, const at::Tensor& x, const at::Tensor& charge,
                    std::string_view maps_name, const at::Tensor& maps, bool is_complex,
                    std::int64_t dim, const GraphHolder& graph);

/// q, 0 if undefined.
double charge_value(const at::Tensor& charge);

}  // namespace dsnn::ops
