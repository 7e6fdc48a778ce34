// Measures the operators in one run: compared with classical code (classical_sheaf.h) if LibTorch
// is installed, with the machine's limits, at growing sizes, their memory and their threads. Only
// ratios of times in one run are meaningful: absolute times depend on the load of the machine.
// Prints JSON; scripts/operator_table.py makes tables.
#include "dsnn/engine/device.h"

#include "ceilings.h"
#include "kernels/simd.h"
#include "libtorch_comparison.h"
#include "operator_cases.h"
#include "timing.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace dsnn::bench {
namespace {

using Json = nlohmann::json;
using Kind = OperatorCase::Kind;

void say(const std::string& text) { fmt::print(stderr, "{}\n", text); }

/// |a - b| / |b|
double relative_error(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    difference += (x - y) * (x - y);
    size += y * y;
  }
  return std::sqrt(difference / size);
}

/// Throws if the results differ.
void expect_same(const OperatorCase& ours, const LayerResults& theirs, MapFamily family) {
  const auto expect = [&](const char* what, std::span<const float> a, std::span<const float> b) {
    const double error = relative_error(a, b);
    if (!(error < 1e-3)) {
      throw std::runtime_error(fmt::format(
          "{} differs by {} from the classical implementation ({})", what, error, name_of(family)));
    }
  };
  expect("the output", ours.y(), theirs.y);
  expect("the gradient of the features", ours.grad_x(), theirs.grad_x);
  expect("the gradient of the learner", ours.grad_second(), theirs.grad_weight);
}

/// Forward plus backward of a layer with learned maps: ours, and the classical way where there is
/// LibTorch.
Json layers(const engine::Device& device, NodeId nodes, std::int64_t edges, int repeats) {
  Json rows = Json::array();
  const engine::Graph graph(random_graph(nodes, edges, 1));
  for (const MapFamily family : families()) {
    OperatorCase ours(Kind::kLayer, graph, family, device);
    const auto run = [&] {
      ours.forward();
      ours.backward();
    };
    double fused_time = best_seconds(repeats, run);
    Json row = {
        {"family", name_of(family)}, {"nodes", nodes}, {"edges", graph.directed().num_edges()}};
    const auto classical = make_classical_layer(
        graph.directed(), family, {kDim, kChannels, kCharge, ours.x(), ours.second(), ours.grad()});
    if (classical) {
      const double classical_time = best_seconds(repeats > 3 ? 10 : 1, [&] { classical->run(); });
      expect_same(ours, classical->results(), family);
      fused_time = std::min(fused_time, best_seconds(repeats, run));
      row["classical_seconds"] = classical_time;
      row["speedup"] = classical_time / fused_time;
    }
    row["fused_seconds"] = fused_time;
    rows.push_back(row);
    say(rows.back().dump());
  }
  return rows;
}

struct Times {
  double forward = 0;
  double both = 0;
};

Times time_passes(OperatorCase& run, int repeats) {
  Times times;
  times.forward = best_seconds(repeats, [&] { run.forward(); });
  times.both = best_seconds(repeats, [&] {
    run.forward();
    run.backward();
  });
  return times;
}

/// Share of the machine's limit: the larger of the two floors over the time taken.
double share(const Work& work, const Ceilings& ceilings, double time) {
  return std::max(work.bytes / ceilings.bytes_per_second, work.flops / ceilings.flops_per_second) /
         time;
}

Json against_limits(engine::Device device, NodeId nodes, std::int64_t edges,
                    const std::vector<int>& thread_counts, int repeats) {
  Json rows = Json::array();
  const engine::Graph shared(random_graph(nodes, edges, 1));
  const DirectedGraph& graph = shared.directed();
  for (const int threads : thread_counts) {
    device.use_threads(threads);
    set_libtorch_threads(threads);
    for (const MapFamily family : families()) {
      OperatorCase diffusion(Kind::kDiffusion, shared, family, device);
      // The limits are measured again for each family, in the same minute as the operators.
      const Ceilings ceilings = measure_ceilings(device, std::int64_t{600} << 20);
      const double row_reads = measure_row_reads(device, graph, diffusion.x(), kPlanes);
      const Times times = time_passes(diffusion, repeats);
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

Json growth(const engine::Device& device, const std::vector<std::int64_t>& sizes) {
  Json rows = Json::array();
  for (const std::int64_t edges : sizes) {
    const engine::Graph shared(random_graph(static_cast<NodeId>(edges / 10), edges, 1));
    const DirectedGraph& graph = shared.directed();
    for (const MapFamily family : families()) {
      OperatorCase diffusion(Kind::kDiffusion, shared, family, device);
      const Times times = time_passes(diffusion, edges < 1000000 ? 10 : 3);
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

Json memory(const engine::Device& device, NodeId nodes, std::int64_t edges) {
  Json rows = Json::array();
  const engine::Graph shared(random_graph(nodes, edges, 1));
  const DirectedGraph& graph = shared.directed();
  for (const MapFamily family : families()) {
    OperatorCase diffusion(Kind::kInnerDiffusion, shared, family, device);
    const auto arguments = static_cast<double>(diffusion.x().size() + diffusion.second().size());
    reset_peak();
    const double before = memory_line("VmRSS");
    diffusion.forward();
    diffusion.backward();
    const double extra = memory_line("VmHWM") - before - arguments * sizeof(float);
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
  const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  engine::Device device = engine::Device::cpu(threads);
  device.use_threads(threads);
  set_libtorch_threads(threads);
  use_large_pages_in_libtorch();
  Json result;
  result["machine"] = {{"cpu", cpu_name()},
                       {"threads", threads},
                       {"simd", kernels::simd_name()},
                       {"compiler", __VERSION__}};
  if (has_libtorch()) {
    result["machine"]["libtorch"] = libtorch_version();
  } else {
    say("Built without LibTorch: no classical implementation; the matrix product is dsnn's.");
  }
  const std::int64_t large = is_quick ? 100000 : 1000000;
  const auto large_nodes = static_cast<NodeId>(large / 10);
  // First, before any pass has allocated scratch memory.
  say("memory");
  result["memory"] = memory(device, large_nodes, large);
  say("layers, small");
  result["classical"] = layers(device, 2708, 5278, 50);
  say("limits");
  std::vector<int> thread_counts = {1};
  if (threads > 1) thread_counts.push_back(2);
  result["limits"] = against_limits(device, large_nodes, large, thread_counts, 7);
  device.use_threads(threads);
  set_libtorch_threads(threads);
  say("growth");
  result["growth"] =
      is_quick ? growth(device, {10000, 100000}) : growth(device, {100000, 1000000, 10000000});
  say("layers, large");
  for (Json& row : layers(device, large_nodes, large, 3)) {
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
    fmt::print(
        stderr,
        "Usage: operator_bench [--quick] > operators.json\n"
        "Measures the operators; --quick with a tenth of the edges. Needs about 24 GB (10 GB "
        "without LibTorch) and 5 minutes, --quick 3 GB and one.\n");
    return 2;
  }
  try {
    return dsnn::bench::run(!arguments.empty());
  } catch (const std::exception& error) {
    fmt::print(stderr, "operator_bench: {}\n", error.what());
    return 1;
  }
}
