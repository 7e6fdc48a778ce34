#include "nn/sheaf/network.h"

#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/nn/layers.h"

#include "nn/sheaf/options.h"
#include "nn/sheaf/parts.h"

#include <fmt/format.h>

#include <utility>

namespace dsnn::nn {
namespace {

using namespace engine;

/// A sheaf as input of the diffusion: G and N of [eq:scaled-maps].
struct ScaledSheaf {
  Value maps, diagonal;
};

/// [1, n, D, f] to [2, n, D, f].
Value with_imaginary_zeros(Value x) {
  const Value real = x.program().reshape(x, {x.size(1), x.size(2), x.size(3)});
  return complex_planes(real, /*copies_imag=*/false);
}

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
        num_params_ = num_orthogonal_params(options.orthogonal_method, d);
        break;
      case MapFamily::kGeneral:
        num_params_ = d * d;
        break;
    }
    if (options.kind.field == MapField::kComplex) num_params_ *= 2;
    const std::int64_t planes = options.planes();
    const std::int64_t inputs = options.is_pooled ? options.channels : options.node_size();
    // The projections for both endpoints, concatenated; the input of the map is x_u || x_v.
    const std::int64_t outputs = 2 * (num_params_ + (options.has_edge_weights ? 1 : 0));
    weight_ = weights.add(name + ".learner", {planes, inputs, outputs},
                          linear_init(planes * inputs * outputs, 2 * planes * inputs, random),
                          WeightGroup::kSheaf);
  }

  /// `place` is the place of the dropout; 0: no dropout. The results are shown as parts of `layer`.
  ScaledSheaf learn(Value x, const Graph& graph, const Pass& pass, std::int64_t place,
                    std::size_t layer) const {
    const std::int64_t planes = x.size(0), n = x.size(1), k = num_params_;
    Value z = options_.is_pooled ? sum_axis(x)
                                 : pass.program.reshape(x, {planes, n, options_.node_size()});
    if (pass.is_training && place > 0) {
      z = drop(z, {options_.dropout, place, options_.merges_dropout_planes});
    }
    const Value ends = linear(z, weight_.first(planes));
    const std::vector<Value> parts =
        options_.has_edge_weights ? split(ends, {k, k, 1, 1}) : split(ends, {k, k});
    Value weights;
    if (options_.has_edge_weights) {
      const auto column = [&](Value part) { return pass.program.reshape(part, {n}); };
      weights = edge_weights(column(parts[2]), column(parts[3]), graph);
      pass.show(edge_weights_of_layer(layer), weights);
    }
    const Value params = sheaf_maps(parts[0], parts[1], graph, options_.map_activation);
    const Value learned = maps_of(params);
    const bool is_diagonal = options_.kind.family == MapFamily::kDiagonal;
    const std::int64_t d = options_.stalk_dim, count = params.size(0);
    const std::int64_t columns = is_diagonal ? 1 : d;
    const std::int64_t map_planes = options_.kind.field == MapField::kComplex ? 2 : 1;
    pass.show(maps_of_layer(layer), pass.program.reshape(learned, {map_planes, count, d, columns}));
    auto [maps, diagonal] = scaled_maps(learned, weights, graph, options_.diffusion);
    if (!options_.keeps_diagonal) diagonal = pass.program.zeros(diagonal.shape());
    return {maps, diagonal};
  }

 private:
  /// [2m, params] to matrices, or to their diagonals; complex ones in planes.
  Value maps_of(Value params) const {
    const std::int64_t d = options_.stalk_dim, count = params.size(0);
    const bool is_complex = options_.kind.field == MapField::kComplex;
    const Value p = is_complex ? halves(params) : params;
    if (options_.kind.family == MapFamily::kDiagonal) return p;
    if (options_.kind.family == MapFamily::kOrthogonal) {
      return orthogonal(p, d, options_.orthogonal_method);
    }
    return p.program().reshape(p, is_complex ? Shape{2, count, d, d} : Shape{count, d, d});
  }

  NetworkOptions options_;
  std::int64_t num_params_ = 0;
  Weight weight_;  // [planes, inputs, outputs]
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
      return is_separate ? Shape{count, size, size} : Shape{size, size};
    };
    if (options.has_left_weights) {
      left_ = weights.add(name + ".left", shape(d), identity_init(count, d));
    }
    if (options.has_right_weights) {
      constexpr double kGain = 0.5;
      right_ = weights.add(name + ".right", shape(f), orthogonal_init(count, f, kGain, random));
    }
    eps_ = weights.add(name + ".eps", {d}, zero_init(d));
  }

  /// `place` is the place of the dropout.
  Value forward(Value x, const ScaledSheaf& sheaf, const Operand& charge, const Graph& graph,
                const Pass& pass, std::int64_t place) const {
    Dropout dropout;
    if (pass.is_training) dropout = {options_.dropout, place, options_.merges_dropout_planes};
    Value mixed = stalk_linear(x, left_, right_, dropout);
    if (x.size(0) < options_.planes()) {
      mixed = with_imaginary_zeros(mixed);
      x = with_imaginary_zeros(x);
    }
    const Value y = scaled_diffusion(mixed, sheaf.maps, sheaf.diagonal, charge, graph);
    return stalk_update(x, y, tanh(pass.program.parameter(eps_)), options_.activation);
  }

 private:
  NetworkOptions options_;
  Weight left_, right_, eps_;
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
      if (!options_.charge) {
        // No weight decay: the effect of the charge is periodic, and 0 would ignore directions.
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
    if (shape.is_encoder) return;
    output_weight_ =
        weights().add("output.weight", {planes, size, shape.num_classes},
                      linear_init(planes * size * shape.num_classes, planes * size, random));
    output_bias_ = weights().add("output.bias", {shape.num_classes},
                                 linear_init(shape.num_classes, planes * size, random));
  }

  Value forward(const Input& input, const Pass& pass) const override {
    return linear(encode(input, pass), output_weight_, output_bias_);
  }

  Value encode(const Input& input, const Pass& pass) const override {
    Value x = embed(input, pass);
    pass.show(features_of_layer(0), x);
    const Value charge = charge_in(pass.program);
    if (charge.is_there()) pass.show(kChargePart, charge);
    ScaledSheaf sheaf;
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      const auto place = static_cast<std::int64_t>(2 * t);
      if (t < learners_.size()) {
        sheaf =
            learners_[t].learn(x, input.graph(), pass, t == 0 ? 0 : kLayerPlaces + place, t + 1);
      }
      x = layers_[t].forward(x, sheaf, charge, input.graph(), pass, kLayerPlaces + place + 1);
      pass.show(features_of_layer(t + 1), x);
    }
    return pass.program.reshape(x, {x.size(0), x.size(1), options_.node_size()});
  }

 private:
  // Places of dropout: one number for each within a pass.
  static constexpr std::int64_t kInputPlace = 1, kEmbedPlace = 2, kLayerPlaces = 10;

  /// X(0): [planes, n, D, f]. While imaginary parts are 0 there is only one plane, which saves work
  /// in W1, W2 and the learner of the first layer.
  Value embed(const Input& input, const Pass& pass) const {
    const auto dropout = [&](double probability, std::int64_t place) {
      return Dropout{pass.is_training ? probability : 0, place};
    };
    Value x =
        feature_product(input, pass, input_.weight, dropout(options_.input_dropout, kInputPlace));
    x = bias_activation(x, input_.bias, options_.input_activation,
                        dropout(options_.embed_dropout, kEmbedPlace));
    if (options_.has_second_linear) x = second_(x);
    x = pass.program.reshape(x, {x.size(0), options_.total_dim(), options_.channels});
    const bool has_imaginary_zeros = !options_.copies_imag && !options_.has_separate_imag_weights;
    if (options_.planes() == 2 && !has_imaginary_zeros) {
      return complex_planes(x, options_.copies_imag);
    }
    return pass.program.reshape(x, {1, x.size(0), x.size(1), x.size(2)});
  }

  /// Nothing without a phase.
  Value charge_in(Program& program) const {
    if (charge_.is_there()) return program.parameter(charge_);
    return options_.charge ? program.constant({}, {*options_.charge}) : Value();
  }

  NetworkOptions options_;
  Linear input_, second_;
  Weight output_weight_, output_bias_;
  Weight charge_;  // where it is learned
  std::vector<SheafLearner> learners_;
  std::vector<SheafLayer> layers_;
};

}  // namespace

std::unique_ptr<Model> make_sheaf_network(const SheafKind& kind, const ModelSetup& setup) {
  return std::make_unique<SheafNetwork>(kind, setup);
}

}  // namespace dsnn::nn
