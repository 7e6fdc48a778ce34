// H(t+1) = relu(H(t) W + AGG(H(t)) V + b), rows scaled to length 1; the last is linear. AGG is the
// mean over neighbours or, of relu(H P + p), their maximum.
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/edges.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/layers.h"

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

using namespace engine;

class Sage final : public Model {
 public:
  explicit Sage(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")),
        pools_(setup.config.word("aggregate") == "pool"),
        normalises_(setup.config.flag("normalise")),
        neighbours_(seen_neighbours(setup.config.flag("directed"))) {
    const LayerSizes sizes(setup);
    const std::int64_t channels = setup.config.integer("channels");
    for (std::int64_t t = 0; t < sizes.layers; ++t) {
      const std::string name = fmt::format("layer{}", t);
      const std::int64_t inputs = sizes.inputs(t), outputs = sizes.outputs(t);
      Layer& layer = layers_.emplace_back();
      layer.self = make_linear(weights(), name + ".self", inputs, outputs, setup.random);
      if (pools_) {
        layer.pool = make_linear(weights(), name + ".pool", inputs, channels, setup.random);
      }
      layer.others = make_linear(weights(), name + ".others", pools_ ? channels : inputs, outputs,
                                 setup.random, false);
    }
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const SparseMatrix& others_of =
        adjacency(input, {neighbours_, false, pools_ ? Scaling::kNone : Scaling::kRows});
    Dropouts drop(pass);
    LayerInput h(input, pass, drop.next(dropout_));
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      const Layer& layer = layers_[t];
      const Value others =
          pools_
              ? layer.others(neighbour_max(h.times(layer.pool, StalkActivation::kRelu), others_of))
              : spmm(h.times(layer.others), others_of);
      Value next = h.times(layer.self) + others;
      if (t + 1 == layers_.size()) return next;
      next = relu(next);
      if (normalises_) next = unit_rows(next);
      pass.show(fmt::format("layer {}", t + 1), next);
      h = LayerInput(drop(next, dropout_));
    }
    return {};
  }

 private:
  struct Layer {
    Linear self, pool, others;
  };
  double dropout_;
  bool pools_, normalises_;
  Neighbours neighbours_;
  std::vector<Layer> layers_;
};

}  // namespace

ModelDefinition sage_model() {
  std::vector<Parameter> parameters = common_parameters(2, 64, 0.5);
  parameters.push_back(
      {"aggregate", std::string("mean"), "Aggregation of neighbours", {"mean", "pool"}});
  parameters.push_back({"normalise", true, "Normalise the rows of hidden layers to length 1"});
  parameters.push_back(directed_parameter());
  return {{.name = "sage",
           .family = "GNN",
           .title = "GraphSAGE",
           .reference = "Hamilton et al., Inductive Representation Learning on Large Graphs",
           .year = 2017,
           .parameters = parameters},
          maker<Sage>()};
}

}  // namespace dsnn::nn
