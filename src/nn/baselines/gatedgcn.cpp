// H(t+1) = (1 - Z) o H(t) + Z o tanh(M W + (R o H(t)) U + b), a gated recurrent unit with the same
// weights in every step, on M = A H(t) W_out + A^T H(t) W_in, the sums over both ends of arcs.
// Z = sigmoid(M W_z + H(t) U_z + b_z), R = sigmoid(M W_r + H(t) U_r + b_r); H(0) = X W_0 + b_0, and
// logits = H(T) V + X V_0 + c.
//
// Deviation: the paper pads features with zeros where H(0) has a linear map, because its nodes have
// few features. Its messages have a bias, which those of the gates contain. The layer of PyTorch
// Geometric has weights of its own for the messages of each step, sees incoming arcs only, and
// applies R after U.
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/layers.h"

#include <fmt/format.h>

namespace dsnn::nn {
namespace {

using namespace engine;

Value sigmoid(Value x) { return 0.5 - (-0.5 * tanh(0.5 * x)); }

class GatedGcn final : public Model {
 public:
  explicit GatedGcn(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")),
        sees_in_(setup.config.word("neighbours") == "both"),
        sizes_(setup) {
    const std::int64_t f = sizes_.channels;
    Random& random = setup.random;
    input_ = make_linear(weights(), "input", sizes_.num_features, f, random);
    message_out_ = make_linear(weights(), "message.out", f, f, random, false).weight;
    if (sees_in_) {
      message_in_ = make_linear(weights(), "message.in", f, f, random, false).weight;
    }
    // Columns of z, r and the new state.
    from_message_ = make_linear(weights(), "gates.message", f, 3 * f, random);
    gates_from_state_ = make_linear(weights(), "gates.state", f, 2 * f, random, false).weight;
    new_from_state_ = make_linear(weights(), "new.state", f, f, random, false).weight;
    output_ = make_linear(weights(), "output", f, sizes_.num_classes, random);
    output_from_features_ = make_linear(weights(), "output.features", sizes_.num_features,
                                        sizes_.num_classes, random, false)
                                .weight;
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const SparseMatrix& out = adjacency(input, {Neighbours::kOut, false, Scaling::kNone});
    const SparseMatrix& in = adjacency(input, {Neighbours::kIn, false, Scaling::kNone});
    Dropouts drop(pass);
    const Value embedded = feature_product(input, pass, input_.weight, drop.next(dropout_));
    const Value direct = feature_product(input, pass, output_from_features_, drop.next(dropout_));
    Value h = bias_activation(embedded, input_.bias, StalkActivation::kIdentity);
    for (std::int64_t t = 0; t < sizes_.layers; ++t) {
      h = step(h, out, in);
      pass.show(fmt::format("layer {}", t + 1), h);
    }
    const Value of_state = output_(drop(h, dropout_));
    return of_state + direct;
  }

 private:
  Value step(Value h, const SparseMatrix& out, const SparseMatrix& in) const {
    const std::int64_t f = sizes_.channels;
    Value message = spmm(linear(h, message_out_), out);
    if (sees_in_) {
      const Value of_in = spmm(linear(h, message_in_), in);
      message = message + of_in;
    }
    const std::vector<Value> parts = split(from_message_(message), {2 * f, f});
    const Value state_part = linear(h, gates_from_state_);
    const std::vector<Value> gates = split(sigmoid(parts[0] + state_part), {f, f});
    const Value remembered = linear(gates[1] * h, new_from_state_);
    const Value candidate = tanh(parts[1] + remembered);
    const Value change = gates[0] * (candidate - h);
    return h + change;
  }

  double dropout_;
  bool sees_in_;
  LayerSizes sizes_;
  Linear input_, from_message_, output_;
  Weight message_out_, message_in_, gates_from_state_, new_from_state_, output_from_features_;
};

}  // namespace

ModelDefinition gatedgcn_model() {
  std::vector<Parameter> parameters = common_parameters(4, 64, 0.5);
  describe(parameters, "layers", "Steps of the recurrent unit, which share their weights");
  describe(parameters, "dropout", "Dropout on the features and on the input of the last map");
  parameters.push_back({"neighbours",
                        std::string("both"),
                        "Messages from both ends of arcs, or from out-neighbours only",
                        {"both", "out"}});
  return {{.name = "gatedgcn",
           .family = "directed",
           .title = "Gated graph network: a recurrent unit on sums over neighbours",
           .reference = "Li et al., Gated Graph Sequence Neural Networks",
           .year = 2016,
           .uses_direction = true,
           .parameters = parameters},
          maker<GatedGcn>()};
}

}  // namespace dsnn::nn
