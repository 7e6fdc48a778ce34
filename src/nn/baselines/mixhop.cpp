// H(t+1) = relu(H W_0 || A^ H W_1 || A^^2 H W_2 || ... + b), then a linear map; A^ as in GCN.
#include "dsnn/ops/sparse.h"

#include "nn/adjacency.h"
#include "nn/layers.h"

#include <ATen/Functions.h>

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

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

  at::Tensor forward(const Input& input, const Pass& pass) const override {
    const ops::SparseMatrix& a = adjacency(input, {Neighbours::kAll, true, Scaling::kSymmetric});
    Dropouts drop(pass);
    LayerInput h(input, drop.next(dropout_));
    at::Tensor next;
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      next = ops::bias_activation(powers(h.times(layers_[t].weight), a), layers_[t].bias,
                                  StalkActivation::kRelu, drop.next(dropout_));
      pass.show(fmt::format("layer {}", t + 1), next);
      h = LayerInput(next);
    }
    return output_(next);
  }

 private:
  /// x_0 || A x_1 || A^2 x_2 || ...: all but x_0 are multiplied once, all but those two again, ...
  at::Tensor powers(at::Tensor x, const ops::SparseMatrix& a) const {
    std::vector<at::Tensor> parts = {x.narrow(1, 0, channels_)};
    while (x.size(1) > channels_) {
      x = ops::spmm(x.narrow(1, channels_, x.size(1) - channels_).contiguous(), a);
      parts.push_back(x.narrow(1, 0, channels_));
    }
    return at::cat(parts, 1);
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
           .title = "MixHop: powers of the adjacency side by side",
           .reference = "Abu-El-Haija et al., MixHop: Higher-Order Graph Convolutional "
                        "Architectures via Sparsified Neighborhood Mixing",
           .year = 2019,
           .parameters = parameters},
          {},
          maker<MixHop>()};
}

}  // namespace dsnn::nn
