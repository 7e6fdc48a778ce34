// Z = sum_k gamma_k A^^k H, H = MLP(X), gamma learned from alpha (1 - alpha)^k on, the last from
// (1 - alpha)^K: personalised PageRank. A^ as in GCN.
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/layers.h"

#include "util/portable_math.h"

namespace dsnn::nn {
namespace {

using namespace engine;

class GprGnn final : public Model {
 public:
  explicit GprGnn(const ModelSetup& setup)
      : hops_(setup.config.integer("hops")),
        dropout_(setup.config.number("dprate")),
        layers_(setup, weights()) {
    const double alpha = setup.config.number("alpha");
    std::vector<double> gamma;
    for (std::int64_t k = 0; k < hops_; ++k) {
      gamma.push_back(alpha * portable::power(1 - alpha, k));
    }
    gamma.push_back(portable::power(1 - alpha, hops_));
    // Without decay, as in the authors' code: decay would pull all of them towards 0.
    gamma_ = weights().add("gamma", {hops_ + 1}, gamma, WeightGroup::kUndecayed);
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const SparseMatrix& a = adjacency(input, {Neighbours::kAll, true, Scaling::kSymmetric});
    Dropouts drop(pass);
    Value h = drop(layers_.forward(input, pass, drop), dropout_);
    Value z = times_number(h, gamma_, 0);
    for (std::int64_t k = 1; k <= hops_; ++k) {
      h = spmm(h, a);
      z = z + times_number(h, gamma_, k);
    }
    return z;
  }

 private:
  std::int64_t hops_;
  double dropout_;
  LayerStack layers_;
  Weight gamma_;  // [hops + 1]
};

}  // namespace

ModelDefinition gprgnn_model() {
  std::vector<Parameter> parameters = common_parameters(2, 64, 0.5);
  describe(parameters, "layers", "Layers of the MLP");
  parameters.push_back({"hops", std::int64_t{10}, "Steps of propagation", {}, 0, 1000});
  parameters.push_back({"alpha",
                        0.1,
                        "Initialisation of the step weights (teleport probability of PageRank)",
                        {},
                        0,
                        1});
  parameters.push_back(dropout_parameter("dprate", 0.5, "Dropout before propagation"));
  return {{.name = "gprgnn",
           .family = "heterophily",
           .title = "GPR-GNN: generalised PageRank",
           .reference = "Chien et al., Adaptive Universal Generalized PageRank Graph Neural "
                        "Network",
           .year = 2021,
           .parameters = parameters},
          maker<GprGnn>()};
}

}  // namespace dsnn::nn
