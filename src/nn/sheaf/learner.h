#pragma once

#include "dsnn/nn/model.h"

#include "nn/sheaf/scaled_sheaf.h"

#include <cstddef>
#include <string>

namespace dsnn::nn {

/// The sheaf of a layer from the features of its nodes [eq:sheaf-maps].
class SheafLearner {
 public:
  SheafLearner(const NetworkOptions& options, const std::string& name, Weights& weights,
               Random& random);

  /// G and N; with attention, F itself, and no N. `place` is the place of the dropout; 0: no
  /// dropout. The results are shown as parts of `layer`.
  ScaledSheaf learn(engine::Value x, const engine::Graph& graph, const Pass& pass,
                    std::int64_t place, std::size_t layer) const;

 private:
  /// [2m, params] to matrices, or to their diagonals; complex ones in planes.
  engine::Value maps_of(engine::Value params) const;

  NetworkOptions options_;
  std::int64_t num_params_ = 0;
  engine::Weight weight_;  // [planes, inputs, outputs]
};

}  // namespace dsnn::nn
