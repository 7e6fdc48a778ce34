#include "operator_cases.h"

#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/util/random.h"

#include "kernels/executor.h"
#include "kernels/orthogonal.h"

#include <algorithm>
#include <utility>

namespace dsnn::bench {
namespace {

using engine::Shape;
using engine::Value;

std::int64_t num_params(MapFamily family) {
  switch (family) {
    case MapFamily::kDiagonal:
      return kDim;
    case MapFamily::kOrthogonal:
      return kDim * (kDim - 1) / 2;
    case MapFamily::kGeneral:
      break;
  }
  return kDim * kDim;
}

/// Elements of a map, and of a block of the Laplacian.
double map_size(MapFamily family) { return family == MapFamily::kDiagonal ? kDim : kDim * kDim; }

constexpr double kRowBytes = 4.0 * kPlanes * kDim * kChannels;  // of a node's features
constexpr double kFloat = 4;

template <class T>
void copy(const kernels::Executor& executor, std::span<const float> from, T* to) {
  constexpr std::int64_t kBlock = 1 << 16;
  const auto size = static_cast<std::int64_t>(from.size());
  const std::int64_t num_blocks = (size + kBlock - 1) / kBlock;
  kernels::run_blocks(executor, num_blocks, [&](kernels::BlockQueue& blocks) {
    for (std::int64_t block = 0; blocks.take(block);) {
      const std::int64_t begin = block * kBlock, end = std::min(size, begin + kBlock);
      std::copy(from.data() + begin, from.data() + end, to + begin);
    }
  });
}

/// A loss with a given gradient: sum_i g_i y_i. The sum is not used and not computed.
class GivenGradient final : public engine::OperatorOf<GivenGradient> {
 public:
  explicit GivenGradient(std::span<const float> grad) : grad_(grad) {}
  std::string name() const override { return "given_gradient"; }
  engine::Shapes infer(const engine::Shapes& /*inputs*/) const override { return {Shape{}}; }
  Needs backward_needs(engine::ArgumentSet /*wanted*/) const override { return {}; }

  template <class T>
  void forward_pass(const engine::Call<T>& call) const {
    *call.outputs[0] = 0;
  }
  template <class T>
  void backward_pass(const engine::Call<T>& call) const {
    copy(call.executor, grad_, call.input_grads[0]);
  }

 private:
  std::span<const float> grad_;
};

/// Given values that appear to be computed from a weight.
class GivenNumbers final : public engine::OperatorOf<GivenNumbers> {
 public:
  GivenNumbers(Shape shape, std::span<const float> numbers)
      : shape_(std::move(shape)), numbers_(numbers) {}
  std::string name() const override { return "given_numbers"; }
  engine::Shapes infer(const engine::Shapes& /*inputs*/) const override { return {shape_}; }
  Needs backward_needs(engine::ArgumentSet /*wanted*/) const override { return {}; }

  template <class T>
  void forward_pass(const engine::Call<T>& call) const {
    copy(call.executor, numbers_, call.outputs[0]);
  }
  template <class T>
  void backward_pass(const engine::Call<T>& call) const {
    *call.input_grads[0] = 0;
  }

 private:
  Shape shape_;
  std::span<const float> numbers_;
};

Value maps_from_params(Value params, MapFamily family) {
  switch (family) {
    case MapFamily::kDiagonal:
      return params;
    case MapFamily::kOrthogonal:
      return engine::orthogonal(params, kDim, OrthogonalMethod::kHouseholder);
    case MapFamily::kGeneral:
      break;
  }
  return params.program().reshape(params, {params.size(0), kDim, kDim});
}

/// W [x_u || x_v] = W_l x_u + W_r x_v, both at once: [W_l; W_r] for each plane.
Value learned_maps(Value x, Value weight, const engine::Graph& graph, MapFamily family) {
  const std::int64_t k = num_params(family);
  const Value flat = x.program().reshape(x, {kPlanes, x.size(1), kDim * kChannels});
  const std::vector<Value> ends = engine::split(engine::linear(flat, weight), {k, k});
  return maps_from_params(engine::sheaf_maps(ends[0], ends[1], graph, MapActivation::kTanh),
                          family);
}

Shape second_shape(OperatorCase::Kind kind, const DirectedGraph& graph, MapFamily family) {
  if (kind == OperatorCase::Kind::kLayer) {
    return {kPlanes, kDim * kChannels, 2 * num_params(family)};
  }
  const std::int64_t count = graph.num_half_edges();
  return family == MapFamily::kDiagonal ? Shape{count, kDim} : Shape{count, kDim, kDim};
}

void fill_second(OperatorCase::Kind kind, MapFamily family, const engine::Device& device,
                 std::span<float> numbers) {
  constexpr std::uint64_t kSeed = 3;
  if (kind == OperatorCase::Kind::kLayer) return fill_random(numbers, 0.1, kSeed);
  if (family != MapFamily::kOrthogonal) return fill_random(numbers, 1, kSeed);
  kernels::OrthogonalBatch batch;
  batch.dim = kDim;
  batch.count = static_cast<std::int64_t>(numbers.size()) / (kDim * kDim);
  const Numbers params(batch.count * num_params(family));
  fill_random(params.all(), 1, kSeed);
  kernels::orthogonal(device.executor(), batch, params.data(), numbers.data());
}

}  // namespace

const std::vector<MapFamily>& families() {
  static const std::vector<MapFamily> all = {MapFamily::kDiagonal, MapFamily::kOrthogonal,
                                             MapFamily::kGeneral};
  return all;
}

std::string name_of(MapFamily family) {
  switch (family) {
    case MapFamily::kDiagonal:
      return "diagonal";
    case MapFamily::kOrthogonal:
      return "orthogonal";
    case MapFamily::kGeneral:
      break;
  }
  return "general";
}

DirectedGraph random_graph(NodeId num_nodes, std::int64_t num_edges, std::uint64_t seed) {
  Random random(seed);
  std::vector<Arc> arcs(static_cast<std::size_t>(num_edges));
  for (Arc& arc : arcs) {
    const auto n = static_cast<std::uint64_t>(num_nodes);
    arc.source = static_cast<NodeId>(random.below(n));
    arc.target = static_cast<NodeId>(random.below(n));
  }
  return DirectedGraph::from_arcs(num_nodes, arcs);
}

Numbers::Numbers(std::int64_t count) : count_(count) {
  memory_.reserve(static_cast<std::size_t>(count) * sizeof(float));
}

void fill_random(std::span<float> numbers, double bound, std::uint64_t seed) {
  Random random(seed);
  for (float& x : numbers) x = static_cast<float>(random.uniform(-bound, bound));
}

OperatorCase::OperatorCase(Kind kind, const engine::Graph& graph, MapFamily family,
                           engine::Device device) {
  const Shape x_shape = {kPlanes, graph.directed().num_nodes(), kDim, kChannels};
  const Shape other_shape = second_shape(kind, graph.directed(), family);
  size_of_x_ = engine::num_numbers(x_shape);
  second_size_ = engine::num_numbers(other_shape);
  const std::int64_t num_arguments = size_of_x_ + second_size_;
  arguments_ = std::make_unique<Numbers>(num_arguments + 1);
  gradients_ = std::make_unique<Numbers>(arguments_->size());
  incoming_ = std::make_unique<Numbers>(size_of_x_);
  fill_random(arguments_->part(0, size_of_x_), 1, 1);
  fill_random(incoming_->all(), 1, 2);
  fill_second(kind, family, device, arguments_->part(size_of_x_, second_size_));

  // Arguments are weights, which have gradients, or are computed from a weight.
  const auto argument = [&](const char* name, const Shape& shape, std::int64_t begin) {
    if (kind != Kind::kInnerDiffusion) return program_.parameter({name, shape, begin});
    return program_.apply_one(
        std::make_shared<GivenNumbers>(shape, arguments_->part(begin, engine::num_numbers(shape))),
        {program_.parameter({"origin", {}, num_arguments})});
  };
  const Value x = argument("x", x_shape, 0);
  const Value second = argument("second", other_shape, size_of_x_);
  const Value maps = kind == Kind::kLayer ? learned_maps(x, second, graph, family) : second;
  y_ = engine::sheaf_diffusion(x, maps, {}, program_.constant({}, {kCharge}), graph,
                               {family, Normalisation::kAugmented, {}});
  // The result of a diffusion is not read, and keeping it would need memory for longer.
  if (kind == Kind::kLayer) program_.keep(y_);
  program_.differentiate(
      program_.apply_one(std::make_shared<GivenGradient>(incoming_->all()), {y_}));
  session_ = std::make_unique<engine::Session<float>>(program_, std::move(device),
                                                      arguments_->all(), gradients_->all());
}

Work forward_work(const DirectedGraph& graph, MapFamily family) {
  const auto half_edges = static_cast<double>(graph.num_half_edges());
  const auto nodes = static_cast<double>(graph.num_nodes());
  const double size = map_size(family);
  constexpr double kTopology = 4 + 4 + 1;  // neighbour, reverse, orientation
  Work work;
  work.bytes = half_edges * (kRowBytes + 2 * size * kFloat + kTopology) + nodes * 2 * kRowBytes;
  work.flops = 2 * (half_edges + nodes) * size * kPlanes * kChannels;
  return work;
}

Work backward_work(const DirectedGraph& graph, MapFamily family) {
  const auto half_edges = static_cast<double>(graph.num_half_edges());
  const auto nodes = static_cast<double>(graph.num_nodes());
  Work work = forward_work(graph, family);
  work.bytes += half_edges * map_size(family) * kFloat + nodes * kRowBytes;  // gradient of F, and x
  work.flops *= 2;                                                           // and the correlations
  return work;
}

double kept_bytes(const DirectedGraph& graph, MapFamily family) {
  const auto half_edges = static_cast<double>(graph.num_half_edges());
  const auto nodes = static_cast<double>(graph.num_nodes());
  const double size = map_size(family);
  const double blocks = family == MapFamily::kGeneral ? 3 * size + kDim : 2 * size + kDim;
  return 3 * half_edges * size * kFloat + nodes * (2 * kRowBytes + blocks * kFloat);
}

}  // namespace dsnn::bench
