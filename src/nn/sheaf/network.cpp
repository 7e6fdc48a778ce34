#include "nn/sheaf/network.h"

#include "dsnn/ops/orthogonal.h"
#include "dsnn/ops/sheaf_maps.h"
#include "dsnn/ops/stalk_update.h"

#include "nn/layers.h"
#include "nn/sheaf/options.h"
#include "nn/weights.h"

#include <ATen/Functions.h>

#include <fmt/format.h>

#include <utility>

namespace dsnn::nn {
namespace {

/// A sheaf as the diffusion takes it: G and N of [eq:scaled-maps].
struct ScaledSheaf {
  at::Tensor maps, diagonal;
};

/// The sheaf of a layer from the features of its nodes [eq:sheaf-maps].
class SheafLearner {
 public:
  SheafLearner(const NetworkOptions& options, const std::string& name, Weights& weights,
               Random& random)
      : options_(options) {
    const std::int64_t d = options.stalk_dim;
    switch (options.kind.family) {
      case MapFamily::kDiagonal:
        num_params_ = d;
        break;
      case MapFamily::kOrthogonal:
        num_params_ = ops::num_orthogonal_params(options.orthogonal_method, d);
        break;
      case MapFamily::kGeneral:
        num_params_ = d * d;
        break;
    }
    if (options.kind.field == MapField::kComplex) num_params_ *= 2;
    const std::int64_t planes = options.planes();
    const std::int64_t inputs = options.is_pooled ? options.channels : options.node_size();
    // Both ends' projections side by side; the input of the map is x_u || x_v, twice as long.
    const std::int64_t outputs = 2 * (num_params_ + (options.has_edge_weights ? 1 : 0));
    weight_ = weights.add(name + ".learner", {planes, inputs, outputs},
                          linear_init(planes * inputs * outputs, 2 * planes * inputs, random),
                          WeightGroup::kSheaf);
  }

  ScaledSheaf learn(const at::Tensor& x, const ops::Graph& graph, const Pass& pass,
                    std::int64_t dropout_place) const {
    const std::int64_t planes = x.size(0), n = x.size(1);
    at::Tensor z = options_.is_pooled ? x.sum(2) : x.view({planes, n, -1});
    if (pass.is_training && dropout_place > 0 && options_.dropout > 0) {
      z = ops::dropout(
          z, {options_.dropout, dropout_seed(pass, dropout_place), options_.merges_dropout_planes});
    }
    const at::Tensor ends = ops::linear(z, weight_, {});
    const std::int64_t k = num_params_;
    at::Tensor edge_weights;
    std::vector<at::Tensor> parts;
    if (options_.has_edge_weights) {
      parts = ends.split_with_sizes({k, k, 1, 1}, 1);
      edge_weights = ops::edge_weights(parts[2].squeeze(1), parts[3].squeeze(1), graph);
    } else {
      parts = ends.split_with_sizes({k, k}, 1);
    }
    const at::Tensor params = ops::sheaf_maps(parts[0], parts[1], graph, options_.map_activation);
    auto [maps, diagonal] =
        ops::scaled_maps(maps_of(params), edge_weights, graph, options_.diffusion);
    if (!options_.keeps_diagonal) diagonal = at::zeros_like(diagonal);
    return {maps, diagonal};
  }

 private:
  /// [2m, params] to matrices, or to their diagonals; complex ones in planes.
  at::Tensor maps_of(const at::Tensor& params) const {
    const std::int64_t d = options_.stalk_dim;
    const bool is_complex = options_.kind.field == MapField::kComplex;
    at::Tensor p = params;
    if (is_complex) p = p.view({p.size(0), 2, num_params_ / 2}).transpose(0, 1).contiguous();
    if (options_.kind.family == MapFamily::kDiagonal) return p;
    if (options_.kind.family == MapFamily::kOrthogonal) {
      return ops::orthogonal(p, d, options_.orthogonal_method);
    }
    return is_complex ? p.view({2, -1, d, d}) : p.view({-1, d, d});
  }

  NetworkOptions options_;
  std::int64_t num_params_ = 0;
  at::Tensor weight_;  // [planes, inputs, outputs]
};

/// X(t+1) = diag(1 + eps) X(t) - sigma( L_N (I (x) W1) X(t) W2 ) [eq:sheaf-network].
class SheafLayer {
 public:
  SheafLayer(const NetworkOptions& options, const std::string& name, Weights& weights,
             Random& random)
      : options_(options) {
    const std::int64_t d = options.total_dim(), f = options.channels;
    const bool is_separate = options.has_separate_imag_weights;
    const std::int64_t count = is_separate ? options.planes() : 1;
    const auto shape = [&](std::int64_t size) {
      return is_separate ? std::vector<std::int64_t>{count, size, size}
                         : std::vector<std::int64_t>{size, size};
    };
    if (options.has_left_weights) {
      left_ = weights.add(name + ".left", shape(d), identity_init(count, d));
    }
    if (options.has_right_weights) {
      constexpr double kGain = 0.5;
      right_ = weights.add(name + ".right", shape(f), orthogonal_init(count, f, kGain, random));
    }
    eps_ = weights.add(name + ".eps", {d}, std::vector<double>(static_cast<std::size_t>(d), 0));
  }

  at::Tensor forward(const at::Tensor& x, const ScaledSheaf& sheaf, const at::Tensor& charge,
                     const ops::Graph& graph, const Pass& pass, std::int64_t place) const {
    ops::DropoutOptions dropout;
    if (pass.is_training) {
      dropout = {options_.dropout, dropout_seed(pass, place), options_.merges_dropout_planes};
    }
    const at::Tensor mixed = ops::stalk_linear(x, left_, right_, dropout);
    const at::Tensor y = ops::scaled_diffusion(mixed, sheaf.maps, sheaf.diagonal, charge, graph);
    return ops::stalk_update(x, y, at::tanh(eps_), options_.activation);
  }

 private:
  NetworkOptions options_;
  at::Tensor left_, right_, eps_;
};

class SheafNetwork final : public Model {
 public:
  SheafNetwork(const SheafKind& kind, const ModelSetup& setup) : options_(kind, setup.config) {
    const ModelShape& shape = setup.shape;
    Random& random = setup.random;
    const std::int64_t size = options_.node_size(), planes = options_.planes();
    input_ = make_linear(weights(), "input", shape.num_features, size, random);
    if (options_.has_second_linear) {
      second_ = make_linear(weights(), "second", size, size, random);
    }
    if (kind.field == MapField::kPhase) {
      constexpr double kFirstCharge = 0.25;
      if (options_.charge) {
        charge_ = at::full({}, *options_.charge, setup.dtype);
      } else {
        // No charge is smaller than another: what it does is periodic, and 0 sees no direction.
        charge_ = weights().add("charge", {}, {kFirstCharge}, WeightGroup::kUndecayed);
      }
    }
    for (std::int64_t t = 0; t < options_.layers; ++t) {
      const std::string name = fmt::format("layer{}", t);
      if (t == 0 || !options_.shares_sheaf) {
        learners_.emplace_back(options_, name, weights(), random);
      }
      layers_.emplace_back(options_, name, weights(), random);
    }
    output_weight_ =
        weights().add("output.weight", {planes, size, shape.num_classes},
                      linear_init(planes * size * shape.num_classes, planes * size, random));
    output_bias_ = weights().add("output.bias", {shape.num_classes},
                                 linear_init(shape.num_classes, planes * size, random));
  }

  at::Tensor forward(const Input& input, const Pass& pass) const override {
    at::Tensor x = embed(input, pass);
    pass.show("the input", x);
    ScaledSheaf sheaf;
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      const auto place = static_cast<std::int64_t>(2 * t);
      if (t < learners_.size()) {
        sheaf = learners_[t].learn(x, input.graph(), pass, t == 0 ? 0 : kLayerPlaces + place);
      }
      x = layers_[t].forward(x, sheaf, charge_, input.graph(), pass, kLayerPlaces + place + 1);
      pass.show(fmt::format("layer {}", t + 1), x);
    }
    return ops::linear(x.view({x.size(0), x.size(1), -1}), output_weight_, output_bias_);
  }

 private:
  // Places of dropout: one number for each within a pass.
  static constexpr std::int64_t kInputPlace = 1, kEmbedPlace = 2, kLayerPlaces = 10;

  /// X(0): [planes, n, D, f].
  at::Tensor embed(const Input& input, const Pass& pass) const {
    const auto dropout = [&](double probability, std::int64_t place) {
      return ops::DropoutOptions{pass.is_training ? probability : 0, dropout_seed(pass, place)};
    };
    at::Tensor x =
        feature_product(input, input_.weight, dropout(options_.input_dropout, kInputPlace));
    x = ops::bias_activation(x, input_.bias, options_.input_activation,
                             dropout(options_.embed_dropout, kEmbedPlace));
    if (options_.has_second_linear) x = second_(x);
    x = x.view({1, x.size(0), options_.total_dim(), options_.channels});
    if (options_.planes() == 1) return x;
    return at::cat({x, options_.copies_imag ? x : at::zeros_like(x)}, 0);
  }

  NetworkOptions options_;
  Linear input_, second_;
  at::Tensor output_weight_, output_bias_;
  at::Tensor charge_;  // undefined without a phase
  std::vector<SheafLearner> learners_;
  std::vector<SheafLayer> layers_;
};

}  // namespace

std::unique_ptr<Model> make_sheaf_network(const SheafKind& kind, const ModelSetup& setup) {
  return std::make_unique<SheafNetwork>(kind, setup);
}

}  // namespace dsnn::nn
