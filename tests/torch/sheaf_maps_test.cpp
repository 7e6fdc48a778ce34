#include "dsnn/util/error.h"

#include "support/expect_error.h"
#include "support/random_graphs.h"
#include "torch/gradient_check.h"
#include "torch/torch_operators.h"

#include <ATen/ATen.h>

#include <gtest/gtest.h>

namespace dsnn {
namespace {

using testing::random_tensor;
using testing::relative_error;

const std::vector<MapActivation> kActivations = {MapActivation::kIdentity, MapActivation::kTanh,
                                                 MapActivation::kElu, MapActivation::kRelu};

/// act(W [x_u || x_v]) by the definition: rows gathered and added one half-edge at a time.
at::Tensor reference(const at::Tensor& left, const at::Tensor& right, const DirectedGraph& graph,
                     MapActivation activation) {
  std::vector<std::int64_t> u;
  std::vector<std::int64_t> v;
  for (const NodeId owner : graph.owners()) u.push_back(owner);
  for (const NodeId neighbour : graph.neighbours()) v.push_back(neighbour);
  const at::Tensor sum = left.index_select(0, at::tensor(u, at::kLong)) +
                         right.index_select(0, at::tensor(v, at::kLong));
  switch (activation) {
    case MapActivation::kTanh:
      return sum.tanh();
    case MapActivation::kElu:
      return at::elu(sum);
    case MapActivation::kRelu:
      return sum.relu();
    case MapActivation::kIdentity:
      break;
  }
  return sum;
}

at::Tensor reference_weights(const at::Tensor& left, const at::Tensor& right,
                             const DirectedGraph& graph) {
  const at::Tensor sigmoid =
      reference(left.unsqueeze(1), right.unsqueeze(1), graph, MapActivation::kIdentity)
          .squeeze(1)
          .sigmoid();
  std::vector<std::int64_t> back;
  for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) back.push_back(graph.reverse(h));
  return sigmoid * sigmoid.index_select(0, at::tensor(back, at::kLong));
}

TEST(SheafMaps, IsTheActivationOfTheSumOfProjections) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const DirectedGraph graph = testing::random_arcs(seed, testing::GraphKind::kMixed, 40).graph();
    const ops::Graph shared(graph);
    const std::int64_t k = 1 + static_cast<std::int64_t>(seed * 7 % 37);
    for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
      const at::Tensor left = 3 * random_tensor({graph.num_nodes(), k}, seed, dtype);
      const at::Tensor right = 3 * random_tensor({graph.num_nodes(), k}, seed + 1, dtype);
      for (const MapActivation activation : kActivations) {
        const double error = relative_error(ops::sheaf_maps(left, right, shared, activation),
                                            reference(left, right, graph, activation));
        EXPECT_LT(error, dtype == at::kFloat ? 1e-6 : 1e-14) << "seed " << seed;
      }
      const at::Tensor l = left.select(1, 0);  // not contiguous
      const at::Tensor r = right.select(1, k - 1);
      const double error =
          relative_error(ops::edge_weights(l, r, shared), reference_weights(l, r, graph));
      EXPECT_LT(error, dtype == at::kFloat ? 1e-6 : 1e-14) << "seed " << seed;
    }
  }
}

TEST(SheafMaps, GradientsAreThoseOfCentralDifferences) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const ops::Graph graph(testing::random_arcs(seed, testing::GraphKind::kMixed).graph());
    const std::int64_t n = graph.directed().num_nodes();
    const std::vector<at::Tensor> inputs = {random_tensor({n, 3}, seed),
                                            random_tensor({n, 3}, seed + 100)};
    for (const MapActivation activation : kActivations) {
      testing::expect_gradients(
          [&](const auto& x) { return ops::sheaf_maps(x[0], x[1], graph, activation); }, inputs,
          "sheaf_maps");
    }
    testing::expect_gradients([&](const auto& x) { return ops::edge_weights(x[0], x[1], graph); },
                              {random_tensor({n}, seed), random_tensor({n}, seed + 100)},
                              "edge_weights");
  }
}

TEST(SheafMaps, RefusesWrongArguments) {
  const std::vector<Arc> arcs = {{0, 1}, {1, 2}};
  const ops::Graph graph(DirectedGraph::from_arcs(3, arcs));
  const at::Tensor good = at::ones({3, 4});
  const auto call = [&](const at::Tensor& left, const at::Tensor& right) {
    return [=] { ops::sheaf_maps(left, right, graph, MapActivation::kTanh); };
  };
  testing::expect_error(call(at::ones({2, 4}), good),
                        "sheaf_maps: left must have shape [3, any] (got [2, 4])");
  testing::expect_error(call(good, at::ones({3, 5})),
                        "sheaf_maps: right must have shape [3, 4] (got [3, 5])");
}

// Every argument from -400 to 400 in small steps: exponentials of large numbers must not show.
TEST(SheafMaps, AreFiniteForArgumentsOfAnySize) {
  constexpr std::int64_t kNodes = 80'001;
  std::vector<Arc> arcs;
  for (NodeId u = 0; u + 1 < kNodes; ++u) arcs.push_back({u, u + 1});
  const ops::Graph graph(DirectedGraph::from_arcs(kNodes, arcs));
  const at::Tensor owners = [&] {
    const std::vector<NodeId> nodes = graph.directed().owners();
    return at::tensor(std::vector<std::int64_t>(nodes.begin(), nodes.end()), at::kLong);
  }();
  for (const at::ScalarType dtype : {at::kFloat, at::kDouble}) {
    const at::Tensor a = at::linspace(-400, 400, kNodes, at::TensorOptions(at::kDouble)).to(dtype);
    const at::Tensor zero = at::zeros_like(a);
    const at::Tensor own = a.index_select(0, owners).to(at::kDouble);
    const auto expect = [&](const at::Tensor& actual, const at::Tensor& expected) {
      EXPECT_LT((actual.to(at::kDouble) - expected).abs().max().item<double>() /
                    expected.abs().max().item<double>(),
                1e-5);
    };
    const auto map = [&](MapActivation activation) {
      return ops::sheaf_maps(a.unsqueeze(1), zero.unsqueeze(1), graph, activation).squeeze(1);
    };
    expect(map(MapActivation::kTanh), at::tanh(own));
    expect(map(MapActivation::kElu), at::elu(own));
    const at::Tensor leaf = a.detach().clone().requires_grad_();
    const at::Tensor weights = ops::edge_weights(leaf, zero, graph);
    EXPECT_TRUE(weights.isfinite().all().item<bool>());
    const auto reverse = [&](const at::Tensor& values) {
      std::vector<std::int64_t> order;
      for (HalfEdgeId h = 0; h < graph.directed().num_half_edges(); ++h) {
        order.push_back(graph.directed().reverse(h));
      }
      return values.index_select(0, at::tensor(order, at::kLong));
    };
    expect(weights.detach(), at::sigmoid(own) * at::sigmoid(reverse(own)));
    weights.sum().backward();
    EXPECT_TRUE(leaf.grad().isfinite().all().item<bool>());
  }
}

}  // namespace
}  // namespace dsnn
