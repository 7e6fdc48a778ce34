// H(t+1) = relu(drop(H(t)) W(t) + b(t)), the last without relu: no graph at all.
#include "dsnn/nn/layers.h"

namespace dsnn::nn {
namespace {

using namespace engine;

class Mlp final : public Model {
 public:
  explicit Mlp(const ModelSetup& setup) : layers_(setup, weights()) {}

  Value forward(const Input& input, const Pass& pass) const override {
    Dropouts drop(pass);
    return layers_.forward(input, pass, drop);
  }

 private:
  LayerStack layers_;
};

}  // namespace

ModelDefinition mlp_model() {
  return {{.name = "mlp",
           .family = "no graph",
           .title = "Multi-layer perceptron on the features only",
           .reference = "Rumelhart et al., Learning representations by back-propagating errors",
           .year = 1986,
           .parameters = common_parameters(2, 64, 0.5)},
          maker<Mlp>()};
}

}  // namespace dsnn::nn
