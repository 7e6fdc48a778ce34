// logits = A^^K X W + b: GCN with all but one of its weights and every relu left out; A^ as there.
#include "dsnn/ops/sparse.h"

#include "nn/adjacency.h"
#include "nn/layers.h"

namespace dsnn::nn {
namespace {

class Sgc final : public Model {
 public:
  explicit Sgc(const ModelSetup& setup)
      : hops_(setup.config.integer("hops")), dropout_(setup.config.number("dropout")) {
    output_ = make_linear(weights(), "output", setup.shape.num_features, setup.shape.num_classes,
                          setup.random);
  }

  at::Tensor forward(const Input& input, const Pass& pass) const override {
    const ops::SparseMatrix& a = adjacency(input, {Neighbours::kAll, true, Scaling::kSymmetric});
    Dropouts drop(pass);
    at::Tensor h = feature_product(input, output_.weight, drop.next(dropout_));
    for (std::int64_t k = 0; k < hops_; ++k) h = ops::spmm(h, a);
    return ops::bias_activation(h, output_.bias, StalkActivation::kIdentity);
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
                          {"dropout", 0.0, "Dropout on the features", {}, 0, 0.99}}},
          {{"lr", 0.2}, {"weight_decay", 1e-5}},
          maker<Sgc>()};
}

}  // namespace dsnn::nn
