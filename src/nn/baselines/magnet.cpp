// H(t+1) = relu(sum_k T_k(L - I) H(t) W_k + (1 + i) b), complex, T_k Chebyshev's polynomials and L
// the normalised magnetic Laplacian, whose spectrum lies in [0, 2]; then a linear map of Re || Im.
#include "dsnn/engine/operators/columns.h"
#include "dsnn/nn/layers.h"
#include "dsnn/nn/magnetic.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>

namespace dsnn::nn {
namespace {

using namespace engine;

class MagNet final : public Model {
 public:
  explicit MagNet(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")),
        charge_(setup.config.number("q")),
        order_(setup.config.integer("order")),
        copies_imag_(setup.config.word("imag_init") == "copy") {
    const std::int64_t channels = setup.config.integer("channels");
    for (std::int64_t t = 0; t < setup.config.integer("layers"); ++t) {
      const std::string name = fmt::format("layer{}", t);
      const std::int64_t inputs = t == 0 ? setup.shape.num_features : channels;
      Layer& layer = layers_.emplace_back();
      for (std::int64_t k = 0; k <= order_; ++k) {
        layer.orders.push_back(make_linear(weights(), fmt::format("{}.order{}", name, k), inputs,
                                           channels, setup.random, false)
                                   .weight);
      }
      layer.bias = weights().add(name + ".bias", {channels}, zero_init(channels));
    }
    if (setup.shape.is_encoder) return;
    output_ =
        make_plane_linear(weights(), "output", channels, setup.shape.num_classes, setup.random);
  }

  Value forward(const Input& input, const Pass& pass) const override {
    return output_(encode(input, pass));
  }

  Value encode(const Input& input, const Pass& pass) const override {
    const std::shared_ptr<const HermitianMatrix> a = magnetic_adjacency(input, charge_);
    adjacency_ = a;  // reused by the next program
    Dropouts drop(pass);
    Value h;
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      const Dropout dropout = drop.next(t == 0 ? dropout_ : 0);
      std::vector<Value> products;
      for (const Weight& weight : layers_[t].orders) {
        products.push_back(t == 0
                               ? complex_feature_product(input, pass, weight, dropout, copies_imag_)
                               : plane_product(h, weight));
      }
      h = complex_bias_relu(chebyshev_sum(products, *a), layers_[t].bias);
      pass.show(fmt::format("layer {}", t + 1), h);
    }
    return drop(h, dropout_);
  }

 private:
  struct Layer {
    std::vector<Weight> orders;  // W_k
    Weight bias;
  };
  double dropout_, charge_;
  std::int64_t order_;
  bool copies_imag_;
  mutable std::atomic<std::shared_ptr<const HermitianMatrix>> adjacency_;  // of the last input
  std::vector<Layer> layers_;
  Linear output_;
};

}  // namespace

ModelDefinition magnet_model() {
  std::vector<Parameter> parameters = common_parameters(2, 32, 0.5);
  describe(parameters, "dropout", "Dropout on the features and on the input of the last map");
  parameters.push_back({"q", 0.25, "Charge: a one-way edge has the phase exp(2 pi i q)"});
  parameters.push_back(
      {"order", std::int64_t{1}, "Largest degree K of the Chebyshev polynomials", {}, 0, 100});
  parameters.push_back(imag_init_parameter());
  return {{.name = "magnet",
           .family = "directed",
           .title = "MagNet: Chebyshev filters of the magnetic Laplacian",
           .reference = "Zhang et al., MagNet: A Neural Network for Directed Graphs",
           .year = 2021,
           .uses_direction = true,
           .parameters = parameters},
          maker<MagNet>()};
}

}  // namespace dsnn::nn
