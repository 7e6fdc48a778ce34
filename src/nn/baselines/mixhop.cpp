// H(t+1) = relu(H W_0 || A^ H W_1 || A^^2 H W_2 || ... + b), then a linear map; A^ as in GCN.
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/layers.h"

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

using namespace engine;

class MixHop final : public Model {
 public:
  explicit MixHop(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")), channels_(setup.config.integer("channels")) {
    const std::int64_t width = (setup.config.integer("hops") + 1) * channels_;
    for (std::int64_t t = 0; t < setup.config.integer("layers"); ++t) {
      layers_.push_back(make_linear(weights(), fmt::format("layer{}", t),
                                    t == 0 ? setup.shape.num_features : width, width,
                                    setup.random));
    }
    output_ = make_linear(weights(), "output", width, setup.shape.num_classes, setup.random);
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const SparseMatrix& a = adjacency(input, {Neighbours::kAll, true, Scaling::kSymmetric});
    Dropouts drop(pass);
    LayerInput h(input, pass, drop.next(dropout_));
    Value next;
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      next = bias_activation(powers(h.times(layers_[t].weight), a), layers_[t].bias,
                             StalkActivation::kRelu, drop.next(dropout_));
      pass.show(fmt::format("layer {}", t + 1), next);
      h = LayerInput(next);
    }
    return output_(next);
  }

 private:
  /// x_0 || A x_1 || A^2 x_2 || ...: all but x_0 are multiplied once, all but those two again, ...
  Value powers(Value x, const SparseMatrix& a) const {
    std::vector<Value> parts;
    while (x.size(1) > channels_) {
      const std::vector<Value> cut = split(x, {channels_, x.size(1) - channels_});
      parts.push_back(cut[0]);
      x = spmm(cut[1], a);
    }
    parts.push_back(x);
    return parts.size() == 1 ? x : concat(parts);
  }

  double dropout_;
  std::int64_t channels_;
  std::vector<Linear> layers_;
  Linear output_;
};

}  // namespace

ModelDefinition mixhop_model() {
  std::vector<Parameter> parameters = common_parameters(2, 60, 0.5);
  describe(parameters, "channels", "Hidden channels of each power");
  parameters.push_back({"hops", std::int64_t{2}, "Largest power of the adjacency", {}, 0, 100});
  return {{.name = "mixhop",
           .family = "heterophily",
           .title = "MixHop: concatenated powers of the adjacency",
           .reference = "Abu-El-Haija et al., MixHop: Higher-Order Graph Convolutional "
                        "Architectures via Sparsified Neighborhood Mixing",
           .year = 2019,
           .parameters = parameters},
          maker<MixHop>()};
}

}  // namespace dsnn::nn
