#pragma once

#include "dsnn/sheaf/laplacian.h"

#include "support/random_sheaves.h"
#include "torch/gradient_check.h"
#include "torch/torch_operators.h"
#include "util/index.h"

#include <ATen/ATen.h>

#include <limits>
#include <vector>

namespace dsnn::testing {

inline const std::vector<Normalisation>& all_normalisations() {
  static const std::vector<Normalisation> all = {Normalisation::kNone, Normalisation::kExact,
                                                 Normalisation::kAugmented, Normalisation::kDegree};
  return all;
}

/// A sheaf for the reference implementation and for the operator, from the same values.
struct DiffusionCase {
  DirectedGraph graph;
  SheafOptions options;
  at::Tensor maps;     // double
  at::Tensor weights;  // double, or undefined
  at::Tensor charge;   // double, or undefined
  at::Tensor x;        // double

  bool is_complex() const { return options.field == MapField::kComplex; }
  ops::DiffusionOptions diffusion_options(Normalisation normalisation) const {
    return {options.family, normalisation, options.fixed};
  }

  /// The largest condition number of a block of D, without zero eigenvalues. S = D^{-1/2} is a
  /// function of D, which both sides form in double: where D has condition k, they agree to k
  /// epsilon and no better.
  double condition() const {
    at::Tensor f = maps.to(at::kComplexDouble);
    if (is_complex()) f = at::complex(maps[0].contiguous(), maps[1].contiguous());
    if (options.family == MapFamily::kDiagonal) f = at::diag_embed(f);
    if (graph.num_half_edges() == 0) return 1;
    std::vector<std::int64_t> owners;
    for (const NodeId owner : graph.owners()) owners.push_back(owner);
    const std::int64_t d = f.size(-1);
    const at::Tensor blocks =
        at::zeros({graph.num_nodes(), d, d}, at::kComplexDouble)
            .index_add(0, at::tensor(owners, at::kLong), f.conj().transpose(1, 2).matmul(f));
    const at::Tensor l = at::linalg_eigvalsh(blocks);
    const at::Tensor top = std::get<0>(l.max(1, true));
    const at::Tensor is_zero = l <= 100 * std::numeric_limits<double>::epsilon() * top;
    return at::where(is_zero, at::ones_like(l), top / l).max().item<double>();
  }

  at::Tensor apply(Normalisation normalisation, at::ScalarType dtype = at::kDouble) const {
    const auto cast = [&](const at::Tensor& t) { return t.defined() ? t.to(dtype) : t; };
    return ops::sheaf_diffusion(cast(x), cast(maps), cast(weights), cast(charge), ops::Graph(graph),
                                diffusion_options(normalisation));
  }

  /// The result of the reference implementation, with rounded inputs: complex doubles, one block at
  /// a time.
  at::Tensor reference(Normalisation normalisation, at::ScalarType dtype = at::kDouble) const {
    const auto rounded = [&](const at::Tensor& t) {
      return t.to(dtype).to(at::kDouble).contiguous();
    };
    // Orthogonal to single precision is not orthogonal to the reference: that family's maps stay.
    const bool is_orthogonal = options.family == MapFamily::kOrthogonal;
    const at::Tensor f = is_orthogonal ? maps.contiguous() : rounded(maps);
    const std::int64_t count = f.numel() / (is_complex() ? 2 : 1);
    std::vector<Complex> values(at(count));
    for (std::int64_t i = 0; i < count; ++i) {
      values[at(i)] = {f.data_ptr<double>()[i],
                       is_complex() ? f.data_ptr<double>()[count + i] : 0.0};
    }
    std::vector<double> edge_weights;
    if (weights.defined()) {
      const at::Tensor w = rounded(weights);
      edge_weights.assign(w.data_ptr<double>(), w.data_ptr<double>() + w.numel());
    }
    SheafOptions exact = options;
    if (charge.defined()) exact.charge = rounded(charge).item<double>();
    const Sheaf sheaf = Sheaf::from_maps(graph, exact, values, edge_weights);
    const at::Tensor features = rounded(x);
    const std::int64_t planes = x.size(0);
    const std::int64_t size = features.numel() / planes;
    std::vector<Complex> in(at(size));
    for (std::int64_t i = 0; i < size; ++i) {
      in[at(i)] = {features.data_ptr<double>()[i],
                   planes == 2 ? features.data_ptr<double>()[size + i] : 0.0};
    }
    const std::vector<Complex> out = LaplacianOperator(sheaf, normalisation).apply(in, x.size(3));
    at::Tensor y = at::empty(x.sizes(), at::kDouble);
    for (std::int64_t i = 0; i < size; ++i) {
      y.data_ptr<double>()[i] = out[at(i)].real();
      if (planes == 2) y.data_ptr<double>()[size + i] = out[at(i)].imag();
    }
    return y;
  }
};

/// Random maps, weights (if asked for), charge and features for a graph.
inline DiffusionCase make_diffusion_case(const DirectedGraph& graph, const SheafOptions& options,
                                         std::int64_t planes, std::int64_t channels,
                                         bool has_weights, std::uint64_t seed) {
  DiffusionCase c;
  c.graph = graph;
  c.options = options;
  const std::int64_t d = options.stalk_dim;
  const std::int64_t count = graph.num_half_edges();
  const bool is_complex = options.field == MapField::kComplex;
  // The orthogonal factor of a random matrix, from dsnn::core, without the graph's weights.
  std::vector<Arc> arcs;
  const std::vector<NodeId> owners = graph.owners();
  for (HalfEdgeId h = 0; h < count; ++h) arcs.push_back({owners[at(h)], graph.neighbour(h)});
  const DirectedGraph plain = DirectedGraph::from_arcs(graph.num_nodes(), arcs);
  SheafOptions bare = options;
  bare.fixed = {};
  const Sheaf sheaf = random_sheaf(plain, bare, seed);
  const bool is_diagonal = options.family == MapFamily::kDiagonal;
  const std::int64_t size = is_diagonal ? d : d * d;
  c.maps = at::empty({is_complex ? 2 : 1, count, size}, at::kDouble);
  auto* data = c.maps.data_ptr<double>();
  for (HalfEdgeId h = 0; h < count; ++h) {
    for (std::int64_t i = 0; i < size; ++i) {
      const Complex value = is_diagonal
                                ? sheaf.map(h)(static_cast<int>(i), static_cast<int>(i))
                                : sheaf.map(h)(static_cast<int>(i / d), static_cast<int>(i % d));
      data[h * size + i] = value.real();
      if (is_complex) data[(count + h) * size + i] = value.imag();
    }
  }
  std::vector<std::int64_t> shape = {count, d};
  if (!is_diagonal) shape.push_back(d);
  if (is_complex) shape.insert(shape.begin(), 2);
  c.maps = c.maps.view(shape);
  if (has_weights) {
    c.weights = at::empty({count}, at::kDouble);
    const at::Tensor random = random_tensor({count}, seed + 1);
    for (HalfEdgeId h = 0; h < count; ++h) {
      const HalfEdgeId one = std::min(h, graph.reverse(h));
      c.weights.data_ptr<double>()[h] = 1.5 + random.data_ptr<double>()[one];
    }
  }
  if (options.field == MapField::kPhase) c.charge = at::full({}, options.charge, at::kDouble);
  c.x = random_tensor({planes, graph.num_nodes(), d + options.fixed.count(), channels}, seed + 2);
  return c;
}

}  // namespace dsnn::testing
