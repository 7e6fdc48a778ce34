// R(0) = relu(X W), R(t+1) = A_1 R(t) || A_2 R(t), logits = drop(R(0) || ... || R(T)) V + b. A_k is
// the normalised adjacency of nodes exactly k edges apart: no node listens to itself.
#include "dsnn/ops/sparse.h"

#include "nn/adjacency.h"
#include "nn/layers.h"

#include <ATen/Functions.h>

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

class H2gcn final : public Model {
 public:
  explicit H2gcn(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")), layers_(setup.config.integer("layers")) {
    const std::int64_t channels = setup.config.integer("channels");
    input_ =
        make_linear(weights(), "input", setup.shape.num_features, channels, setup.random, false);
    // 1 + 2 + 4 + ... times the channels: each round doubles them.
    const std::int64_t width = ((std::int64_t{1} << (layers_ + 1)) - 1) * channels;
    output_ = make_linear(weights(), "output", width, setup.shape.num_classes, setup.random);
  }

  at::Tensor forward(const Input& input, const Pass& pass) const override {
    const ops::SparseMatrix& near = k_hop_adjacency(input, 1, Scaling::kSymmetric);
    const ops::SparseMatrix& far = k_hop_adjacency(input, 2, Scaling::kSymmetric);
    Dropouts drop(pass);
    std::vector<at::Tensor> rounds = {
        feature_product(input, input_.weight, drop.next(dropout_)).relu()};
    for (std::int64_t t = 0; t < layers_; ++t) {
      const at::Tensor& r = rounds.back();
      rounds.push_back(at::cat({ops::spmm(r, near), ops::spmm(r, far)}, 1));
      pass.show(fmt::format("layer {}", t + 1), rounds.back());
    }
    return output_(drop(at::cat(rounds, 1), dropout_));
  }

 private:
  double dropout_;
  std::int64_t layers_;
  Linear input_, output_;
};

}  // namespace

ModelDefinition h2gcn_model() {
  std::vector<Parameter> parameters = common_parameters(2, 64, 0.5);
  describe(parameters, "layers", "Rounds; each doubles the channels").most = 10;
  return {{.name = "h2gcn",
           .family = "heterophily",
           .title = "H2GCN: nodes one and two edges apart, each for themselves",
           .reference = "Zhu et al., Beyond Homophily in Graph Neural Networks",
           .year = 2020,
           .parameters = parameters},
          {},
          maker<H2gcn>()};
}

}  // namespace dsnn::nn
