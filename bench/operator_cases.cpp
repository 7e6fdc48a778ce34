#include "operator_cases.h"

#include "dsnn/ops/orthogonal.h"
#include "dsnn/ops/sheaf_maps.h"

#include "util/random.h"

#include <ATen/ATen.h>

namespace dsnn::bench {
namespace {

std::int64_t num_params(MapFamily family) {
  switch (family) {
    case MapFamily::kDiagonal:
      return kDim;
    case MapFamily::kOrthogonal:
      return kDim * (kDim - 1) / 2;
    case MapFamily::kGeneral:
      break;
  }
  return kDim * kDim;
}

/// Numbers of a map, and of a block of the Laplacian.
double map_size(MapFamily family) { return family == MapFamily::kDiagonal ? kDim : kDim * kDim; }

constexpr double kRowBytes = 4.0 * kPlanes * kDim * kChannels;  // of a node's features
constexpr double kFloat = 4;

at::Tensor maps_from_params(const at::Tensor& params, MapFamily family) {
  switch (family) {
    case MapFamily::kDiagonal:
      return params;
    case MapFamily::kOrthogonal:
      return ops::orthogonal(params, kDim, OrthogonalMethod::kHouseholder);
    case MapFamily::kGeneral:
      break;
  }
  return params.view({-1, kDim, kDim});
}

}  // namespace

const std::vector<MapFamily>& families() {
  static const std::vector<MapFamily> all = {MapFamily::kDiagonal, MapFamily::kOrthogonal,
                                             MapFamily::kGeneral};
  return all;
}

std::string name_of(MapFamily family) {
  switch (family) {
    case MapFamily::kDiagonal:
      return "diagonal";
    case MapFamily::kOrthogonal:
      return "orthogonal";
    case MapFamily::kGeneral:
      break;
  }
  return "general";
}

DirectedGraph random_graph(NodeId num_nodes, std::int64_t num_edges, std::uint64_t seed) {
  Random random(seed);
  std::vector<Arc> arcs(static_cast<std::size_t>(num_edges));
  for (Arc& arc : arcs) {
    const auto n = static_cast<std::uint64_t>(num_nodes);
    arc.source = static_cast<NodeId>(random.below(n));
    arc.target = static_cast<NodeId>(random.below(n));
  }
  return DirectedGraph::from_arcs(num_nodes, arcs);
}

at::Tensor random_features(const DirectedGraph& graph) {
  return at::rand({kPlanes, graph.num_nodes(), kDim, kChannels}) * 2 - 1;
}

at::Tensor random_weight(MapFamily family) {
  return 0.1 * (at::rand({num_params(family), 2 * kPlanes * kDim * kChannels}) * 2 - 1);
}

at::Tensor fused_layer(const at::Tensor& x, const at::Tensor& weight, const ops::Graph& graph,
                       MapFamily family) {
  // W [x_u || x_v] = W_l x_u + W_r x_v, both at once: [W_l; W_r] for each plane.
  const std::int64_t k = weight.size(0);
  const std::int64_t width = kDim * kChannels;
  const at::Tensor both =
      weight.view({k, 2, kPlanes, width}).permute({2, 3, 1, 0}).reshape({kPlanes, width, 2 * k});
  const at::Tensor projected = at::bmm(x.view({kPlanes, -1, width}), both).sum(0);
  const at::Tensor params =
      ops::sheaf_maps(projected.slice(1, 0, k), projected.slice(1, k), graph, MapActivation::kTanh);
  return diffusion(x, maps_from_params(params, family), at::full({}, kCharge), graph, family);
}

at::Tensor random_maps(const DirectedGraph& graph, MapFamily family) {
  return maps_from_params(at::rand({graph.num_half_edges(), num_params(family)}) * 2 - 1, family);
}

at::Tensor diffusion(const at::Tensor& x, const at::Tensor& maps, const at::Tensor& charge,
                     const ops::Graph& graph, MapFamily family) {
  return ops::sheaf_diffusion(x, maps, at::Tensor(), charge, graph,
                              {family, Normalisation::kAugmented, {}});
}

Work forward_work(const DirectedGraph& graph, MapFamily family) {
  const auto half_edges = static_cast<double>(graph.num_half_edges());
  const auto nodes = static_cast<double>(graph.num_nodes());
  const double size = map_size(family);
  constexpr double kTopology = 4 + 4 + 1;  // neighbour, reverse, orientation
  Work work;
  work.bytes = half_edges * (kRowBytes + 2 * size * kFloat + kTopology) + nodes * 2 * kRowBytes;
  work.flops = 2 * (half_edges + nodes) * size * kPlanes * kChannels;
  return work;
}

Work backward_work(const DirectedGraph& graph, MapFamily family) {
  const auto half_edges = static_cast<double>(graph.num_half_edges());
  const auto nodes = static_cast<double>(graph.num_nodes());
  Work work = forward_work(graph, family);
  work.bytes += half_edges * map_size(family) * kFloat + nodes * kRowBytes;  // gradient of F, and x
  work.flops *= 2;                                                           // and the correlations
  return work;
}

double kept_bytes(const DirectedGraph& graph, MapFamily family) {
  const auto half_edges = static_cast<double>(graph.num_half_edges());
  const auto nodes = static_cast<double>(graph.num_nodes());
  const double size = map_size(family);
  const double blocks = family == MapFamily::kGeneral ? 3 * size + kDim : 2 * size + kDim;
  return 3 * half_edges * size * kFloat + nodes * (2 * kRowBytes + blocks * kFloat);
}

}  // namespace dsnn::bench
