// Measures the operators in one run: against the classical way (classical_sheaf.h), against the
// machine's limits, at growing sizes, their memory and their threads. Ratios of times in one run
// are what counts: absolute times depend on who else uses the machine. Prints JSON;
// scripts/operator_table.py makes tables.
#include "dsnn/ops/memory.h"
#include "dsnn/ops/threads.h"

#include "ceilings.h"
#include "classical_sheaf.h"
#include "kernels/simd.h"
#include "operator_cases.h"
#include "timing.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/version.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace dsnn::bench {
namespace {

using Json = nlohmann::json;

void say(const std::string& text) { fmt::print(stderr, "{}\n", text); }

/// Output and gradients of a layer with a fixed incoming gradient.
template <class Layer>
std::vector<at::Tensor> run_layer(const Layer& layer, const at::Tensor& x, const at::Tensor& weight,
                                  const at::Tensor& grad) {
  const at::Tensor in = x.detach().requires_grad_();
  const at::Tensor w = weight.detach().requires_grad_();
  const at::Tensor y = layer(in, w);
  std::vector<at::Tensor> results = torch::autograd::grad({y}, {in, w}, {grad});
  results.push_back(y.detach());
  return results;
}

double relative_error(const at::Tensor& a, const at::Tensor& b) {
  return ((a - b).norm() / b.norm()).item<double>();
}

/// Forward plus backward, the classical way against ours. Throws if they do not compute the same.
Json against_classical(NodeId nodes, std::int64_t edges, int repeats) {
  Json rows = Json::array();
  const DirectedGraph graph = random_graph(nodes, edges, 1);
  const ops::Graph shared(graph);
  for (const MapFamily family : families()) {
    const at::Tensor x = random_features(graph);
    const at::Tensor weight = random_weight(family);
    const at::Tensor grad = random_features(graph);
    const ClassicalSheaf classical(graph, family, kDim, kCharge);
    const auto fused = [&](const at::Tensor& in, const at::Tensor& w) {
      return fused_layer(in, w, shared, family);
    };
    std::vector<at::Tensor> ours;
    std::vector<at::Tensor> theirs;
    double fused_time = best_seconds(repeats, [&] { ours = run_layer(fused, x, weight, grad); });
    const double classical_time =
        best_seconds(repeats > 3 ? 10 : 1, [&] { theirs = run_layer(classical, x, weight, grad); });
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const double error = relative_error(ours[i], theirs[i]);
      if (!(error < 1e-3)) {
        throw std::runtime_error(fmt::format("result {} differs by {} from the classical one ({})",
                                             i, error, name_of(family)));
      }
    }
    fused_time =
        std::min(fused_time, best_seconds(repeats, [&] { run_layer(fused, x, weight, grad); }));
    rows.push_back({{"family", name_of(family)},
                    {"nodes", nodes},
                    {"edges", graph.num_edges()},
                    {"fused_seconds", fused_time},
                    {"classical_seconds", classical_time},
                    {"speedup", classical_time / fused_time}});
    say(rows.back().dump());
  }
  return rows;
}

struct Times {
  double forward = 0;
  double both = 0;
};

Times time_diffusion(const DirectedGraph& graph, const ops::Graph& shared, MapFamily family,
                     int repeats) {
  const at::Tensor x = random_features(graph);
  const at::Tensor maps = random_maps(graph, family);
  const at::Tensor grad = random_features(graph);
  const at::Tensor charge = at::full({}, kCharge);
  Times times;
  times.forward = best_seconds(repeats, [&] {
    const at::NoGradGuard no_grad;
    diffusion(x, maps, charge, shared, family);
  });
  const at::Tensor in = x.detach().requires_grad_();
  const at::Tensor f = maps.detach().requires_grad_();
  times.both = best_seconds(repeats, [&] {
    torch::autograd::grad({diffusion(in, f, charge, shared, family)}, {in, f}, {grad});
  });
  return times;
}

/// Share of the machine's limit: the larger of the two floors over the time taken.
double share(const Work& work, const Ceilings& ceilings, double time) {
  return std::max(work.bytes / ceilings.bytes_per_second, work.flops / ceilings.flops_per_second) /
         time;
}

Json against_limits(NodeId nodes, std::int64_t edges, const std::vector<int>& thread_counts,
                    int repeats) {
  Json rows = Json::array();
  const DirectedGraph graph = random_graph(nodes, edges, 1);
  const ops::Graph shared(graph);
  for (const int threads : thread_counts) {
    ops::set_num_threads(threads);
    for (const MapFamily family : families()) {
      // The ceilings again for each family, in the same minute as what is held against them.
      const Ceilings ceilings = measure_ceilings(std::int64_t{600} << 20);
      const double row_reads = measure_row_reads(graph, random_features(graph));
      const Times times = time_diffusion(graph, shared, family, repeats);
      const Work forward = forward_work(graph, family);
      Work both = backward_work(graph, family);
      both.bytes += forward.bytes;
      both.flops += forward.flops;
      const auto half_edges = static_cast<double>(graph.num_half_edges());
      rows.push_back({{"family", name_of(family)},
                      {"edges", graph.num_edges()},
                      {"threads", threads},
                      {"triad_gb_per_s", ceilings.bytes_per_second / 1e9},
                      {"gemm_gflop_per_s", ceilings.flops_per_second / 1e9},
                      {"row_reads_gb_per_s", row_reads / 1e9},
                      {"forward_ns_per_half_edge", 1e9 * times.forward / half_edges},
                      {"both_ns_per_half_edge", 1e9 * times.both / half_edges},
                      {"forward_gb_per_s", forward.bytes / times.forward / 1e9},
                      {"forward_share_of_limit", share(forward, ceilings, times.forward)},
                      {"both_share_of_limit", share(both, ceilings, times.both)}});
      say(rows.back().dump());
    }
  }
  return rows;
}

Json growth(const std::vector<std::int64_t>& sizes) {
  Json rows = Json::array();
  for (const std::int64_t edges : sizes) {
    const DirectedGraph graph = random_graph(static_cast<NodeId>(edges / 10), edges, 1);
    const ops::Graph shared(graph);
    for (const MapFamily family : families()) {
      const Times times = time_diffusion(graph, shared, family, edges < 1000000 ? 10 : 3);
      const auto half_edges = static_cast<double>(graph.num_half_edges());
      rows.push_back({{"family", name_of(family)},
                      {"edges", graph.num_edges()},
                      {"forward_ns_per_half_edge", 1e9 * times.forward / half_edges},
                      {"both_ns_per_half_edge", 1e9 * times.both / half_edges}});
      say(rows.back().dump());
    }
  }
  return rows;
}

/// Resident memory now, or its peak since the last reset, in bytes.
double memory_line(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(key, 0) == 0) return 1024 * std::stod(line.substr(key.size() + 1));
  }
  return 0;
}

void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

Json memory(NodeId nodes, std::int64_t edges) {
  Json rows = Json::array();
  const DirectedGraph graph = random_graph(nodes, edges, 1);
  const ops::Graph shared(graph);
  for (const MapFamily family : families()) {
    const at::Tensor x = random_features(graph).requires_grad_();
    const at::Tensor maps = random_maps(graph, family).requires_grad_();
    const at::Tensor grad = random_features(graph);
    const at::Tensor charge = at::full({}, kCharge);
    reset_peak();
    const double before = memory_line("VmRSS");
    torch::autograd::grad({diffusion(x, maps, charge, shared, family)}, {x, maps}, {grad});
    const double extra = memory_line("VmHWM") - before;
    rows.push_back({{"family", name_of(family)},
                    {"edges", graph.num_edges()},
                    {"peak_extra_bytes", extra},
                    {"kept_bytes", kept_bytes(graph, family)},
                    {"peak_over_kept", extra / kept_bytes(graph, family)}});
    say(rows.back().dump());
  }
  return rows;
}

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

int run(bool is_quick) {
  const int threads = static_cast<int>(std::thread::hardware_concurrency());
  ops::set_num_threads(threads);
  at::manual_seed(1);
  Json result;
  result["machine"] = {{"cpu", cpu_name()},
                       {"threads", threads},
                       {"simd", kernels::simd_name()},
                       {"libtorch", TORCH_VERSION},
                       {"compiler", __VERSION__}};
  const std::int64_t large = is_quick ? 100000 : 1000000;
  const auto large_nodes = static_cast<NodeId>(large / 10);
  // First, while LibTorch's memory goes back to the system at once and can be counted.
  say("memory");
  result["memory"] = memory(large_nodes, large);
  ops::use_large_pages();
  say("classical, small");
  result["classical"] = against_classical(2708, 5278, 50);
  say("limits");
  std::vector<int> thread_counts = {1};
  if (threads > 1) thread_counts.push_back(2);
  result["limits"] = against_limits(large_nodes, large, thread_counts, 7);
  ops::set_num_threads(threads);
  say("growth");
  result["growth"] = is_quick ? growth({10000, 100000}) : growth({100000, 1000000, 10000000});
  say("classical, large");
  for (Json& row : against_classical(large_nodes, large, 3)) {
    result["classical"].push_back(std::move(row));
  }
  fmt::print("{}\n", result.dump(2));
  return 0;
}

}  // namespace
}  // namespace dsnn::bench

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() > 1 || (arguments.size() == 1 && arguments[0] != "--quick")) {
    fmt::print(stderr,
               "Usage: operator_bench [--quick] > operators.json\n"
               "Measures the operators; --quick with a tenth of the edges. Needs about 24 GB and 5 "
               "minutes, --quick 3 GB and one.\n");
    return 2;
  }
  try {
    return dsnn::bench::run(!arguments.empty());
  } catch (const std::exception& error) {
    fmt::print(stderr, "operator_bench: {}\n", error.what());
    return 1;
  }
}
