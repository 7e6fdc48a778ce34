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

// All that the benchmarks ask of LibTorch, without a word of it: programs are the same where it is
// installed and where it is not. There, nothing is compared with it: every function that makes
// something to compare with returns null.

namespace dsnn::bench {

/// Whether these programs were built with LibTorch.
bool has_libtorch();
/// "1.13.1"; empty without it.
std::string libtorch_version();

/// Threads that LibTorch and its matrix products take from now on.
void set_libtorch_threads(int count);
/// Tensors get large pages, and freed ones wait for the next of their size, as the memory of the
/// engine does: what is compared is not how memory is had.
void use_large_pages_in_libtorch();

/// The shortest of so many products of two square matrices of floats, in seconds; 0 without
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

/// What a layer with learned maps is run on. Who makes it keeps the arrays.
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
