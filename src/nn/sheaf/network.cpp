#include "nn/sheaf/network.h"

#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/nn/layers.h"
#include "dsnn/nn/magnetic.h"

#include "nn/sheaf/edge_layers.h"
#include "nn/sheaf/learner.h"
#include "nn/sheaf/options.h"
#include "nn/sheaf/parts.h"
#include "nn/sheaf/scaled_sheaf.h"

#include <fmt/format.h>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace dsnn::nn {
namespace {

using namespace engine;

/// [1, n, D, f] to [2, n, D, f].
Value with_imaginary_zeros(Value x) {
  const Value real = x.program().reshape(x, {x.size(1), x.size(2), x.size(3)});
  return complex_planes(real, /*copies_imag=*/false);
}

/// X(t+1) = diag(1 + eps) X(t) - sigma( p(L_N) (I (x) W1) X(t) W2 ) [eq:sheaf-network].
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
    const Propagation propagation = options.kind.propagation;
    if (propagation == Propagation::kAttention) {
      attention_ = SheafAttention(options, name, weights, random);
      return;
    }
    eps_ = weights.add(name + ".eps", {d}, zero_init(d));
    if (propagation == Propagation::kNonlinear) {
      nonlinear_ = NonlinearLaplacian(options, name, weights, random);
    }
    if (options.order > 1) {
      // p(L) = L at first: T_0 + T_1, or T_1 alone of an operator without diagonal.
      std::vector<double> coefficients = zero_init(options.order + 1);
      coefficients[0] = options.keeps_diagonal ? 1 : 0;
      coefficients[1] = 1;
      coefficients_ = weights.add(name + ".coefficients", {options.order + 1}, coefficients,
                                  WeightGroup::kUndecayed);
    }
  }

  /// `place` is the place of the dropout.
  Value forward(Value x, const ScaledSheaf& sheaf, const Operand& charge, const Input& input,
                const Pass& pass, std::int64_t place) const {
    Dropout dropout;
    if (pass.is_training) dropout = {options_.dropout, place, options_.merges_dropout_planes};
    Value mixed = stalk_linear(x, left_, right_, dropout);
    if (x.size(0) < options_.planes()) {
      mixed = with_imaginary_zeros(mixed);
      x = with_imaginary_zeros(x);
    }
    const EdgeSpace space = {options_.stalk_dim, options_.kind.family == MapFamily::kDiagonal,
                             options_.charge};
    if (options_.kind.propagation == Propagation::kAttention) {
      // X + sigma( A Z - Z )
      const Value y = -1.0 * attention_.times(mixed, x, sheaf.maps, input, space);
      const Value zeros = pass.program.zeros({options_.stalk_dim});
      return -1.0 * stalk_update(-1.0 * x, y, zeros, options_.activation);
    }
    const Value y = options_.kind.propagation == Propagation::kNonlinear
                        ? nonlinear_.times(mixed, sheaf.maps, input, space)
                        : polynomial(mixed, [&](Value z) {
                            const std::int64_t num_fixed =
                                options_.total_dim() - options_.stalk_dim;
                            return diffuse(z, sheaf, charge, input.graph(), num_fixed);
                          });
    return stalk_update(x, y, tanh(pass.program.parameter(eps_)), options_.activation);
  }

 private:
  /// L_N z
  static Value diffuse(Value z, const ScaledSheaf& sheaf, const Operand& charge, const Graph& graph,
                       std::int64_t num_fixed) {
    const Shape shape = z.shape();
    if (sheaf.laplacian) {
      const Value rows = z.program().reshape(z, {shape[0], shape[1], shape[2] * shape[3]});
      return z.program().reshape((*sheaf.laplacian)(rows), shape);
    }
    // Maps with fewer columns than stalk dimensions are the same for all.
    const std::int64_t columns = sheaf.maps.shape().back();
    if (columns == 1) z = z.program().reshape(z, {shape[0], shape[1], 1, shape[2] * shape[3]});
    const Value y = scaled_diffusion(z, sheaf.maps, sheaf.diagonal, charge, graph, num_fixed);
    return z.program().reshape(y, shape);
  }

  /// p(L_N) z = sum_k c_k T_k(M) z, with M = L_N - I, or L_N if that has no diagonal
  /// [eq:sheaf-polynomial]; L_N z for degree 1.
  Value polynomial(Value z, const std::function<Value(Value)>& laplacian) const {
    if (!coefficients_.is_there()) return laplacian(z);
    std::vector<Value> terms;
    for (std::int64_t k = 0; k <= options_.order; ++k) {
      terms.push_back(times_number(z, coefficients_, k));
    }
    return chebyshev_sum(terms, [&](Value x) {
      const Value y = laplacian(x);
      return options_.keeps_diagonal ? x - y : -1.0 * y;
    });
  }

  NetworkOptions options_;
  Weight left_, right_, eps_;
  Weight coefficients_;  // [order + 1], above degree 1
  SheafAttention attention_;
  NonlinearLaplacian nonlinear_;
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
      const bool has_maps = options_.map_source != MapSource::kIdentity;
      if (has_maps && (t == 0 || !options_.shares_sheaf)) {
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
    if (learners_.empty()) {
      sheaf = identity_sheaf(options_, input, pass.program);
      laplacian_ = sheaf.laplacian;  // reused by the next program
    }
    for (std::size_t t = 0; t < layers_.size(); ++t) {
      const auto place = static_cast<std::int64_t>(2 * t);
      if (t < learners_.size()) {
        sheaf =
            learners_[t].learn(x, input.graph(), pass, t == 0 ? 0 : kLayerPlaces + place, t + 1);
      }
      x = layers_[t].forward(x, sheaf, charge, input, pass, kLayerPlaces + place + 1);
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
  Weight charge_;                                                          // where it is learned
  mutable std::atomic<std::shared_ptr<const HermitianMatrix>> laplacian_;  // of identity maps
  std::vector<SheafLearner> learners_;
  std::vector<SheafLayer> layers_;
};

}  // namespace

std::unique_ptr<Model> make_sheaf_network(const SheafKind& kind, const ModelSetup& setup) {
  return std::make_unique<SheafNetwork>(kind, setup);
}

}  // namespace dsnn::nn
