#include "gpu_layer.h"

#include "dsnn/engine/device.h"
#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/util/random.h"

#include "kernels/gpu.h"
#include "util/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace dsnn::bench {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// Bytes per second that a copy within the GPU reads and writes.
double copy_speed(const kernels::Gpu& gpu) {
  constexpr std::size_t kBytes = std::size_t{2} << 30;
  const kernels::GpuArray<std::byte> from(gpu, kBytes), to(gpu, kBytes);
  double shortest = 1e300;
  for (int i = 0; i < 10; ++i) {
    gpu.wait();
    const auto start = Clock::now();
    gpu.copy(to.data(), from.data(), kBytes);
    gpu.wait();
    shortest = std::min(shortest, seconds_since(start));
  }
  return 2.0 * kBytes / shortest;
}

/// An operator with its arrays on a device.
class Stage {
 public:
  Stage(engine::OperatorPtr op, engine::Shapes shapes, const engine::Device& device)
      : op_(std::move(op)), shapes_(std::move(shapes)), device_(device) {
    results_ = op_->infer(shapes_);
    for (std::size_t i = 0; i < shapes_.size(); ++i) grads_of_inputs.push_back(array(shapes_, i));
    for (std::size_t i = 0; i < results_.size(); ++i) outputs.push_back(array(results_, i));
  }
  std::vector<float*> outputs, grads_of_inputs;

  float* array(const engine::Shapes& shapes, std::size_t i) {
    if (!shapes.has(i)) return nullptr;
    const auto size = static_cast<std::size_t>(engine::num_numbers(shapes[i]));
    bytes_ += size * sizeof(float);
    arrays_.push_back(std::make_unique<engine::Arena>(device_));
    arrays_.back()->reserve(std::max<std::size_t>(size, 1) * sizeof(float));
    return static_cast<float*>(arrays_.back()->data());
  }
  void forward(const std::vector<const float*>& inputs) const {
    start();
    op_->forward(engine::Call<float>{device_.executor(), 0, shapes_, results_, inputs, outputs});
  }
  void backward(const std::vector<const float*>& inputs,
                const std::vector<const float*>& grads) const {
    start();
    op_->backward(engine::Call<float>{device_.executor(), 0, shapes_, results_, inputs, outputs,
                                      grads, grads_of_inputs});
  }
  const engine::Shapes& results() const { return results_; }
  double megabytes() const { return static_cast<double>(bytes_) * 1e-6; }

 private:
  void start() const {
    if (device_.gpu() != nullptr) device_.gpu()->start_step();
  }

  engine::OperatorPtr op_;
  engine::Shapes shapes_, results_;
  engine::Device device_;
  std::vector<std::unique_ptr<engine::Arena>> arrays_;
  std::size_t bytes_ = 0;
};

/// One layer y = L x with its maps, forward and backward.
struct Layer {
  Stage maps, diffusion;
  float *given_maps, *x, *grad;

  Layer(const engine::Graph& graph, MapFamily family, const engine::Shape& map_shape,
        const engine::Shape& x_shape, const engine::Device& device)
      : maps(engine::scaled_maps_operator(graph, {family, Normalisation::kAugmented, {}}),
             with_none(map_shape), device),
        diffusion(engine::scaled_diffusion_operator(graph),
                  {x_shape, maps.results()[0], maps.results()[1], engine::Shape{1}}, device),
        given_maps(maps.array({map_shape}, 0)),
        x(maps.array({x_shape}, 0)),
        grad(maps.array({x_shape}, 0)) {}
  static engine::Shapes with_none(const engine::Shape& shape) {
    engine::Shapes shapes = {shape};
    shapes.add(std::nullopt);
    return shapes;
  }
  void forward(const float* charge) const {
    maps.forward({given_maps, nullptr});
    diffusion.forward({x, maps.outputs[0], maps.outputs[1], charge});
  }
  void backward(const float* charge) const {
    diffusion.backward({x, maps.outputs[0], maps.outputs[1], charge}, {grad});
    maps.backward({given_maps, nullptr},
                  {diffusion.grads_of_inputs[1], diffusion.grads_of_inputs[2], nullptr, nullptr});
  }
};

}  // namespace

Json bench_layer(MapFamily family, const char* name, std::int64_t nodes, std::int64_t edges) {
  constexpr std::int64_t kDim = 4, kChannels = 32;
  Random random(1);
  std::vector<Arc> arcs;
  for (std::int64_t i = 0; i < edges; ++i) {
    const auto below = static_cast<std::uint64_t>(nodes);
    const auto from = static_cast<NodeId>(random.below(below));
    arcs.push_back({from, static_cast<NodeId>(random.below(below))});
  }
  const engine::Graph graph(DirectedGraph::from_arcs(static_cast<NodeId>(nodes), arcs));
  const std::int64_t count = graph.directed().num_half_edges();
  engine::Shape map_shape = {count, kDim};
  if (family != MapFamily::kDiagonal) map_shape.push_back(kDim);
  const engine::Shape x_shape = {2, nodes, kDim, kChannels};
  const engine::Device processor = engine::Device::cpu(8), device = engine::Device::cuda();
  const kernels::Gpu& gpu = *device.gpu();
  const Layer expected(graph, family, map_shape, x_shape, processor);
  const Layer layer(graph, family, map_shape, x_shape, device);
  const auto size = [](const engine::Shape& shape) {
    return static_cast<std::size_t>(engine::num_numbers(shape));
  };
  const auto fill = [&](float* here, float* there, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) here[i] = static_cast<float>(random.uniform(-1, 1));
    gpu.upload(there, here, length * sizeof(float));
  };
  fill(expected.given_maps, layer.given_maps, size(map_shape));
  fill(expected.x, layer.x, size(x_shape));
  fill(expected.grad, layer.grad, size(x_shape));
  const float charge = 0.2F;
  const kernels::GpuArray<float> charge_on_gpu(gpu, std::span<const float>(&charge, 1));
  expected.forward(&charge);
  expected.backward(&charge);
  layer.forward(charge_on_gpu.data());
  layer.backward(charge_on_gpu.data());
  const auto difference = [&](const float* a, const float* on_gpu, std::size_t length) {
    std::vector<float> b(length);
    gpu.download(b.data(), on_gpu, length * sizeof(float));
    double worst = 0, largest = 0;
    for (std::size_t i = 0; i < length; ++i) {
      worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
      largest = std::max(largest, std::abs(static_cast<double>(a[i])));
    }
    return worst / largest;
  };
  const auto timed = [&](const auto& work) {
    gpu.start_recording();  // as in training
    work();
    const auto recording = gpu.finish_recording();
    double shortest = 1e300;
    for (int i = 0; i < 20; ++i) {
      gpu.wait();
      const auto start = Clock::now();
      gpu.replay(*recording);
      gpu.wait();
      shortest = std::min(shortest, seconds_since(start));
    }
    return 1000 * shortest;
  };
  const double gather_ms = timed([&] {
    layer.diffusion.forward(
        {layer.x, layer.maps.outputs[0], layer.maps.outputs[1], charge_on_gpu.data()});
  });
  // The rows of all neighbours, the own ones and the result; both maps, neighbour, reverse and
  // orientation of a half-edge.
  const double row_bytes = 2.0 * kDim * kChannels * sizeof(float);
  const double map_bytes = static_cast<double>(size(map_shape)) * sizeof(float);
  const double gather_bytes = static_cast<double>(count) * (row_bytes + 9) + 2 * map_bytes +
                              2 * static_cast<double>(nodes) * row_bytes;
  const Json row = {
      {"layer", name},
      {"edges", graph.directed().num_edges()},
      {"output_difference",
       difference(expected.diffusion.outputs[0], layer.diffusion.outputs[0], size(x_shape))},
      {"gradient_difference", difference(expected.maps.grads_of_inputs[0],
                                         layer.maps.grads_of_inputs[0], size(map_shape))},
      {"forward_ms", timed([&] { layer.forward(charge_on_gpu.data()); })},
      {"forward_backward_ms", timed([&] {
         layer.forward(charge_on_gpu.data());
         layer.backward(charge_on_gpu.data());
       })},
      {"gather_ms", gather_ms},
      {"gather_share_of_copy_speed", gather_bytes / (gather_ms / 1000) / copy_speed(gpu)},
      {"arrays_mb", layer.maps.megabytes() + layer.diffusion.megabytes()},
      {"kept_mb", static_cast<double>(gpu.bytes_kept()) * 1e-6}};
  fmt::print(stderr, "{}\n", row.dump());
  return row;
}

}  // namespace dsnn::bench
