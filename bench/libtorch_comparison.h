#pragma once

#include "dsnn/config/config.h"
#include "dsnn/data/dataset.h"
#include "dsnn/graph/directed_graph.h"
#include "dsnn/sheaf/sheaf.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

// The interface of the benchmarks to LibTorch, without its headers: programs are the same with and
// without it. Without LibTorch, nothing is compared with it: every function that creates something
// for comparison returns null.

namespace dsnn::bench {

/// Whether these programs were built with LibTorch.
bool has_libtorch();
/// "1.13.1"; empty without it.
std::string libtorch_version();

/// Sets the number of threads of LibTorch and its matrix products.
void set_libtorch_threads(int count);
/// Tensors get large pages, and freed memory is reused for the next tensor of the same size, as in
/// the engine: memory allocation is not part of the comparison.
void use_large_pages_in_libtorch();

/// The least time of `repeats` products of two square matrices of floats, in seconds; 0 without
/// LibTorch.
double libtorch_product_seconds(std::int64_t size, int repeats);

/// A network with its training on split 0 of a dataset.
class LibtorchNetwork {
 public:
  virtual ~LibtorchNetwork() = default;
  /// One training step and one evaluation; returns the loss.
  virtual double run_epoch() = 0;
};

struct ClassicalOptions {
  MapFamily family = MapFamily::kDiagonal;
  std::int64_t stalk_dim = 1, channels = 1;
  int layers = 1;
  double dropout = 0;
};
/// classical_network.h; null without LibTorch.
std::unique_ptr<LibtorchNetwork> make_classical_network(const Dataset& dataset,
                                                        const ClassicalOptions& options);
/// plain_network.h; null without LibTorch, or where the model has no plain one.
std::unique_ptr<LibtorchNetwork> make_plain_network(const Dataset& dataset,
                                                    const std::string& model, const Config& config);

/// The input of a layer with learned maps. The arrays are owned by the caller.
struct LayerArguments {
  std::int64_t stalk_dim = 1, channels = 1;
  double charge = 0;
  std::span<const float> x;       ///< [2, n, d, f]
  std::span<const float> weight;  ///< the learner's: [2, d f, 2 k], as dsnn::engine::linear has it
  std::span<const float> grad;    ///< of the result, shaped as x
};
/// Output, and the gradients of x and weight, shaped as they are.
struct LayerResults {
  std::vector<float> y, grad_x, grad_weight;
};

class LibtorchLayer {
 public:
  virtual ~LibtorchLayer() = default;
  /// Forward and backward.
  virtual void run() = 0;
  /// Of the last run.
  virtual LayerResults results() const = 0;
};
/// classical_sheaf.h; null without LibTorch.
std::unique_ptr<LibtorchLayer> make_classical_layer(const DirectedGraph& graph, MapFamily family,
                                                    const LayerArguments& arguments);

}  // namespace dsnn::bench
