#include "ops/sheaf_arguments.h"

#include "ops/options.h"

#include <ATen/ATen.h>

#include <fmt/format.h>

#include <cmath>

namespace dsnn::ops {
namespace {

std::string_view view(c10::string_view text) { return {text.data(), text.size()}; }

}  // namespace

DiffusionOptions diffusion_options(const Checks& checks, c10::string_view family,
                                   c10::string_view normalisation_name, bool low_pass,
                                   bool high_pass) {
  return {map_family(checks, view(family)),
          normalisation(checks, view(normalisation_name)),
          {.low_pass = low_pass, .high_pass = high_pass}};
}

MapsShape check_maps(const Checks& checks, const at::Tensor& maps, const at::Tensor& edge_weights,
                     const GraphHolder& graph, MapFamily family) {
  checks.real("maps", maps);
  const std::int64_t rank = family == MapFamily::kDiagonal ? 2 : 3;
  const std::int64_t count = graph.num_half_edges();
  const bool is_complex = maps.dim() == rank + 1;
  const std::int64_t d = maps.dim() >= rank ? maps.size(-1) : -1;
  std::vector<std::int64_t> expected = {count, d};
  if (rank == 3) expected.push_back(d);
  if (is_complex) expected.insert(expected.begin(), 2);
  if (maps.sizes() != at::IntArrayRef(expected) || d < 1) {
    const std::string_view dims = rank == 2 ? "d" : "d, d";
    checks.fail(
        fmt::format("maps must have shape [{0}, {1}], or [2, {0}, {1}] if complex (got {2})", count,
                    dims, shape_text(maps.sizes())));
  }
  if (edge_weights.defined()) {
    checks.like("edge_weights", edge_weights, "maps", maps);
    checks.shape("edge_weights", edge_weights, {count});
  }
  return {is_complex, d};
}

void check_features(const Checks& checks, const at::Tensor& x, const at::Tensor& charge,
                    std::string_view maps_name, const at::Tensor& maps, bool is_complex,
                    std::int64_t dim, const GraphHolder& graph) {
  checks.like("x", x, maps_name, maps);
  checks.shape("x", x, {-1, graph.num_nodes(), dim, -1});
  const std::int64_t planes = x.size(0);
  if (planes != 1 && planes != 2) {
    checks.fail(
        fmt::format("x must have 1 or 2 planes in front (got shape {})", shape_text(x.sizes())));
  }
  if (is_complex && planes != 2) {
    checks.fail(fmt::format("x must have 2 planes, as {} is complex (got shape {})", maps_name,
                            shape_text(x.sizes())));
  }
  if (!charge.defined()) return;
  checks.real("charge", charge);
  if (charge.numel() != 1) {
    checks.fail(
        fmt::format("charge must be one number (got shape {})", shape_text(charge.sizes())));
  }
  if (is_complex) checks.fail(fmt::format("charge must be left out, as {} is complex", maps_name));
  if (planes != 2) {
    checks.fail(fmt::format("x must have 2 planes, as there is a charge (got shape {})",
                            shape_text(x.sizes())));
  }
  if (!std::isfinite(charge_value(charge))) {
    checks.fail(fmt::format("charge must be finite (got {})", charge_value(charge)));
  }
}

double charge_value(const at::Tensor& charge) {
  return charge.defined() ? charge.item<double>() : 0.0;
}

}  // namespace dsnn::ops
