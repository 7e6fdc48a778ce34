// H(t+1)_u = eps H(0)_u + sum_v tanh(l . H(t)_u + r . H(t)_v + g) / sqrt(d_u d_v) H(t)_v: the
// features of a neighbour may be added or subtracted. H(0) = relu(X W), logits = H(T) V + c.
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

class Fagcn final : public Model {
 public:
  explicit Fagcn(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")), epsilon_(setup.config.number("epsilon")) {
    const LayerSizes sizes(setup);
    input_ = make_linear(weights(), "input", sizes.num_features, sizes.channels, setup.random);
    for (std::int64_t t = 0; t < sizes.layers; ++t) {
      // Columns l and r, whose biases add up.
      gates_.push_back(
          make_linear(weights(), fmt::format("layer{}.gate", t), sizes.channels, 2, setup.random));
    }
    output_ = make_linear(weights(), "output", sizes.channels, sizes.num_classes, setup.random);
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const SparseMatrix& a = adjacency(input, {Neighbours::kAll, false, Scaling::kSymmetric});
    Dropouts drop(pass);
    const Dropout first_dropout = drop.next(dropout_);
    const Value product = feature_product(input, pass, input_.weight, drop.next(dropout_));
    const Value first =
        bias_activation(product, input_.bias, StalkActivation::kRelu, first_dropout);
    const auto& numbers = input.memo<std::shared_ptr<const Constant>>(
        "fagcn", [&] { return std::make_shared<const Constant>(entry_values(a)); });
    const Value scales = pass.program.constant({a.num_entries(), 1}, numbers);
    Value h = first;
    for (std::size_t t = 0; t < gates_.size(); ++t) {
      const std::vector<Value> ends = split(gates_[t](h), {1, 1});
      const Value gates = tanh(edge_sum(ends[0], ends[1], a)) * scales;
      const Value gathered = edge_spmm(drop(gates, dropout_), h, a);
      h = epsilon_ * first + gathered;
      pass.show(fmt::format("layer {}", t + 1), h);
    }
    return output_(h);
  }

 private:
  double dropout_, epsilon_;
  Linear input_, output_;
  std::vector<Linear> gates_;
};

}  // namespace

ModelDefinition fagcn_model() {
  std::vector<Parameter> parameters = common_parameters(2, 16, 0.5);
  describe(parameters, "dropout", "Dropout on the features, on the first layer and on the gates");
  parameters.push_back({"epsilon", 0.3, "Share of the first layer in all later layers", {}, 0, 1});
  return {{.name = "fagcn",
           .family = "heterophily",
           .title = "FAGCN: gates between -1 and 1 on edges",
           .reference = "Bo et al., Beyond Low-frequency Information in Graph Convolutional "
                        "Networks",
           .year = 2021,
           .learns_structure = true,
           .parameters = parameters},
          maker<Fagcn>()};
}

}  // namespace dsnn::nn
