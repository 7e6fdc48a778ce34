#pragma once

#include "dsnn/graph/directed_graph.h"
#include "dsnn/ops/sheaf_diffusion.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace dsnn::bench {

// The sizes that all figures are for: stalks of 4 dimensions, 32 channels, complex features.
constexpr std::int64_t kDim = 4;
constexpr std::int64_t kChannels = 32;
constexpr std::int64_t kPlanes = 2;
constexpr double kCharge = 0.25;

const std::vector<MapFamily>& families();
std::string name_of(MapFamily family);

/// Nodes and edges drawn at random, each edge one arc.
DirectedGraph random_graph(NodeId num_nodes, std::int64_t num_edges, std::uint64_t seed);

/// Random features [2, n, d, f] and a learner's weights [k, 2 * 2df] for a family.
at::Tensor random_features(const DirectedGraph& graph);
at::Tensor random_weight(MapFamily family);

/// One layer with the operators: maps learned from x, and S L S x.
at::Tensor fused_layer(const at::Tensor& x, const at::Tensor& weight, const ops::Graph& graph,
                       MapFamily family);

/// Maps as the layer would learn them, without gradient.
at::Tensor random_maps(const DirectedGraph& graph, MapFamily family);

/// S L S x for given maps.
at::Tensor diffusion(const at::Tensor& x, const at::Tensor& maps, const at::Tensor& charge,
                     const ops::Graph& graph, MapFamily family);

/// Bytes and operations that one forward pass, or one forward and backward pass, cannot do
/// without when the features are larger than the caches: every half-edge reads its neighbour's rows
/// and both maps, every node reads and writes its own rows; what the operator stores for itself is
/// not counted.
struct Work {
  double bytes = 0;
  double flops = 0;
};
Work forward_work(const DirectedGraph& graph, MapFamily family);
Work backward_work(const DirectedGraph& graph, MapFamily family);

/// Bytes of results and of what the passes must hand to each other: y and x's gradient; the scaled
/// maps and their gradient, and that of the maps; two blocks (three for general maps) a node.
double kept_bytes(const DirectedGraph& graph, MapFamily family);

}  // namespace dsnn::bench
