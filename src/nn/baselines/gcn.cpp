// H(t+1) = relu(A^ H(t) W(t) + b(t)), the last without relu; A^ = D^-1/2 (A + I) D^-1/2.
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/layers.h"

namespace dsnn::nn {
namespace {

using namespace engine;

class Gcn final : public Model {
 public:
  explicit Gcn(const ModelSetup& setup)
      : layers_(setup, weights()), neighbours_(seen_neighbours(setup.config.flag("directed"))) {}

  Value forward(const Input& input, const Pass& pass) const override {
    const SparseMatrix& a = adjacency(input, {neighbours_, true, Scaling::kSymmetric});
    Dropouts drop(pass);
    return layers_.forward(input, pass, drop, [&](const Value& x) { return spmm(x, a); });
  }

 private:
  LayerStack layers_;
  Neighbours neighbours_;
};

}  // namespace

ModelDefinition gcn_model() {
  std::vector<Parameter> parameters = common_parameters(2, 16, 0.5);
  parameters.push_back(directed_parameter());
  return {{.name = "gcn",
           .family = "GNN",
           .title = "Graph convolutional network",
           .reference = "Kipf and Welling, Semi-Supervised Classification with Graph "
                        "Convolutional Networks",
           .year = 2017,
           .parameters = parameters},
          maker<Gcn>()};
}

}  // namespace dsnn::nn
