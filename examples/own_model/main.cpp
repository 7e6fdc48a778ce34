// A model defined outside the library: it is registered under a name, then trained like any other,
// next to a GCN, on a graph whose communities differ only in arc directions.
#include <cstdio>
#include <dsnn/data/dsbm_dataset.h>
#include <dsnn/engine/operators/arithmetic.h>
#include <dsnn/engine/operators/sparse.h>
#include <dsnn/nn/adjacency.h>
#include <dsnn/nn/layers.h>
#include <dsnn/train/train.h>

namespace nn = dsnn::nn;
using dsnn::engine::Value;

/// H = relu(A_out X W_1 + A_in X W_2 + b), logits = H V + c: A_out has the arcs that leave a node,
/// A_in those that reach it, both over the square roots of in- and out-degrees.
class TwoWays final : public nn::Model {
 public:
  /// Reads the configuration and makes the weights.
  explicit TwoWays(const nn::ModelSetup& setup) : dropout_(setup.config.number("dropout")) {
    const std::int64_t inputs = setup.shape.num_features;
    const std::int64_t channels = setup.config.integer("channels");
    out_ = nn::make_linear(weights(), "out", inputs, channels, setup.random);
    in_ = nn::make_linear(weights(), "in", inputs, channels, setup.random, /*has_bias=*/false);
    output_ = nn::make_linear(weights(), "output", channels, setup.shape.num_classes, setup.random);
  }

  /// Appends the network to the pass's program.
  Value forward(const nn::Input& input, const nn::Pass& pass) const override {
    nn::Dropouts drop(pass);
    const auto gather = [&](nn::Neighbours neighbours, const nn::Linear& linear) {
      const auto& a = nn::adjacency(input, {neighbours, false, nn::Scaling::kSymmetric});
      return spmm(nn::feature_product(input, pass, linear.weight, drop.next(dropout_)), a);
    };
    const Value sum = gather(nn::Neighbours::kOut, out_) + gather(nn::Neighbours::kIn, in_);
    const Value h =
        bias_activation(sum, out_.bias, dsnn::StalkActivation::kRelu, drop.next(dropout_));
    pass.show("layer 1", h);  // named in messages if its values are not finite
    return output_(h);
  }

 private:
  double dropout_;
  nn::Linear out_, in_, output_;
};

nn::ModelDefinition two_ways() {
  return {{.name = "two-ways",
           .family = "mine",
           .title = "Separate weights for in- and out-neighbours",
           .reference = "examples/own_model",
           .uses_direction = true,
           .parameters = {{"channels", std::int64_t{16}, "Hidden channels", {}, 1, 65536},
                          nn::dropout_parameter("dropout", 0,
                                                "Dropout on the features and the hidden layer")},
           .training_defaults = {{"lr", 0.05}}},
          nn::maker<TwoWays>()};
}

int main() {
  nn::register_model(two_ways());
  const dsnn::Dataset dataset = dsnn::dsbm_dataset(
      {.num_nodes = 600, .num_communities = 3, .alpha_in = 0.1, .alpha_out = 0.1, .beta = 0.2});
  for (const char* model : {"gcn", "two-ways"}) {
    dsnn::TrainOptions options;
    options.model = model;
    options.config = dsnn::default_config(model);
    options.config.set_text("epochs=200");
    options.splits = {0, 1, 2};
    double accuracy = 0;
    for (const dsnn::SplitResult& split : dsnn::train(dataset, options).splits) {
      accuracy += split.test.accuracy / 3;
    }
    std::printf("%-8s test accuracy %.0f %%\n", model, 100 * accuracy);
  }
}
