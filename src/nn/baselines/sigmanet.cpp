// H(t+1) = relu(D^-1/2 H^sigma D^-1/2 H(t) W + (1 + i) b), complex, with the sign-magnetic
// adjacency of the graph with self-loops; then a linear map of Re || Im.
#include "dsnn/engine/operators/columns.h"
#include "dsnn/nn/layers.h"
#include "dsnn/nn/magnetic.h"

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

using namespace engine;

class SigMaNet final : public Model {
 public:
  explicit SigMaNet(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")),
        has_self_loops_(setup.config.flag("self_loops")),
        copies_imag_(setup.config.word("imag_init") == "copy") {
    const std::int64_t channels = setup.config.integer("channels");
    for (std::int64_t t = 0; t < setup.config.integer("layers"); ++t) {
      layers_.push_back(make_linear(weights(), fmt::format("layer{}", t),
                                    t == 0 ? setup.shape.num_features : channels, channels,
                                    setup.random));
    }
    if (setup.shape.is_encoder) return;
    output_ =
        make_plane_linear(weights(), "output", channels, setup.shape.num_classes, setup.random);
  }

  Value forward(const Input& input, const Pass& pass) const override {
    return output_(encode(input, pass));
  }

  Value encode(const Input& input, const Pass& pass) const override {
    const HermitianMatrix& a = sign_magnetic_adjacency(input, has_self_loops_);
    Dropouts drop(pass);
    Value h;
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      const Weight& weight = layers_[t].weight;
      h = t == 0 ? complex_feature_product(input, pass, weight, drop.next(dropout_), copies_imag_)
                 : plane_product(h, weight);
      h = complex_bias_relu(a(h), layers_[t].bias);
      pass.show(fmt::format("layer {}", t + 1), h);
    }
    return drop(h, dropout_);
  }

 private:
  double dropout_;
  bool has_self_loops_, copies_imag_;
  std::vector<Linear> layers_;
  Linear output_;
};

}  // namespace

ModelDefinition sigmanet_model() {
  std::vector<Parameter> parameters = common_parameters(2, 64, 0.5);
  describe(parameters, "dropout", "Dropout on the features and on the input of the last map");
  parameters.push_back({"self_loops", true, "Add self-loops"});
  parameters.push_back(imag_init_parameter());
  return {{.name = "sigmanet",
           .family = "directed",
           .title = "SigMaNet: convolution with the sign-magnetic Laplacian",
           .reference = "Fiorini et al., SigMaNet: One Laplacian to Rule Them All",
           .year = 2023,
           .uses_direction = true,
           .parameters = parameters},
          maker<SigMaNet>()};
}

}  // namespace dsnn::nn
