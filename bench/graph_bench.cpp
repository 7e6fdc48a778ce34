#include "dsnn/graph/directed_graph.h"
#include "dsnn/graph/dsbm.h"
#include "dsnn/util/random.h"

#include "graph/half_edge_builder.h"
#include "peak_memory.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

// Measures time and memory of building a graph and of sampling a block model. `--huge` adds a graph
// with more than 2^31 half-edges, which needs 20 GB and some minutes.

namespace dsnn {
namespace {

enum class Shape { kRandom, kPath, kStar };

/// Random: ten arcs a node. Path: one arc a node, so that the rows' offsets weigh most. Star: one
/// row holds half of all half-edges.
struct Arcs {
  NodeId num_nodes;
  std::vector<Arc> arcs;
};

Arcs make_arcs(Shape shape, std::int64_t count) {
  Arcs result{static_cast<NodeId>(shape == Shape::kRandom ? count / 10 : count + 1), {}};
  Random random(1);
  const auto any_node = [&] {
    return static_cast<NodeId>(random.below(static_cast<std::uint64_t>(result.num_nodes)));
  };
  result.arcs.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto next = static_cast<NodeId>(i + 1);
    const NodeId source = shape == Shape::kRandom ? any_node()
                          : shape == Shape::kPath ? next - 1
                                                  : 0;
    result.arcs.push_back({source, shape == Shape::kRandom ? any_node() : next});
  }
  return result;
}

/// `peak_over_arcs`: most bytes that building takes at one time, the graph included, over those of
/// the arcs.
void build_graph(benchmark::State& state, Shape shape, bool is_weighted) {
  const Arcs input = make_arcs(shape, state.range(0));
  const std::vector<double> weights(is_weighted ? input.arcs.size() : 0, 0.5);
  const double arc_bytes =
      static_cast<double>(input.arcs.size() * sizeof(Arc) + weights.size() * sizeof(double));
  std::size_t peak = 0;
  for (auto _ : state) {
    const std::size_t before = bench::allocated_bytes();
    bench::reset_peak();
    const DirectedGraph graph = DirectedGraph::from_arcs(input.num_nodes, input.arcs, weights);
    benchmark::DoNotOptimize(graph.num_edges());
    peak = bench::peak_bytes() - before;
  }
  state.counters["peak_over_arcs"] = static_cast<double>(peak) / arc_bytes;
  state.counters["arcs_per_second"] = benchmark::Counter(
      static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(build_graph, random, Shape::kRandom, false)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build_graph, random_weighted, Shape::kRandom, true)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build_graph, path, Shape::kPath, false)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build_graph, star_weighted, Shape::kStar, true)
    ->Arg(10'000'000)
    ->Unit(benchmark::kMillisecond);

/// Average degree 20, five communities.
void sample_block_model(benchmark::State& state) {
  DsbmOptions options;
  options.num_nodes = static_cast<NodeId>(state.range(0));
  options.num_communities = 5;
  options.alpha_in = options.alpha_out = 20.0 / static_cast<double>(state.range(0));
  options.beta = 0.2;
  std::size_t edges = 0;
  for (auto _ : state) edges = sample_dsbm(options).size();
  state.counters["edges"] = static_cast<double>(edges);
  state.counters["edges_per_second"] =
      benchmark::Counter(static_cast<double>(edges), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(sample_block_model)
    ->Arg(10'000)
    ->Arg(100'000)
    ->Arg(1'000'000)
    ->Unit(benchmark::kMillisecond);

/// Every node has arcs to the 512 nodes after it: 2.15e9 half-edges, more than 2^31. The arcs are
/// computed, not stored.
void build_huge_graph(benchmark::State& state) {
  constexpr std::int64_t kNodes = 2'100'000;
  constexpr std::int64_t kReach = 512;
  const auto arc_at = [](std::int64_t i) {
    const std::int64_t u = i / kReach;
    return Arc{static_cast<NodeId>(u), static_cast<NodeId>((u + 1 + i % kReach) % kNodes)};
  };
  for (auto _ : state) {
    const detail::HalfEdges built =
        detail::HalfEdgeBuilder(static_cast<NodeId>(kNodes), kNodes * kReach, arc_at, nullptr)
            .build();
    const auto num_half_edges = static_cast<std::int64_t>(built.neighbours.size());
    if (num_half_edges != 2 * kNodes * kReach || built.num_arcs != kNodes * kReach) {
      state.SkipWithError("wrong number of half-edges");
      return;
    }
    // The half-edges of the last node are beyond 2^31: the reverses of their reverses must be
    // correct.
    for (std::int64_t h = num_half_edges - 2 * kReach; h < num_half_edges; ++h) {
      const auto reverse_of = [&](std::int64_t g) {
        const auto v = static_cast<std::size_t>(built.neighbours[static_cast<std::size_t>(g)]);
        return built.row_offsets[v] + built.reverse_ranks[static_cast<std::size_t>(g)];
      };
      if (reverse_of(reverse_of(h)) != h) {
        state.SkipWithError("a half-edge past 2^31 has no reverse");
        return;
      }
    }
    state.counters["half_edges"] = static_cast<double>(num_half_edges);
  }
}

}  // namespace
}  // namespace dsnn

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--huge") != 0) continue;
    benchmark::RegisterBenchmark("build_huge_graph", dsnn::build_huge_graph)
        ->Iterations(1)
        ->Unit(benchmark::kSecond);
    for (int j = i; j + 1 < argc; ++j) argv[j] = argv[j + 1];
    --argc;
    break;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
