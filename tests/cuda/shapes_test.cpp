// Operators on the GPU: sizes around warps and blocks, gradients by central differences, hubs and
// large graphs.
#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/engine/operators/sparse.h"

#include "cuda/gpu_runner.h"
#include "cuda/near.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace dsnn {
namespace {

using testing::GpuRunner;
using testing::OperatorCase;
using testing::random_factors;

TEST(CudaShapes, AreThoseOfTheProcessorAroundWarpsAndBlocks) {
  DSNN_NEED_GPU();
  testing::expect_like_processor<float>(testing::gpu_shape_cases(), 1e-5);
  if (testing::is_emulated()) return;
  testing::expect_like_processor<double>(testing::gpu_shape_cases(), 1e-12);
}

/// sum factors . results, on the GPU.
double weighted_sum(const OperatorCase& each, const engine::Device& device,
                    const std::vector<std::vector<double>>& factors) {
  GpuRunner<double> runner(each, device);
  runner.forward();
  double sum = 0;
  for (std::size_t i = 0; i < runner.results().size(); ++i) {
    if (!each.op->differentiable_results().has(static_cast<int>(i))) continue;
    const std::vector<double> output = runner.output(i);
    for (std::size_t k = 0; k < output.size(); ++k) sum += factors[i][k] * output[k];
  }
  return sum;
}

TEST(CudaShapes, GradientsAreThoseOfCentralDifferences) {
  DSNN_NEED_GPU();
  constexpr double kStep = 1e-6;
  constexpr int kPlaces = 3;  // of each argument
  const engine::Device device = engine::Device::cuda();
  Random random(5);
  int num_compared = 0;
  for (const OperatorCase& each : testing::operator_cases(false)) {
    GpuRunner<double> runner(each, device);
    const auto factors = random_factors<double>(each, runner.results());
    runner.forward();
    runner.backward(factors);
    for (std::size_t i = 0; i < each.numbers.size(); ++i) {
      const bool is_free =
          std::ranges::find(each.not_free, static_cast<int>(i)) == each.not_free.end();
      if (!each.op->differentiable().has(static_cast<int>(i)) || !each.shapes.has(i) || !is_free)
        continue;
      const std::vector<double> gradient = runner.input_grad(i);
      for (int place = 0; place < kPlaces && !gradient.empty(); ++place) {
        const auto k = static_cast<std::size_t>(random.below(gradient.size()));
        OperatorCase changed = each;
        changed.numbers[i][k] = each.numbers[i][k] + kStep;
        const double above = weighted_sum(changed, device, factors);
        changed.numbers[i][k] = each.numbers[i][k] - kStep;
        const double below = weighted_sum(changed, device, factors);
        const double expected = (above - below) / (2 * kStep);
        EXPECT_NEAR(gradient[k], expected, 1e-5 * std::max(1.0, std::abs(expected)))
            << each.name << ", argument " << i << ", element " << k;
        ++num_compared;
      }
    }
  }
  EXPECT_GT(num_compared, 200);
}

// Entries that mix the fixed dimension with others are 0, and their gradients are not compared.
TEST(CudaShapes, FixedDimensionsAreNotMixedWithOthers) {
  DSNN_NEED_GPU();
  constexpr std::int64_t kNodes = 40, kChannels = 32, kDim = 5, kSize = kDim * kDim;
  Random random(4);
  std::vector<Arc> arcs;
  for (int i = 0; i < 400; ++i) {
    const auto from = static_cast<NodeId>(random.below(kNodes - 1));
    arcs.push_back({from, static_cast<NodeId>(random.below(kNodes - 1))});
  }
  const engine::Graph graph(DirectedGraph::from_arcs(kNodes, arcs));
  const std::int64_t count = graph.directed().num_half_edges();
  const auto is_mixing = [](std::size_t at) {
    const auto e = static_cast<std::int64_t>(at) % kSize;
    return (e / kDim == kDim - 1) != (e % kDim == kDim - 1);
  };
  OperatorCase each{"fixed", engine::scaled_diffusion_operator(graph, 1), {}, {}};
  for (const engine::Shape& shape :
       {engine::Shape{2, kNodes, kDim, kChannels}, engine::Shape{count, kDim, kDim},
        engine::Shape{kNodes, kDim, kDim}, engine::Shape{}}) {
    each.shapes.add(shape);
    std::vector<double>& numbers = each.numbers.emplace_back();
    for (std::int64_t i = 0; i < engine::num_numbers(shape); ++i) {
      const bool is_zero = shape.size() == 3 && is_mixing(numbers.size());
      numbers.push_back(is_zero ? 0 : random.uniform(-1, 1));
    }
  }
  std::vector<double>& diagonal = each.numbers[2];  // Hermitian, as it is assumed
  for (std::size_t at = 0; at < diagonal.size(); ++at) {
    const std::size_t e = at % kSize, other = at - e + e % kDim * kDim + e / kDim;
    diagonal[at] = diagonal[other];
  }
  testing::Runner<float> expected(each, 1);
  GpuRunner<float> got(each, engine::Device::cuda());
  const auto factors = random_factors<float>(each, expected.results());
  expected.forward();
  got.forward();
  expected.backward(factors, engine::ArgumentSet::all());
  got.backward(factors);
  const auto compare = [&](std::vector<float> a, std::vector<float> b, bool is_block,
                           const char* what) {
    a.resize(b.size());  // without guards
    for (std::size_t at = 0; at < b.size() && is_block; ++at) {
      EXPECT_TRUE(std::isfinite(b[at]));
      if (is_mixing(at)) a[at] = b[at] = 0;
    }
    testing::expect_near(a, b, 1e-5, what);
  };
  compare(expected.outputs()[0].data, got.output(0), false, "y");
  compare(expected.input_grads()[0].data, got.input_grad(0), false, "gradient of x");
  compare(expected.input_grads()[1].data, got.input_grad(1), true, "gradient of the maps");
  compare(expected.input_grads()[2].data, got.input_grad(2), true, "gradient of the diagonal");
}

/// Operators of a sheaf network on a graph.
std::vector<OperatorCase> graph_cases(const engine::Graph& graph) {
  const std::int64_t n = graph.directed().num_nodes(), count = graph.directed().num_half_edges();
  std::vector<OperatorCase> cases;
  Random random(3);
  const auto add = [&](const engine::OperatorPtr& op, const std::vector<engine::Shape>& shapes,
                       const std::string& name) {
    OperatorCase each{name, op, {}, {}};
    for (const engine::Shape& shape : shapes) {
      each.shapes.add(shape);
      std::vector<double>& numbers = each.numbers.emplace_back();
      for (std::int64_t i = 0; i < engine::num_numbers(shape); ++i) {
        numbers.push_back(random.uniform(-1, 1));
      }
    }
    cases.push_back(std::move(each));
  };
  using engine::Shape;
  add(engine::sheaf_maps_operator(graph, MapActivation::kTanh), {{n, 2}, {n, 2}}, "sheaf_maps");
  add(engine::scaled_maps_operator(graph, {MapFamily::kDiagonal, Normalisation::kAugmented, {}}),
      {{count, 2}, {count}}, "scaled_maps");
  add(engine::scaled_diffusion_operator(graph), {{2, n, 2, 2}, {count, 2}, {n, 2}, Shape{}},
      "scaled_diffusion");
  return cases;
}

TEST(CudaShapes, AStarOfDegreeAMillion) {
  DSNN_NEED_GPU();
  if (testing::is_emulated()) GTEST_SKIP() << "the GPU is emulated";
  constexpr NodeId kNodes = 1'000'001;
  std::vector<Arc> arcs;
  for (NodeId u = 1; u < kNodes; ++u) arcs.push_back(u % 2 == 0 ? Arc{0, u} : Arc{u, 0});
  testing::expect_like_processor<float>(
      graph_cases(engine::Graph(DirectedGraph::from_arcs(kNodes, arcs))), 1e-4);
}

TEST(CudaShapes, AGraphOfAMillionEdges) {
  DSNN_NEED_GPU();
  if (testing::is_emulated()) GTEST_SKIP() << "the GPU is emulated";
  constexpr NodeId kNodes = 200'000;
  Random random(9);
  std::vector<Arc> arcs;
  for (int i = 0; i < 1'000'000; ++i) {
    const auto from = static_cast<NodeId>(random.below(kNodes));
    arcs.push_back({from, static_cast<NodeId>(random.below(kNodes))});
  }
  testing::expect_like_processor<float>(
      graph_cases(engine::Graph(DirectedGraph::from_arcs(kNodes, arcs))), 1e-5);
}

}  // namespace
}  // namespace dsnn
