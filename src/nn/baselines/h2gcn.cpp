// R(0) = relu(X W), R(t+1) = A_1 R(t) || A_2 R(t), logits = drop(R(0) || ... || R(T)) V + b. A_k is
// the normalised adjacency of nodes exactly k edges apart, without self-loops.
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/layers.h"

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

using namespace engine;

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

  Value forward(const Input& input, const Pass& pass) const override {
    const SparseMatrix& near = k_hop_adjacency(input, 1, Scaling::kSymmetric);
    const SparseMatrix& far = k_hop_adjacency(input, 2, Scaling::kSymmetric);
    Dropouts drop(pass);
    std::vector<Value> rounds = {
        relu(feature_product(input, pass, input_.weight, drop.next(dropout_)))};
    for (std::int64_t t = 0; t < layers_; ++t) {
      const Value r = rounds.back();
      rounds.push_back(concat({spmm(r, near), spmm(r, far)}));
      pass.show(fmt::format("layer {}", t + 1), rounds.back());
    }
    return output_(drop(concat(rounds), dropout_));
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
           .title = "H2GCN: separate sums over one-hop and two-hop neighbours",
           .reference = "Zhu et al., Beyond Homophily in Graph Neural Networks",
           .year = 2020,
           .parameters = parameters,
           .needs_whole_graph = "it sums over nodes two edges apart"},
          maker<H2gcn>()};
}

}  // namespace dsnn::nn
