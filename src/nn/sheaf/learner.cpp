#include "nn/sheaf/learner.h"

#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/operators/sheaf.h"

#include "nn/sheaf/parts.h"

#include <vector>

namespace dsnn::nn {

using namespace engine;

SheafLearner::SheafLearner(const NetworkOptions& options, const std::string& name, Weights& weights,
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
  const bool is_fixed = options.map_source == MapSource::kRandom;
  weight_ = weights.add(name + ".learner", {planes, inputs, outputs},
                        linear_init(planes * inputs * outputs, 2 * planes * inputs, random),
                        is_fixed ? WeightGroup::kFixed : WeightGroup::kSheaf);
}

ScaledSheaf SheafLearner::learn(Value x, const Graph& graph, const Pass& pass, std::int64_t place,
                                std::size_t layer) const {
  const std::int64_t planes = x.size(0), n = x.size(1), k = num_params_;
  Value weight = pass.program.parameter(weight_.first(planes));
  if (options_.map_source == MapSource::kRandom) {
    // No gradient leaves the maps, so that none of their backward passes is computed.
    weight = pass.program.detach(weight);
    x = pass.program.detach(x);
  }
  Value z =
      options_.is_pooled ? sum_axis(x) : pass.program.reshape(x, {planes, n, options_.node_size()});
  if (pass.is_training && place > 0) {
    z = drop(z, {options_.dropout, place, options_.merges_dropout_planes});
  }
  const Value ends = linear(z, weight);
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
  if (options_.kind.propagation == Propagation::kAttention) return {learned, {}};
  auto [maps, diagonal] = scaled_maps(learned, weights, graph, options_.diffusion);
  if (!options_.keeps_diagonal) diagonal = pass.program.zeros(diagonal.shape());
  return {maps, diagonal};
}

Value SheafLearner::maps_of(Value params) const {
  const std::int64_t d = options_.stalk_dim, count = params.size(0);
  const bool is_complex = options_.kind.field == MapField::kComplex;
  const Value p = is_complex ? halves(params) : params;
  if (options_.kind.family == MapFamily::kDiagonal) return p;
  if (options_.kind.family == MapFamily::kOrthogonal) {
    return orthogonal(p, d, options_.orthogonal_method);
  }
  return p.program().reshape(p, is_complex ? Shape{2, count, d, d} : Shape{count, d, d});
}

}  // namespace dsnn::nn
