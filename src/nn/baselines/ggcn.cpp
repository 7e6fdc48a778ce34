// GGCN(H) = softplus(s) (c_0 P Y + c_1 N Y + c_2 Y) with Y = H W + b and c = softmax(...): messages
// of similar (P) and dissimilar (N) neighbours have separate weights. P + N = A^ o T o S,
// split by sign, with the cosines S of rows of Y, and T_uv = softplus(l_0 (A^_uu / A^_uv - 1) +
// l_1), which corrects degrees. A^ as in GCN, but with a zero diagonal.
// Layers add up: H(1) = elu(X F + f) + elu(GGCN_0(X)), H(t) = H(t-1) + eta_t
// elu(GGCN_{t-1}(H(t-1))) with eta_t = log(decay_rate / (t + 1)^exponent + 1); the logits are
// GGCN_T(H(T)).
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/edges.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/layers.h"

#include "util/portable_math.h"

#include <fmt/format.h>

#include <cmath>

namespace dsnn::nn {
namespace {

using namespace engine;

/// A^ off its diagonal, and A^_uu / A^_uv - 1 = sqrt(d_v / d_u) - 1 of each entry.
struct GgcnMatrix {
  SparseMatrix neighbours;
  std::shared_ptr<const Constant> values, degree_ratios;  // [entries, 1]
};

GgcnMatrix make_matrix(const Input& input) {
  const SparseMatrix& a = adjacency(input, {Neighbours::kAll, true, Scaling::kSymmetric});
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> cols;
  std::vector<double> values, ratios;
  for (std::int64_t u = 0; u < a.num_rows(); ++u) {
    const auto begin = static_cast<std::size_t>(a.row_offsets()[static_cast<std::size_t>(u)]);
    const auto end = static_cast<std::size_t>(a.row_offsets()[static_cast<std::size_t>(u) + 1]);
    const auto value = [&](std::size_t e) { return a.values().empty() ? 1 : a.values()[e]; };
    // The node itself is the first entry of its row.
    for (std::size_t e = begin + 1; e < end; ++e) {
      cols.push_back(a.cols()[e]);
      values.push_back(value(e));
      ratios.push_back(value(begin) / value(e) - 1);
    }
    offsets.push_back(std::ssize(cols));
  }
  return {SparseMatrix(offsets, cols, {}, a.num_cols()), std::make_shared<const Constant>(values),
          std::make_shared<const Constant>(ratios)};
}

class Ggcn final : public Model {
 public:
  explicit Ggcn(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")),
        decay_rate_(setup.config.number("decay_rate")),
        exponent_(setup.config.number("exponent")) {
    const LayerSizes sizes(setup);
    input_ = make_linear(weights(), "input", sizes.num_features, sizes.channels, setup.random);
    for (std::int64_t t = 0; t < sizes.layers; ++t) {
      const std::string name = fmt::format("layer{}", t);
      layers_.push_back(
          {make_linear(weights(), name, sizes.inputs(t), sizes.outputs(t), setup.random),
           {weights().add(name + ".degree.weight", {1, 1}, {0.5}),
            weights().add(name + ".degree.bias", {1}, {0})},
           weights().add(name + ".shares", {3}, {0, 0, 0}),
           weights().add(name + ".scale", {}, {2})});
    }
  }

  Value forward(const Input& input, const Pass& pass) const override {
    const auto& matrix = input.memo<GgcnMatrix>("ggcn", [&] { return make_matrix(input); });
    Dropouts drop(pass);
    const LayerInput features(input, pass, drop.next(dropout_));
    Value next = gather(pass, layers_[0], matrix, features);
    Value h = layers_.size() > 1 ? features.times(input_, StalkActivation::kElu) : next;
    for (std::size_t t = 1; t < layers_.size(); ++t) {
      const double eta =
          t == 1 ? 1
                 : portable::log(
                       decay_rate_ / portable::power(static_cast<double>(t + 1), exponent_) + 1);
      h = h + eta * drop(elu(next), dropout_);
      pass.show(fmt::format("layer {}", t), h);
      next = gather(pass, layers_[t], matrix, LayerInput(h));
    }
    return next;
  }

 private:
  struct Layer {
    Linear linear;
    Linear degree;  // l_0, l_1
    Weight shares;  // c before softmax
    Weight scale;   // s
  };

  static Value gather(const Pass& pass, const Layer& layer, const GgcnMatrix& matrix,
                      const LayerInput& h) {
    Program& program = pass.program;
    const Shape per_entry = {matrix.neighbours.num_entries(), 1};
    const Value y = h.times(layer.linear);
    const Value unit = unit_rows(y);
    const Value cosines = edge_dot(unit, unit, matrix.neighbours);
    const Value ratios = program.constant(per_entry, matrix.degree_ratios);
    const Value correction = softplus(layer.degree(ratios));
    const Value shares = softmax(program.parameter(layer.shares));
    const Value negative = times_number(relu(-1.0 * cosines), shares, 1);
    const Value positive = times_number(relu(cosines), shares, 0);
    const Value signed_shares = positive - negative;
    const Value values = program.constant(per_entry, matrix.values);
    const Value gathered = edge_spmm(values * (correction * signed_shares), y, matrix.neighbours);
    const Value scale = softplus(program.parameter(layer.scale));
    return times_number(gathered + times_number(y, shares, 2), scale);
  }

  double dropout_, decay_rate_, exponent_;
  Linear input_;
  std::vector<Layer> layers_;
};

}  // namespace

ModelDefinition ggcn_model() {
  std::vector<Parameter> parameters = common_parameters(2, 16, 0.5);
  parameters.push_back(
      {"decay_rate", 1.0, "Scale of the contribution of later layers", {}, 0, 1e9});
  parameters.push_back(
      {"exponent", 3.0, "Exponent of its decay with the layer number", {}, 0, 100});
  return {{.name = "ggcn",
           .family = "heterophily",
           .title = "GGCN: signed messages and degree correction",
           .reference = "Yan et al., Two Sides of the Same Coin: Heterophily and Oversmoothing in "
                        "Graph Convolutional Neural Networks",
           .year = 2022,
           .learns_structure = true,
           .parameters = parameters},
          maker<Ggcn>()};
}

}  // namespace dsnn::nn
