#pragma once

#include "dsnn/graph/directed_graph.h"
#include "dsnn/util/random.h"

#include "kernels/executor.h"
#include "support/thread_executor.h"
#include "util/index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace dsnn::testing {

/// Random arcs among `num_nodes` nodes, and a hub connected to most of the others. The last node is
/// isolated.
inline DirectedGraph hub_graph(NodeId num_nodes, std::int64_t num_arcs, std::uint64_t seed) {
  Random random(seed);
  const auto joined = static_cast<std::uint64_t>(num_nodes - 1);
  const auto node = [&] { return static_cast<NodeId>(random.below(joined)); };
  std::vector<Arc> arcs;
  for (std::int64_t i = 0; i < num_arcs; ++i) arcs.push_back({node(), node()});
  const NodeId hub = num_nodes / 3;
  for (NodeId v = 0; v + 1 < num_nodes; ++v) {
    if (random.uniform() < 0.9) arcs.push_back(v % 2 == 0 ? Arc{hub, v} : Arc{v, hub});
  }
  return DirectedGraph::from_arcs(num_nodes, arcs);
}

struct NamedGraph {
  std::string name;
  DirectedGraph graph;
};

/// The first has enough nodes for several blocks, one of them with a hub; the others are extreme
/// cases.
inline const std::vector<NamedGraph>& kernel_graphs() {
  static const std::vector<NamedGraph> graphs = {
      {"hub", hub_graph(601, 900, 1)},
      {"small", hub_graph(8, 9, 2)},
      {"no edges", DirectedGraph::from_arcs(5, {})},
      {"no nodes", DirectedGraph()},
  };
  return graphs;
}

/// Numbers in [-1, 1).
template <class T>
std::vector<T> random_values(std::int64_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<T> values(at(size));
  for (T& value : values) value = static_cast<T>(random.uniform(-1, 1));
  return values;
}

/// Memory for a result, filled with NaN, to detect elements that a kernel does not write, or reads.
template <class T>
std::vector<T> unwritten(std::int64_t size) {
  return std::vector<T>(at(size), std::numeric_limits<T>::quiet_NaN());
}

/// run(executor) returns a list of arrays: every element is written, and has the same bits for any
/// number of threads.
template <class Run>
void expect_same_bits(const Run& run) {
  const auto expected = run(ThreadExecutor(1));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_TRUE(std::all_of(expected[i].begin(), expected[i].end(),
                            [](auto value) { return std::isfinite(value); }))
        << "array " << i;
  }
  for (const int threads : {2, 3, 8}) {
    const auto result = run(ThreadExecutor(threads));
    ASSERT_EQ(result.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(result[i].size(), expected[i].size());
      const std::size_t bytes = expected[i].size() * sizeof(expected[i][0]);
      EXPECT_TRUE(bytes == 0 || std::memcmp(result[i].data(), expected[i].data(), bytes) == 0)
          << threads << " threads, array " << i;
    }
  }
}

}  // namespace dsnn::testing
