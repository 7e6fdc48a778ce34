// logits = A^^K X W + b: GCN with all but one of its weights and every relu left out; A^ as there.
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/layers.h"

namespace dsnn::nn {
namespace {

using namespace engine;

class Sgc final : public Model {
 public:
  explicit Sgc(const ModelSetup& setup)
      : hops_(setup.config.integer("hops")), dropout_(setup.config.number("dropout")) {
    output_ = make_linear(weights(), "output", setup.shape.num_features, setup.shape.num_classes,
                          setup.random);
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const SparseMatrix& a = adjacency(input, {Neighbours::kAll, true, Scaling::kSymmetric});
    Dropouts drop(pass);
    Value h = feature_product(input, pass, output_.weight, drop.next(dropout_));
    for (std::int64_t k = 0; k < hops_; ++k) h = spmm(h, a);
    return bias_activation(h, output_.bias, StalkActivation::kIdentity);
  }

 private:
  std::int64_t hops_;
  double dropout_;
  Linear output_;
};

}  // namespace

ModelDefinition sgc_model() {
  return {{.name = "sgc",
           .family = "GNN",
           .title = "Simple graph convolution: one linear map of smoothed features",
           .reference = "Wu et al., Simplifying Graph Convolutional Networks",
           .year = 2019,
           .parameters = {{"hops", std::int64_t{2}, "Steps of smoothing", {}, 0, 1000},
                          dropout_parameter("dropout", 0, "Dropout on the features")},
           .training_defaults = {{"lr", 0.2}, {"weight_decay", 1e-5}}},
          maker<Sgc>()};
}

}  // namespace dsnn::nn
