// GGCN(H) = softplus(s) (c_0 P Y + c_1 N Y + c_2 Y) with Y = H W + b and c = softmax(...): messages
// of neighbours that are like a node (P) and unlike it (N) are weighed apart. P + N = A^ o T o S,
// split by sign, with the cosines S of rows of Y, and T_uv = softplus(l_0 (A^_uu / A^_uv - 1) +
// l_1), which corrects degrees. A^ as in GCN, but nothing on its diagonal.
// Layers add up: H(1) = elu(X F + f) + elu(GGCN_0(X)), H(t) = H(t-1) + eta_t
// elu(GGCN_{t-1}(H(t-1))) with eta_t = log(decay_rate / (t + 1)^exponent + 1); the logits are
// GGCN_T(H(T)).
#include "dsnn/ops/edges.h"
#include "dsnn/ops/sparse.h"

#include "nn/adjacency.h"
#include "nn/input.h"
#include "nn/layers.h"

#include <ATen/Functions.h>

#include <fmt/format.h>

#include <cmath>

namespace dsnn::nn {
namespace {

/// A^ off its diagonal, and A^_uu / A^_uv - 1 = sqrt(d_v / d_u) - 1 of each entry.
struct GgcnMatrix {
  ops::SparseMatrix neighbours;
  at::Tensor values;         // [entries]
  at::Tensor degree_ratios;  // [entries, 1]
};

GgcnMatrix make_matrix(const Input& input, at::ScalarType dtype) {
  const ops::SparseMatrix& a = adjacency(input, {Neighbours::kAll, true, Scaling::kSymmetric});
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
  return {ops::SparseMatrix(offsets, cols, {}, a.num_cols()), at::tensor(values, dtype),
          at::tensor(ratios, dtype).unsqueeze(1)};
}

class Ggcn final : public Model {
 public:
  explicit Ggcn(const ModelSetup& setup)
      : dtype_(setup.dtype),
        dropout_(setup.config.number("dropout")),
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

  at::Tensor forward(const Input& input, const Pass& pass) const override {
    const auto& matrix =
        input.data().memo<GgcnMatrix>(fmt::format("ggcn {}", static_cast<int>(dtype_)),
                                      [&] { return make_matrix(input, dtype_); });
    Dropouts drop(pass);
    const LayerInput features(input, drop.next(dropout_));
    at::Tensor next = gather(layers_[0], matrix, features);
    at::Tensor h = layers_.size() > 1 ? features.times(input_, StalkActivation::kElu) : next;
    for (std::size_t t = 1; t < layers_.size(); ++t) {
      const double eta =
          t == 1 ? 1 : std::log(decay_rate_ / std::pow(static_cast<double>(t + 1), exponent_) + 1);
      h = h + eta * drop(at::elu(next), dropout_);
      pass.show(fmt::format("layer {}", t), h);
      next = gather(layers_[t], matrix, LayerInput(h));
    }
    return next;
  }

 private:
  struct Layer {
    Linear linear;
    Linear degree;      // l_0, l_1
    at::Tensor shares;  // c before softmax
    at::Tensor scale;   // s
  };

  static at::Tensor gather(const Layer& layer, const GgcnMatrix& matrix, const LayerInput& h) {
    const at::Tensor y = h.times(layer.linear);
    const at::Tensor unit = unit_rows(y);
    const at::Tensor cosines = ops::edge_dot(unit, unit, matrix.neighbours, 1).squeeze(1);
    // Of each entry: linear maps of what is known of it, whose gradients are the same for any
    // number of threads.
    const at::Tensor correction = at::softplus(layer.degree(matrix.degree_ratios));
    const at::Tensor shares = at::softmax(layer.shares, 0);
    const at::Tensor signs = at::stack({cosines.relu(), -(-cosines).relu()}, 1);
    const at::Tensor signed_shares = ops::linear(signs, shares.narrow(0, 0, 2).unsqueeze(1), {});
    const at::Tensor gathered =
        ops::spmm(matrix.values * (correction * signed_shares).squeeze(1), y, matrix.neighbours);
    return times_number(gathered + times_number(y, shares[2]), at::softplus(layer.scale));
  }

  at::ScalarType dtype_;
  double dropout_, decay_rate_, exponent_;
  Linear input_;
  std::vector<Layer> layers_;
};

}  // namespace

ModelDefinition ggcn_model() {
  std::vector<Parameter> parameters = common_parameters(2, 16, 0.5);
  parameters.push_back({"decay_rate", 1.0, "How much later layers add", {}, 0, 1e9});
  parameters.push_back({"exponent", 3.0, "How fast that falls from layer to layer", {}, 0, 100});
  return {{.name = "ggcn",
           .family = "heterophily",
           .title = "GGCN: signed messages and degree correction",
           .reference = "Yan et al., Two Sides of the Same Coin: Heterophily and Oversmoothing in "
                        "Graph Convolutional Neural Networks",
           .year = 2022,
           .parameters = parameters},
          {},
          maker<Ggcn>()};
}

}  // namespace dsnn::nn
