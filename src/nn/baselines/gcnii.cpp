// S(t) = (1 - alpha) A^ H(t) + alpha H(0), H(t+1) = relu((1 - beta_t) S(t) + beta_t S(t) W(t)),
// beta_t = log(lambda / (t + 1) + 1); A^ as in GCN.
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/layers.h"

#include "util/portable_math.h"

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

using namespace engine;

class Gcnii final : public Model {
 public:
  explicit Gcnii(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")),
        alpha_(setup.config.number("alpha")),
        lambda_(setup.config.number("lambda")) {
    const std::int64_t channels = setup.config.integer("channels");
    input_ = make_linear(weights(), "input", setup.shape.num_features, channels, setup.random);
    for (std::int64_t t = 0; t < setup.config.integer("layers"); ++t) {
      layers_.push_back(make_linear(weights(), fmt::format("layer{}", t), channels, channels,
                                    setup.random, false));
    }
    output_ = make_linear(weights(), "output", channels, setup.shape.num_classes, setup.random);
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const SparseMatrix& a = adjacency(input, {Neighbours::kAll, true, Scaling::kSymmetric});
    Dropouts drop(pass);
    const Value first =
        bias_activation(feature_product(input, pass, input_.weight, drop.next(dropout_)),
                        input_.bias, StalkActivation::kRelu);
    Value h = first;
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      const Value s = mix(spmm(drop(h, dropout_), a), first, alpha_);
      const double beta = portable::log(lambda_ / static_cast<double>(t + 1) + 1);
      h = relu(mix(s, layers_[t](s), beta));
      pass.show(fmt::format("layer {}", t + 1), h);
    }
    return output_(drop(h, dropout_));
  }

 private:
  double dropout_, alpha_, lambda_;
  Linear input_, output_;
  std::vector<Linear> layers_;
};

}  // namespace

ModelDefinition gcnii_model() {
  std::vector<Parameter> parameters = common_parameters(64, 64, 0.6);
  parameters.push_back({"alpha", 0.1, "Share of the first layer in all later layers", {}, 0, 1});
  parameters.push_back(
      {"lambda", 0.5, "Weight of the linear maps relative to the identity mapping", {}, 0, 1e9});
  return {{.name = "gcnii",
           .family = "GNN",
           .title = "GCN with initial residual and identity mapping",
           .reference = "Chen et al., Simple and Deep Graph Convolutional Networks",
           .year = 2020,
           .parameters = parameters},
          maker<Gcnii>()};
}

}  // namespace dsnn::nn
