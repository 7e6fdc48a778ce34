#include "dsnn/ops/sheaf_diffusion.h"
#include "dsnn/ops/sheaf_maps.h"
#include "dsnn/util/error.h"

#include "classical_sheaf.h"
#include "util/random.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Does the classical layer compute what the operators do, and how long does each take?
//
//   classical_check [<nodes> <edges> [<family>]]
//
// compares them on a small graph, then times one forward and backward pass of each on a random
// graph (2708 nodes and 5278 edges unless told otherwise). Exit status 1 if they differ.

namespace dsnn {
namespace {

constexpr double kCharge = 0.2;
constexpr double kTolerance = 1e-4;

struct Family {
  MapFamily family;
  std::string_view name;
};
constexpr Family kFamilies[] = {{MapFamily::kDiagonal, "diagonal"},
                                {MapFamily::kOrthogonal, "orthogonal"},
                                {MapFamily::kGeneral, "general"}};

/// Exactly `num_edges` different edges, an eighth of them two-way.
DirectedGraph random_graph(NodeId num_nodes, std::int64_t num_edges) {
  Random random(1);
  const auto node = [&] {
    return static_cast<NodeId>(random.below(static_cast<std::uint64_t>(num_nodes)));
  };
  std::vector<std::pair<NodeId, NodeId>> pairs;
  while (static_cast<std::int64_t>(pairs.size()) < num_edges) {
    while (static_cast<std::int64_t>(pairs.size()) < num_edges) {
      const NodeId u = node();
      const NodeId v = node();
      if (u != v) pairs.emplace_back(std::min(u, v), std::max(u, v));
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  }
  std::vector<Arc> arcs;
  for (const auto& [u, v] : pairs) {
    const std::uint64_t kind = random.below(8);
    if (kind % 2 == 0) arcs.push_back({u, v});
    if (kind % 2 == 1 || kind == 0) arcs.push_back({v, u});
  }
  return DirectedGraph::from_arcs(num_nodes, arcs);
}

/// The definition: Q = H_1 ... H_{d-1} with each H_j = I - 2 v v^T / (v^T v) written out.
at::Tensor householder_maps(const at::Tensor& params, std::int64_t d) {
  at::Tensor maps = at::eye(d, params.options()).expand({params.size(0), d, d});
  for (std::int64_t j = 0; j + 1 < d; ++j) {
    std::vector<at::Tensor> entries;
    for (std::int64_t i = 0; i < d; ++i) {
      const at::Tensor fixed = at::full({params.size(0)}, i == j ? 1 : 0, params.options());
      entries.push_back(i > j ? params.select(1, i * (i - 1) / 2 + j) : fixed);
    }
    const at::Tensor v = at::stack(entries, 1).unsqueeze(2);
    const at::Tensor h =
        at::eye(d, params.options()) - 2 * v.matmul(v.transpose(1, 2)) / v.square().sum(1, true);
    maps = maps.matmul(h);
  }
  return maps;
}

/// The same layer by the operators.
at::Tensor fused_layer(const ops::Graph& graph, MapFamily family, const at::Tensor& x,
                       const at::Tensor& weight) {
  const std::int64_t d = x.size(2);
  const at::Tensor features = x.transpose(0, 1).reshape({x.size(1), -1});
  const std::vector<at::Tensor> halves = weight.chunk(2, 1);
  at::Tensor maps = ops::sheaf_maps(features.matmul(halves[0].t()), features.matmul(halves[1].t()),
                                    graph, MapActivation::kTanh);
  if (family == MapFamily::kOrthogonal) maps = householder_maps(maps, d);
  if (family == MapFamily::kGeneral) maps = maps.view({-1, d, d});
  return ops::sheaf_diffusion(x, maps, {}, at::full({}, kCharge, x.options()), graph,
                              {family, Normalisation::kAugmented, {}});
}

/// A layer's input, and the gradient of its output.
struct Input {
  at::Tensor x;
  at::Tensor weight;
  at::Tensor grad;
};

Input random_input(const bench::ClassicalSheaf& sheaf, std::int64_t n, std::int64_t d,
                   std::int64_t channels) {
  const at::Tensor x = at::randn({2, n, d, channels});
  const std::int64_t columns = 4 * d * channels;
  at::Tensor weight = at::randn({sheaf.num_params(), columns}).div_(std::sqrt(columns));
  return {x, weight, at::randn_like(x)};
}

/// The output and the gradients of x and weight.
template <class Layer>
std::vector<at::Tensor> forward_backward(const Input& input, const Layer& layer) {
  const at::Tensor x = input.x.detach().requires_grad_();
  const at::Tensor weight = input.weight.detach().requires_grad_();
  const at::Tensor y = layer(x, weight);
  const auto grads = torch::autograd::grad({y}, {x, weight}, {input.grad});
  return {y.detach(), grads[0], grads[1]};
}

bool agrees(const Family& f, std::int64_t d, std::int64_t channels) {
  const DirectedGraph graph = random_graph(200, 800);
  const bench::ClassicalSheaf classical(graph, f.family, d, kCharge);
  const Input input = random_input(classical, graph.num_nodes(), d, channels);
  const ops::Graph ops_graph(graph);
  const std::vector<at::Tensor> expected =
      forward_backward(input, [&](const at::Tensor& x, const at::Tensor& weight) {
        return fused_layer(ops_graph, f.family, x, weight);
      });
  const std::vector<at::Tensor> actual = forward_backward(input, classical);
  bool is_good = true;
  fmt::print("{:<10} d {} f {:<2} ", f.name, d, channels);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double scale = expected[i].norm().item<double>();
    const double difference = (actual[i] - expected[i]).norm().item<double>();
    const double error = scale > 0 ? difference / scale : difference;
    constexpr std::string_view kNames[] = {"output", "gradient of x", "gradient of weight"};
    fmt::print("  {} {:.1e}", kNames[i], error);
    is_good = is_good && error < kTolerance;
  }
  fmt::print("{}\n", is_good ? "" : "  DIFFERENT");
  return is_good;
}

/// Milliseconds of one call, the median over at least a second.
template <class Function>
double milliseconds(const Function& function) {
  std::vector<double> times;
  double total = 0;
  while (times.size() < 3 || total < 1000) {
    const auto start = std::chrono::steady_clock::now();
    function();
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    total += time.count();
    times.push_back(time.count());
    if (total > 30000) break;
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

double peak_gigabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e9;
}

void time_both(const Family& f, const DirectedGraph& graph, std::int64_t d, std::int64_t channels) {
  const bench::ClassicalSheaf classical(graph, f.family, d, kCharge);
  const Input input = random_input(classical, graph.num_nodes(), d, channels);
  const ops::Graph ops_graph(graph);
  const double fused = milliseconds([&] {
    forward_backward(input, [&](const at::Tensor& x, const at::Tensor& weight) {
      return fused_layer(ops_graph, f.family, x, weight);
    });
  });
  fmt::print("{:<10}  fused {:.1f} ms (process's peak {:.2f} GB)", f.name, fused, peak_gigabytes());
  const double slow = milliseconds([&] { forward_backward(input, classical); });
  fmt::print("  classical {:.1f} ms ({:.2f} GB)  ratio {:.1f}\n", slow, peak_gigabytes(),
             slow / fused);
}

int run(const std::vector<std::string>& args) {
  if (args.size() == 1 || args.size() > 3) {
    throw Error("classical_check: expected no arguments, or <nodes> <edges> [<family>]");
  }
  at::manual_seed(1);
  bool is_good = true;
  for (const Family& f : kFamilies) {
    for (const std::int64_t d : {2, 4}) is_good = agrees(f, d, 8) && is_good;
  }
  const NodeId nodes = args.empty() ? 2708 : static_cast<NodeId>(std::stoi(args[0]));
  const std::int64_t edges = args.empty() ? 5278 : std::stoll(args[1]);
  const DirectedGraph graph = random_graph(nodes, edges);
  fmt::print("forward and backward, {} nodes, {} edges, d 4, f 32, {} threads\n", graph.num_nodes(),
             graph.num_edges(), at::get_num_threads());
  for (const Family& f : kFamilies) {
    if (args.size() < 3 || args[2] == f.name) time_both(f, graph, 4, 32);
  }
  return is_good ? 0 : 1;
}

}  // namespace
}  // namespace dsnn

int main(int argc, char** argv) {
  try {
    return dsnn::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
