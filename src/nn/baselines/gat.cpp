// H(t+1) = elu(||_heads sum_v a_uv (H(t) W)_v + b), the last with the mean of the heads instead of
// their concatenation, and without elu; a_uv is attention over neighbours and the node itself.
#include "dsnn/engine/operators/columns.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/attention.h"
#include "dsnn/nn/layers.h"

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

using namespace engine;

class Gat final : public Model {
 public:
  explicit Gat(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")),
        attention_dropout_(setup.config.number("attention_dropout")),
        is_v2_(setup.config.flag("v2")),
        neighbours_(seen_neighbours(setup.config.flag("directed"))) {
    const LayerSizes sizes(setup);
    Random& random = setup.random;
    for (std::int64_t t = 0; t < sizes.layers; ++t) {
      const std::string name = fmt::format("layer{}", t);
      const bool is_last = t + 1 == sizes.layers;
      Layer& layer = layers_.emplace_back();
      layer.heads = setup.config.integer(is_last ? "output_heads" : "heads");
      const std::int64_t heads = setup.config.integer("heads");
      const std::int64_t inputs = t == 0 ? sizes.num_features : heads * sizes.channels;
      const std::int64_t channels = sizes.outputs(t), width = layer.heads * channels;
      layer.weight = make_linear(weights(), name, inputs, width, random, false).weight;
      if (is_v2_) {
        layer.listener =
            make_linear(weights(), name + ".listener", inputs, width, random, false).weight;
        layer.attention_v2 = AttentionV2(weights(), name, layer.heads, channels, random);
      } else {
        layer.attention = Attention(weights(), name, layer.heads, channels, random);
      }
      const std::int64_t outputs = is_last ? channels : width;
      layer.bias = weights().add(name + ".bias", {outputs}, zero_init(outputs));
    }
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const SparseMatrix& neighbours = adjacency(input, {neighbours_, true, Scaling::kNone});
    Dropouts drop(pass);
    LayerInput h(input, pass, drop.next(dropout_));
    Value y;
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      const Layer& layer = layers_[t];
      const Dropout dropout = drop.next(attention_dropout_);
      const Value x = h.times(layer.weight);
      y = is_v2_ ? layer.attention_v2(h.times(layer.listener), x, neighbours, dropout)
                 : layer.attention(x, neighbours, dropout);
      pass.show(fmt::format("layer {}", t + 1), y);
      if (t + 1 == layers_.size()) {
        return bias_activation(head_mean(y, layer.heads), layer.bias, StalkActivation::kIdentity);
      }
      h = LayerInput(bias_activation(y, layer.bias, StalkActivation::kElu, drop.next(dropout_)));
    }
    return y;
  }

 private:
  struct Layer {
    std::int64_t heads = 0;
    Weight weight, listener, bias;
    Attention attention;
    AttentionV2 attention_v2;
  };
  double dropout_, attention_dropout_;
  bool is_v2_;
  Neighbours neighbours_;
  std::vector<Layer> layers_;
};

}  // namespace

ModelDefinition gat_model() {
  std::vector<Parameter> parameters = common_parameters(2, 8, 0.6);
  describe(parameters, "channels", "Hidden channels of each head");
  parameters.push_back({"heads", std::int64_t{8}, "Heads of hidden layers", {}, 1, 1024});
  parameters.push_back({"output_heads", std::int64_t{1}, "Heads of the last layer", {}, 1, 1024});
  parameters.push_back(dropout_parameter("attention_dropout", 0.6, "Dropout on the attention"));
  parameters.push_back(
      {"v2", false,
       "Attention scores of GATv2 (Brody et al., How Attentive are Graph Attention Networks?)"});
  parameters.push_back(directed_parameter());
  return {{.name = "gat",
           .family = "GNN",
           .title = "Graph attention network",
           .reference = "Velickovic et al., Graph Attention Networks",
           .year = 2018,
           .learns_structure = true,
           .parameters = parameters,
           .training_defaults = {{"lr", 0.005}}},
          maker<Gat>()};
}

}  // namespace dsnn::nn
