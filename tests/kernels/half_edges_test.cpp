#include "kernels/half_edges.h"

#include "kernels/kernel_case.h"

#include <atomic>
#include <vector>

namespace dsnn::kernels {
namespace {

void expect_partition(const std::vector<HalfEdgeId>& row_offsets) {
  const auto num_nodes = static_cast<std::int64_t>(row_offsets.size()) - 1;
  const NodeBlocks blocks(row_offsets.data(), num_nodes);
  std::int64_t next = 0;
  for (std::int64_t block = 0; block < blocks.count(); ++block) {
    EXPECT_EQ(blocks[block].begin, next) << "block " << block;
    EXPECT_LE(blocks[block].begin, blocks[block].end) << "block " << block;
    next = blocks[block].end;
  }
  EXPECT_EQ(next, num_nodes);
}

std::vector<HalfEdgeId> offsets_of(const std::vector<std::int64_t>& degrees) {
  std::vector<HalfEdgeId> offsets = {0};
  for (const std::int64_t degree : degrees) offsets.push_back(offsets.back() + degree);
  return offsets;
}

TEST(NodeBlocks, HaveEveryNodeOnce) {
  for (const auto& [name, graph] : testing::kernel_graphs()) {
    SCOPED_TRACE(name);
    expect_partition({graph.row_offsets().begin(), graph.row_offsets().end()});
  }
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::int64_t> degrees(at(static_cast<std::int64_t>(random.below(300))));
    for (std::int64_t& degree : degrees) {
      const std::uint64_t most = random.uniform() < 0.02 ? 5000 : 20;
      degree = static_cast<std::int64_t>(random.below(most));
    }
    expect_partition(offsets_of(degrees));
  }
}

TEST(NodeBlocks, HaveAHubAtEitherEndOrAlone) {
  for (const std::int64_t hub : {0, 1, 50, 99}) {
    std::vector<std::int64_t> degrees(100, 1);
    degrees[at(hub)] = 100000;
    expect_partition(offsets_of(degrees));
  }
  expect_partition(offsets_of({100000}));
}

TEST(NodeBlocks, OfNoNodesAreNone) {
  const std::vector<HalfEdgeId> offsets = {0};
  EXPECT_EQ(NodeBlocks(offsets.data(), 0).count(), 0);
}

TEST(NodeBlocks, OfNodesWithoutEdgesShareThem) {
  const std::vector<HalfEdgeId> offsets(10001, 0);
  expect_partition(offsets);
  const NodeBlocks blocks(offsets.data(), 10000);
  EXPECT_GT(blocks.count(), 8);
  for (std::int64_t block = 0; block < blocks.count(); ++block) {
    EXPECT_LT(blocks[block].end - blocks[block].begin, 1000);
  }
}

TEST(NodeBlocks, HaveAboutEqualWork) {
  const DirectedGraph graph = testing::hub_graph(5000, 20000, 4);
  const HalfEdges edges(graph);
  const NodeBlocks blocks(edges.row_offsets, edges.num_nodes);
  ASSERT_GT(blocks.count(), 20);
  const auto work = [&](std::int64_t first, std::int64_t last) {
    return edges.row_offsets[last] - edges.row_offsets[first] + 4 * (last - first);
  };
  const double mean =
      static_cast<double>(work(0, edges.num_nodes)) / static_cast<double>(blocks.count());
  for (std::int64_t block = 0; block < blocks.count(); ++block) {
    const NodeRange nodes = blocks[block];
    // Except for its last node, regardless of its degree: a hub does not enlarge its block.
    if (nodes.begin < nodes.end) {
      EXPECT_LE(static_cast<double>(work(nodes.begin, nodes.end - 1)), 1.1 * mean);
    }
  }
}

TEST(NodeBlocks, DependOnTheGraphAlone) {
  const DirectedGraph graph = testing::hub_graph(5000, 20000, 5);
  const HalfEdges edges(graph);
  const NodeBlocks expected(edges.row_offsets, edges.num_nodes);
  for (const int threads : {1, 2, 3, 8}) {
    std::vector<std::atomic<std::int64_t>> ends(at(edges.num_nodes));
    for_node_blocks(testing::ThreadExecutor(threads), edges, [&](NodeRange nodes) {
      for (std::int64_t u = nodes.begin; u < nodes.end; ++u) ends[at(u)] += nodes.end;
    });
    for (std::int64_t block = 0; block < expected.count(); ++block) {
      const NodeRange nodes = expected[block];
      for (std::int64_t u = nodes.begin; u < nodes.end; ++u) EXPECT_EQ(ends[at(u)], nodes.end);
    }
  }
}

}  // namespace
}  // namespace dsnn::kernels
