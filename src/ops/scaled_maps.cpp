#include "kernels/scaled_maps.h"

#include "dsnn/ops/sheaf_diffusion.h"

#include "ops/autograd.h"
#include "ops/checks.h"
#include "ops/options.h"
#include "ops/sheaf_arguments.h"
#include "ops/torch_executor.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/autograd/custom_function.h>

#include <string>
#include <tuple>
#include <vector>

namespace dsnn::ops {
namespace {

using TwoTensors = std::tuple<at::Tensor, at::Tensor>;
using FourTensors = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor>;

template <class T>
kernels::SheafMaps<T> sheaf_maps_of(const GraphHolder& graph, const DiffusionOptions& options,
                                    const MapsShape& shape, const at::Tensor& maps,
                                    const at::Tensor& edge_weights) {
  const std::vector<double>& scales = graph.graph.map_scales();
  kernels::SheafMaps<T> sheaf;
  sheaf.graph = graph.half_edges();
  sheaf.family = options.family;
  sheaf.is_complex = shape.is_complex;
  sheaf.normalisation = options.normalisation;
  sheaf.fixed = options.fixed;
  sheaf.dim = shape.dim;
  sheaf.graph_scales = scales.empty() ? nullptr : scales.data();
  sheaf.maps = maps.data_ptr<T>();
  sheaf.weights = edge_weights.defined() ? edge_weights.data_ptr<T>() : nullptr;
  return sheaf;
}

/// [planes, rows, d, d], without what does not apply.
std::vector<std::int64_t> block_shape(bool has_planes, std::int64_t rows, std::int64_t d,
                                      bool is_diagonal) {
  std::vector<std::int64_t> shape = {rows, d};
  if (!is_diagonal) shape.push_back(d);
  if (has_planes) shape.insert(shape.begin(), 2);
  return shape;
}

at::Tensor contiguous(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.contiguous() : tensor;
}

FourTensors forward(const at::Tensor& maps, const MaybeTensor& edge_weights, const GraphPtr& graph,
                    c10::string_view family, c10::string_view normalisation, bool low_pass,
                    bool high_pass) {
  const Checks checks("scaled_maps");
  const DiffusionOptions options =
      diffusion_options(checks, family, normalisation, low_pass, high_pass);
  const MapsShape shape =
      check_maps(checks, maps, or_undefined(edge_weights), *graph, options.family);
  const at::Tensor f = maps.contiguous();
  const at::Tensor w = contiguous(or_undefined(edge_weights));
  at::Tensor scaled, diagonal, eigenvalues, eigenvectors;
  AT_DISPATCH_FLOATING_TYPES(maps.scalar_type(), "scaled_maps", [&] {
    const auto sheaf = sheaf_maps_of<scalar_t>(*graph, options, shape, f, w);
    const bool is_diagonal = sheaf.is_diagonal();
    const std::int64_t d = sheaf.full_dim();
    const std::int64_t n = graph->num_nodes();
    const std::int64_t k = sheaf.num_eigenvalues();
    scaled = at::empty(block_shape(shape.is_complex, graph->num_half_edges(), d, is_diagonal),
                       maps.options());
    diagonal =
        at::empty(block_shape(shape.is_complex && !is_diagonal, n, d, is_diagonal), maps.options());
    eigenvalues = at::empty({n, k}, maps.options());
    eigenvectors = at::empty({sheaf.has_eigenvectors() ? n : 0, k, k}, maps.options());
    kernels::scale_maps(torch_executor(), sheaf, scaled.data_ptr<scalar_t>(),
                        diagonal.data_ptr<scalar_t>(), eigenvalues.data_ptr<scalar_t>(),
                        eigenvectors.data_ptr<scalar_t>());
  });
  return {scaled, diagonal, eigenvalues, eigenvectors};
}

TwoTensors backward(const at::Tensor& maps, const MaybeTensor& edge_weights,
                    const at::Tensor& eigenvalues, const at::Tensor& eigenvectors,
                    const at::Tensor& grad_scaled, const at::Tensor& grad_diagonal,
                    const GraphPtr& graph, c10::string_view family, c10::string_view normalisation,
                    bool low_pass, bool high_pass) {
  const Checks checks("scaled_maps_backward");
  const DiffusionOptions options =
      diffusion_options(checks, family, normalisation, low_pass, high_pass);
  const MapsShape shape =
      check_maps(checks, maps, or_undefined(edge_weights), *graph, options.family);
  const at::Tensor f = maps.contiguous();
  const at::Tensor w = contiguous(or_undefined(edge_weights));
  at::Tensor grad_maps = at::empty_like(f);
  at::Tensor grad_weights = w.defined() ? at::empty_like(w) : at::Tensor();
  AT_DISPATCH_FLOATING_TYPES(maps.scalar_type(), "scaled_maps_backward", [&] {
    const auto sheaf = sheaf_maps_of<scalar_t>(*graph, options, shape, f, w);
    const bool is_diagonal = sheaf.is_diagonal();
    const std::int64_t d = sheaf.full_dim();
    const std::int64_t n = graph->num_nodes();
    const std::int64_t k = sheaf.num_eigenvalues();
    checks.like("grad_scaled", grad_scaled, "maps", maps);
    checks.shape("grad_scaled", grad_scaled,
                 block_shape(shape.is_complex, graph->num_half_edges(), d, is_diagonal));
    checks.like("grad_diagonal", grad_diagonal, "maps", maps);
    checks.shape("grad_diagonal", grad_diagonal,
                 block_shape(shape.is_complex && !is_diagonal, n, d, is_diagonal));
    checks.like("eigenvalues", eigenvalues, "maps", maps);
    checks.shape("eigenvalues", eigenvalues, {n, k});
    checks.like("eigenvectors", eigenvectors, "maps", maps);
    checks.shape("eigenvectors", eigenvectors, {sheaf.has_eigenvectors() ? n : 0, k, k});
    const at::Tensor gs = grad_scaled.contiguous();
    const at::Tensor gd = grad_diagonal.contiguous();
    const at::Tensor values = eigenvalues.contiguous();
    const at::Tensor vectors = eigenvectors.contiguous();
    kernels::scale_maps_backward(torch_executor(), sheaf, values.data_ptr<scalar_t>(),
                                 vectors.data_ptr<scalar_t>(), gs.data_ptr<scalar_t>(),
                                 gd.data_ptr<scalar_t>(), grad_maps.data_ptr<scalar_t>(),
                                 w.defined() ? grad_weights.data_ptr<scalar_t>() : nullptr);
  });
  return {grad_maps, grad_weights};
}

TwoTensors without_autograd(const at::Tensor& maps, const MaybeTensor& edge_weights,
                            const GraphPtr& graph, c10::string_view family,
                            c10::string_view normalisation, bool low_pass, bool high_pass) {
  auto result = forward(maps, edge_weights, graph, family, normalisation, low_pass, high_pass);
  return {std::get<0>(result), std::get<1>(result)};
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Keeps the maps and D's eigenvalues (and eigenvectors, of general maps): S is cheaper to make
/// again than to read.
class ScaledMapsFunction : public torch::autograd::Function<ScaledMapsFunction> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& maps,
                               const MaybeTensor& edge_weights, const GraphPtr& graph,
                               const std::string& family, const std::string& normalisation,
                               bool low_pass, bool high_pass) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    auto [scaled, diagonal, eigenvalues, eigenvectors] =
        call_op<decltype(ops::forward)>("dsnn::scaled_maps_forward", maps, edge_weights, graph,
                                        family, normalisation, low_pass, high_pass);
    context->save_for_backward({maps, or_undefined(edge_weights), eigenvalues, eigenvectors});
    context->saved_data["graph"] = graph;
    context->saved_data["family"] = family;
    context->saved_data["normalisation"] = normalisation;
    context->saved_data["low_pass"] = low_pass;
    context->saved_data["high_pass"] = high_pass;
    return {scaled, diagonal};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    auto& data = context->saved_data;
    const variable_list saved = context->get_saved_variables();
    const auto [grad_maps, grad_weights] = call_op<decltype(ops::backward)>(
        "dsnn::scaled_maps_backward", saved[0], maybe(saved[1]), saved[2], saved[3], grads[0],
        grads[1], data["graph"].toCustomClass<GraphHolder>(), data["family"].toStringRef(),
        data["normalisation"].toStringRef(), data["low_pass"].toBool(), data["high_pass"].toBool());
    return {grad_maps,    grad_weights, at::Tensor(), at::Tensor(),
            at::Tensor(), at::Tensor(), at::Tensor()};
  }
};

TwoTensors with_autograd(const at::Tensor& maps, const MaybeTensor& edge_weights,
                         const GraphPtr& graph, c10::string_view family,
                         c10::string_view normalisation, bool low_pass, bool high_pass) {
  const variable_list result = ScaledMapsFunction::apply(
      maps, edge_weights, graph, std::string(family.data(), family.size()),
      std::string(normalisation.data(), normalisation.size()), low_pass, high_pass);
  return {result[0], result[1]};
}

TORCH_LIBRARY_IMPL(dsnn, CompositeExplicitAutograd, m) {
  m.impl("scaled_maps", without_autograd);
  m.impl("scaled_maps_forward", forward);
  m.impl("scaled_maps_backward", backward);
}

TORCH_LIBRARY_IMPL(dsnn, Autograd, m) {
  m.impl("scaled_maps", with_autograd);
  m.impl("scaled_maps_backward",
         torch::CppFunction::makeFromBoxedFunction<&refuse_double_backward>());
}

}  // namespace

std::pair<at::Tensor, at::Tensor> scaled_maps(const at::Tensor& maps,
                                              const at::Tensor& edge_weights, const Graph& graph,
                                              const DiffusionOptions& options) {
  auto [scaled, diagonal] = call_op<decltype(without_autograd)>(
      "dsnn::scaled_maps", maps, maybe(edge_weights), c10::make_intrusive<GraphHolder>(graph),
      std::string(name_of(options.family)), std::string(name_of(options.normalisation)),
      options.fixed.low_pass, options.fixed.high_pass);
  return {scaled, diagonal};
}

}  // namespace dsnn::ops
