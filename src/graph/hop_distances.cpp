#include "graph/hop_distances.h"

#include "dsnn/util/error.h"

#include "util/index.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

namespace dsnn {
namespace {

using Sources = std::uint64_t;  // a set: bit i is source i

}  // namespace

// All searches advance together, one level at a time; a node is visited once for all sources that
// reach it on that level.
std::vector<NodeId> hop_distances(const DirectedGraph& graph, std::span<const NodeId> sources) {
  const auto num_sources = static_cast<std::int64_t>(sources.size());
  if (num_sources > kMaxHopSources) {
    throw Error(
        fmt::format("hop distances: {} sources, expected at most {}", num_sources, kMaxHopSources));
  }
  const NodeId n = graph.num_nodes();
  std::vector<NodeId> distances(at(n * num_sources), kNoPath);
  std::vector<Sources> seen(at(n), 0);      // sources that have reached a node
  std::vector<Sources> arrived(at(n), 0);   // sources that reach it on this level
  std::vector<Sources> arriving(at(n), 0);  // sources that reach it on the next level
  std::vector<NodeId> level;                // nodes with an arrival
  std::vector<NodeId> next_level;
  const auto add = [&](NodeId v, Sources which) {
    if (which == 0) return;
    if (arriving[at(v)] == 0) next_level.push_back(v);
    arriving[at(v)] |= which;
  };

  for (std::int64_t i = 0; i < num_sources; ++i) add(sources[at(i)], Sources{1} << i);
  for (NodeId distance = 0; !next_level.empty(); ++distance) {
    level.swap(next_level);
    arrived.swap(arriving);
    for (const NodeId v : level) {
      seen[at(v)] |= arrived[at(v)];
      for (Sources left = arrived[at(v)]; left != 0; left &= left - 1) {
        distances[at(v * num_sources + std::countr_zero(left))] = distance;
      }
    }
    for (const NodeId u : level) {
      for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
        const NodeId v = graph.neighbour(h);
        add(v, arrived[at(u)] & ~seen[at(v)]);
      }
    }
    for (const NodeId u : level) arrived[at(u)] = 0;
    level.clear();
  }
  return distances;
}

}  // namespace dsnn
