// The only file that depends on the presence of LibTorch: CMake defines DSNN_BENCH_HAS_TORCH.
#include "libtorch_comparison.h"

#if DSNN_BENCH_HAS_TORCH

#include "classical_layer.h"
#include "classical_network.h"
#include "libtorch_memory.h"
#include "plain_network.h"
#include "timing.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

#include <dlfcn.h>

namespace dsnn::bench {

bool has_libtorch() { return true; }
std::string libtorch_version() { return TORCH_VERSION; }

void set_libtorch_threads(int count) {
  at::set_num_threads(count);
  // Its matrix products may have their own threads. Not linked, because the library may differ.
  using Setter = void (*)(int);
  if (const auto set = reinterpret_cast<Setter>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"))) {
    set(count);
  }
}

void use_large_pages_in_libtorch() { use_large_pages(); }

double libtorch_product_seconds(std::int64_t size, int repeats) {
  const at::Tensor x = at::ones({size, size});
  at::Tensor y = at::ones({size, size});
  return best_seconds(repeats, [&] { at::mm_out(y, x, x); });
}

std::unique_ptr<LibtorchNetwork> make_classical_network(const Dataset& dataset,
                                                        const ClassicalOptions& options) {
  return std::make_unique<ClassicalNetwork>(dataset, options);
}

std::unique_ptr<LibtorchNetwork> make_plain_network(const Dataset& dataset,
                                                    const std::string& model,
                                                    const Config& config) {
  if (!testing::plain_baselines().contains(model)) return nullptr;
  return std::make_unique<PlainNetwork>(dataset, model, config);
}

std::unique_ptr<LibtorchLayer> make_classical_layer(const DirectedGraph& graph, MapFamily family,
                                                    const LayerArguments& arguments) {
  return std::make_unique<ClassicalLayer>(graph, family, arguments);
}

}  // namespace dsnn::bench

#else

namespace dsnn::bench {

bool has_libtorch() { return false; }
std::string libtorch_version() { return {}; }
void set_libtorch_threads(int /*count*/) {}
void use_large_pages_in_libtorch() {}
double libtorch_product_seconds(std::int64_t /*size*/, int /*repeats*/) { return 0; }

std::unique_ptr<LibtorchNetwork> make_classical_network(const Dataset& /*dataset*/,
                                                        const ClassicalOptions& /*options*/) {
  return nullptr;
}
std::unique_ptr<LibtorchNetwork> make_plain_network(const Dataset& /*dataset*/,
                                                    const std::string& /*model*/,
                                                    const Config& /*config*/) {
  return nullptr;
}
std::unique_ptr<LibtorchLayer> make_classical_layer(const DirectedGraph& /*graph*/,
                                                    MapFamily /*family*/,
                                                    const LayerArguments& /*arguments*/) {
  return nullptr;
}

}  // namespace dsnn::bench

#endif
