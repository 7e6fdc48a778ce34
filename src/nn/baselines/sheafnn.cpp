// H(t+1) = relu((I - L) (I (x) B) H(t) W), a sheaf network with a fixed sheaf: L is the normalised
// Laplacian of the sheaf that the graph's weights and signs define, F_h = sqrt|w_e| I on one end of
// an edge and sgn(w_e) F_h on the other, on every stalk dimension. H(0) = X W_0 + b_0; then a
// linear map.
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/layers.h"

#include "nn/sparse_rows.h"

#include <fmt/format.h>

#include <cmath>

namespace dsnn::nn {
namespace {

using namespace engine;

/// I - L = D^-1/2 W D^-1/2 with the signed weights W and the sums D of their absolute values. Rows
/// of nodes without edges are 0.
SparseMatrix signed_adjacency(const Input& input) {
  const DirectedGraph& graph = input.graph().directed();
  std::vector<double> degrees(static_cast<std::size_t>(graph.num_nodes()));
  const auto for_edges = [&](NodeId u, const auto& work) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      // Arcs that cancel each other are no edge.
      if (graph.edge_weight(h) != 0) work(graph.neighbour(h), graph.edge_weight(h));
    }
  };
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for_edges(u, [&](NodeId, double w) { degrees[static_cast<std::size_t>(u)] += std::abs(w); });
  }
  input.complete(degrees);
  SparseRows rows;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for_edges(u, [&](NodeId v, double w) {
      rows.add(v, w / std::sqrt(degrees[static_cast<std::size_t>(u)] *
                                degrees[static_cast<std::size_t>(v)]));
    });
    rows.end_row();
  }
  return scaled(std::move(rows), Scaling::kNone);
}

class SheafNn final : public Model {
 public:
  explicit SheafNn(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")), dim_(setup.config.integer("stalk_dim")) {
    const LayerSizes sizes(setup);
    channels_ = sizes.channels;
    const std::int64_t size = dim_ * channels_;
    input_ = make_linear(weights(), "input", sizes.num_features, size, setup.random);
    for (std::int64_t t = 0; t < sizes.layers; ++t) {
      const std::string name = fmt::format("layer{}", t);
      const Weight left = weights().add(name + ".left", {dim_, dim_}, identity_init(1, dim_));
      const Weight right =
          make_linear(weights(), name, channels_, channels_, setup.random, false).weight;
      layers_.push_back({left, right});
    }
    output_ = make_linear(weights(), "output", size, sizes.num_classes, setup.random);
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const auto& a =
        input.memo<SparseMatrix>("signed adjacency", [&] { return signed_adjacency(input); });
    Dropouts drop(pass);
    Program& program = pass.program;
    const std::int64_t n = input.num_nodes();
    const Value embedded = feature_product(input, pass, input_.weight, drop.next(dropout_));
    Value h = bias_activation(embedded, input_.bias, StalkActivation::kIdentity);
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      const Value x = stalk_linear(program.reshape(h, {1, n, dim_, channels_}), layers_[t].left,
                                   layers_[t].right, drop.next(dropout_));
      const Value y = spmm(program.reshape(x, {n, dim_ * channels_}), a);
      h = bias_activation(y, {}, StalkActivation::kRelu);
      pass.show(fmt::format("layer {}", t + 1), h);
    }
    return output_(drop(h, dropout_));
  }

 private:
  struct Layer {
    Weight left, right;  // B, W
  };
  double dropout_;
  std::int64_t dim_, channels_ = 0;
  Linear input_, output_;
  std::vector<Layer> layers_;
};

}  // namespace

ModelDefinition sheafnn_model() {
  std::vector<Parameter> parameters = common_parameters(2, 32, 0.5);
  parameters.push_back({"stalk_dim", std::int64_t{2}, "Dimension d of the stalks", {}, 1, 64});
  return {{.name = "sheafnn",
           .family = "sheaf",
           .title = "Sheaf network with the fixed sheaf of weights and signs",
           .reference = "Hansen and Gebhart, Sheaf Neural Networks",
           .year = 2020,
           .parameters = parameters},
          maker<SheafNn>()};
}

}  // namespace dsnn::nn
