// H(t+1) = relu(A_F H(t) W || alpha A_in H(t) W || beta A_out H(t) W + b), then a linear map. A_F
// is the symmetrised graph, and the others are second-order proximities, of nodes with the same
// in-neighbours and out-neighbours: A_in_uv = sum_k A_ku A_kv / sum_w A_kw, A_out_uv = sum_k A_uk
// A_vk / sum_w A_wk. Each is scaled as in GCN, with self-loops.
//
// Deviation: the authors' program has one bias for the three parts and dropout only before the last
// map; here each part has a bias, and dropout is also on features. The program of PyTorch Geometric
// Signed Directed exchanges the two denominators; these are the paper's.
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/layers.h"

#include "nn/sparse_rows.h"

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

using namespace engine;

/// D^-1/2 (S + I) D^-1/2 with S = A R^-1 A^T, R the diagonal matrix of the sums of columns of A.
SparseMatrix shared_neighbours(const SparseRows& a) {
  const SparseRows back = transposed(a);
  const SparseRows proximity = product(a, SparseRows(scaled(back, Scaling::kRows)));
  SparseRows with_loops;
  for (std::int64_t u = 0; u < proximity.num_rows(); ++u) {
    with_loops.add(static_cast<std::int32_t>(u), 1);
    proximity.for_row(u, [&](std::int32_t v, double value) { with_loops.add(v, value); });
    with_loops.end_row();
  }
  return scaled(std::move(with_loops), Scaling::kSymmetric);
}

struct Proximities {
  SparseMatrix in, out;
};

Proximities proximities(const Input& input) {
  const SparseRows arcs(adjacency(input, {Neighbours::kOut, false, Scaling::kNone}));
  return {shared_neighbours(transposed(arcs)), shared_neighbours(arcs)};
}

class Dgcn final : public Model {
 public:
  explicit Dgcn(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")),
        alpha_(setup.config.number("alpha")),
        beta_(setup.config.number("beta")) {
    const LayerSizes sizes(setup);
    for (std::int64_t t = 0; t < sizes.layers; ++t) {
      const std::string name = fmt::format("layer{}", t);
      const std::int64_t inputs = t == 0 ? sizes.num_features : 3 * sizes.channels;
      layers_.push_back(make_linear(weights(), name, inputs, sizes.channels, setup.random, false));
      layers_.back().bias =
          weights().add(name + ".bias", {3 * sizes.channels}, zero_init(3 * sizes.channels));
    }
    output_ = make_linear(weights(), "output", 3 * sizes.channels, sizes.num_classes, setup.random);
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const SparseMatrix& first = adjacency(input, {Neighbours::kAll, true, Scaling::kSymmetric});
    const auto& second = input.memo<Proximities>("dgcn", [&] { return proximities(input); });
    Dropouts drop(pass);
    LayerInput h(input, pass, drop.next(dropout_));
    Value next;
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      const Value x = h.times(layers_[t].weight);
      const Value around = spmm(x, first);
      const Value in = alpha_ * spmm(x, second.in);
      const Value out = beta_ * spmm(x, second.out);
      next = bias_activation(concat({around, in, out}), layers_[t].bias, StalkActivation::kRelu,
                             drop.next(dropout_));
      pass.show(fmt::format("layer {}", t + 1), next);
      h = LayerInput(next);
    }
    return output_(next);
  }

 private:
  double dropout_, alpha_, beta_;
  std::vector<Linear> layers_;
  Linear output_;
};

}  // namespace

ModelDefinition dgcn_model() {
  std::vector<Parameter> parameters = common_parameters(2, 64, 0.5);
  describe(parameters, "channels", "Hidden channels of each proximity");
  parameters.push_back(
      {"alpha", 1.0, "Weight of the nodes with the same in-neighbours", {}, 0, 100});
  parameters.push_back(
      {"beta", 1.0, "Weight of the nodes with the same out-neighbours", {}, 0, 100});
  return {{.name = "dgcn",
           .family = "directed",
           .title = "DGCN: first-order and second-order proximities",
           .reference = "Tong et al., Directed Graph Convolutional Network",
           .year = 2020,
           .uses_direction = true,
           .parameters = parameters,
           .needs_whole_graph = "it sums over nodes that share a neighbour"},
          maker<Dgcn>()};
}

}  // namespace dsnn::nn
