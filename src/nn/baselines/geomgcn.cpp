// H(t+1) = relu(||_{i,r} E_ir H(t) W(t) + b(t)): a node aggregates its neighbours in the graph (i =
// 1) and in the plane (i = 2), separately for each quadrant r of the plane relative to the node
// [eq:latent-neighbourhood], [eq:latent-relation]. E_ir sums v / sqrt(d_u d_v) over them, with
// degrees d of the graph with self-loops. The last layer uses the mean of the E_ir instead of their
// concatenation, and no relu.
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/layers.h"
#include "dsnn/util/error.h"

#include "graph/latent_space.h"

#include <fmt/format.h>

#include <cmath>

namespace dsnn::nn {
namespace {

using namespace engine;

constexpr std::int64_t kParts = 8;  // two neighbourhoods, four quadrants each

struct GeomMatrices {
  SparseMatrix parts;  ///< [n, n kParts]: entry (u, v kParts + part)
  SparseMatrix mean;   ///< [n, n]
};

GeomMatrices make_matrices(const DirectedGraph& graph, NodeId num_landmarks) {
  constexpr NodeId kMostNodes = 1 << 28;  // so that column indices fit into 32 bits
  if (graph.num_nodes() >= kMostNodes) {
    throw Error(
        fmt::format("geomgcn: {} nodes, expected fewer than {}", graph.num_nodes(), kMostNodes));
  }
  const LatentSpace space = isomap(graph, {.num_landmarks = num_landmarks});
  const NeighbourLists latent = latent_neighbourhood(space, graph.num_edges());
  const NodeId n = graph.num_nodes();
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> part_cols, cols;
  std::vector<double> values, shares;
  for (NodeId u = 0; u < n; ++u) {
    const auto add = [&](NodeId v, std::int64_t neighbourhood) {
      const auto part = 4 * neighbourhood + static_cast<std::int64_t>(quadrant(space, u, v));
      part_cols.push_back(static_cast<std::int32_t>(v * kParts + part));
      cols.push_back(v);
      values.push_back(1 / std::sqrt((graph.degree(u) + 1.0) * (graph.degree(v) + 1.0)));
      shares.push_back(values.back() / kParts);
    };
    add(u, 0);
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) add(graph.neighbour(h), 0);
    const auto row = static_cast<std::size_t>(u);
    for (std::int64_t i = latent.row_offsets[row]; i < latent.row_offsets[row + 1]; ++i) {
      add(latent.neighbours[static_cast<std::size_t>(i)], 1);
    }
    offsets.push_back(std::ssize(cols));
  }
  return {SparseMatrix(offsets, part_cols, values, n * kParts),
          SparseMatrix(offsets, cols, shares, n)};
}

class GeomGcn final : public Model {
 public:
  explicit GeomGcn(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")),
        num_landmarks_(static_cast<NodeId>(setup.config.integer("landmarks"))) {
    const LayerSizes sizes(setup);
    for (std::int64_t t = 0; t < sizes.layers; ++t) {
      const bool is_last = t + 1 == sizes.layers;
      const std::string name = fmt::format("layer{}", t);
      // The parts of a node are concatenated: [inputs, parts, outputs].
      maps_.push_back(make_linear(weights(), name, sizes.inputs(t),
                                  (is_last ? 1 : kParts) * sizes.outputs(t), setup.random, false)
                          .weight);
      biases_.push_back(
          weights().add(name + ".bias", {sizes.outputs(t)}, zero_init(sizes.outputs(t))));
    }
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const auto& matrices = input.memo<GeomMatrices>(fmt::format("geomgcn {}", num_landmarks_), [&] {
      return make_matrices(input.graph().directed(), num_landmarks_);
    });
    Dropouts drop(pass);
    LayerInput h(input, pass, drop.next(dropout_));
    Value next;
    for (std::size_t t = 0; t < maps_.size(); ++t) {
      const bool is_last = t + 1 == maps_.size();
      const Value x = h.times(maps_[t]);
      next = is_last ? spmm(x, matrices.mean) : spmm(by_part(x), matrices.parts);
      next = bias_activation(next, biases_[t],
                             is_last ? StalkActivation::kIdentity : StalkActivation::kRelu,
                             drop.next(is_last ? 0 : dropout_));
      pass.show(fmt::format("layer {}", t + 1), next);
      h = LayerInput(next);
    }
    return next;
  }

 private:
  /// [n, kParts f] to [n kParts, f].
  static Value by_part(Value x) {
    return x.program().reshape(x, {x.size(0) * kParts, x.size(1) / kParts});
  }

  double dropout_;
  NodeId num_landmarks_;
  std::vector<Weight> maps_, biases_;
};

}  // namespace

ModelDefinition geomgcn_model() {
  std::vector<Parameter> parameters = common_parameters(2, 48, 0.5);
  parameters.push_back({"landmarks",
                        std::int64_t{500},
                        "Landmark nodes for distances, from which the planar embedding is computed",
                        {},
                        3,
                        100000});
  return {{.name = "geomgcn",
           .family = "heterophily",
           .title = "Geom-GCN: neighbours in the graph and in a planar embedding",
           .reference = "Pei et al., Geom-GCN: Geometric Graph Convolutional Networks",
           .year = 2020,
           .parameters = parameters,
           .training_defaults = {{"lr", 0.05}, {"weight_decay", 5e-6}},
           .needs_whole_graph = "it places all nodes in one plane"},
          maker<GeomGcn>()};
}

}  // namespace dsnn::nn
