#pragma once

#include "dsnn/engine/device.h"
#include "dsnn/engine/graph.h"
#include "dsnn/engine/session.h"
#include "dsnn/graph/directed_graph.h"
#include "dsnn/sheaf/sheaf.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace dsnn::bench {

// The sizes for all measurements: stalks of 4 dimensions, 32 channels, complex features.
constexpr std::int64_t kDim = 4;
constexpr std::int64_t kChannels = 32;
constexpr std::int64_t kPlanes = 2;
constexpr double kCharge = 0.25;

const std::vector<MapFamily>& families();
std::string name_of(MapFamily family);

/// Nodes and edges drawn at random, each edge one arc.
DirectedGraph random_graph(NodeId num_nodes, std::int64_t num_edges, std::uint64_t seed);

/// An array of floats in large pages, like those of the engine. Its memory is not touched before it
/// is written.
class Numbers {
 public:
  explicit Numbers(std::int64_t count);
  std::int64_t size() const { return count_; }
  float* data() const { return static_cast<float*>(memory_.data()); }
  std::span<float> all() const { return {data(), static_cast<std::size_t>(count_)}; }
  std::span<float> part(std::int64_t begin, std::int64_t count) const {
    return all().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(count));
  }

 private:
  engine::Arena memory_;
  std::int64_t count_;
};

void fill_random(std::span<float> numbers, double bound, std::uint64_t seed);

/// Operators as a program of the engine on random values. The gradient of its result is also
/// random, which needs a copy of at most a fiftieth of all memory. The graph and all arguments are
/// allocated at construction; passes touch the rest.
class OperatorCase {
 public:
  /// The measured program.
  enum class Kind {
    kDiffusion,  ///< S L S x for given maps, like those learned by a layer: arguments x, maps
    /// The same within a program that computes x and maps, as in models: then the program can share
    /// their memory and that of their gradients. It needs copies of both.
    kInnerDiffusion,
    kLayer  ///< maps learned from x, and S L S x: arguments x, the learner's [2, d f, 2 k]
  };
  OperatorCase(Kind kind, const engine::Graph& graph, MapFamily family, engine::Device device);

  void forward() { session_->forward(); }
  /// After forward().
  void backward() { session_->backward(); }

  std::span<const float> x() const { return arguments_->part(0, size_of_x_); }
  /// The maps, or the learner's weight.
  std::span<const float> second() const { return arguments_->part(size_of_x_, second_size_); }
  /// The gradient of the result.
  std::span<const float> grad() const { return incoming_->all(); }

  /// For a layer; that of a diffusion is overwritten by the backward pass.
  std::span<const float> y() const { return session_->numbers(y_); }
  std::span<const float> grad_x() const { return gradients_->part(0, size_of_x_); }
  std::span<const float> grad_second() const { return gradients_->part(size_of_x_, second_size_); }

 private:
  engine::Program program_;
  std::int64_t size_of_x_ = 0, second_size_ = 0;
  std::unique_ptr<Numbers> arguments_, gradients_, incoming_;
  engine::Value y_;
  std::unique_ptr<engine::Session<float>> session_;
};

/// Minimal bytes and operations of one forward pass, or one forward and backward pass, if the
/// features are larger than the caches: every half-edge reads its neighbour's rows and both maps,
/// every node reads and writes its own rows; what the operator stores for itself is not counted.
struct Work {
  double bytes = 0;
  double flops = 0;
};
Work forward_work(const DirectedGraph& graph, MapFamily family);
Work backward_work(const DirectedGraph& graph, MapFamily family);

/// Bytes of results and of values passed between the passes: y and x's gradient; the scaled maps
/// and their gradient, and that of the maps; two blocks (three for general maps) per node.
double kept_bytes(const DirectedGraph& graph, MapFamily family);

}  // namespace dsnn::bench
