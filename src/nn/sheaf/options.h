#pragma once

#include "dsnn/config/config.h"
#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/sheaf/options.h"

#include "nn/sheaf/network.h"

#include <optional>

namespace dsnn::nn {

/// Where the restriction maps come from.
enum class MapSource {
  kLearned,
  kRandom,   ///< a learner whose weights stay as drawn
  kIdentity  ///< F = I: no learner
};

/// The parameters of a sheaf network as its layers use them.
struct NetworkOptions {
  SheafKind kind;
  MapSource map_source;
  std::int64_t stalk_dim;  ///< d, without the fixed dimensions
  std::int64_t channels;   ///< f
  std::int64_t layers;
  std::int64_t order;            ///< K: the degree of the polynomial of the Laplacian
  std::optional<double> charge;  ///< none: learned
  engine::DiffusionOptions diffusion;
  OrthogonalMethod orthogonal_method;
  MapActivation map_activation;
  StalkActivation activation;
  StalkActivation input_activation;
  bool has_left_weights, has_right_weights, has_separate_imag_weights;
  bool has_edge_weights, is_pooled, shares_sheaf, keeps_diagonal, copies_imag, has_second_linear;
  bool merges_dropout_planes;
  double input_dropout, embed_dropout, dropout;

  NetworkOptions(const SheafKind& sheaf, const Config& config);

  std::int64_t planes() const { return kind.field == MapField::kReal ? 1 : 2; }
  /// D: with the fixed dimensions.
  std::int64_t total_dim() const {
    return stalk_dim + (diffusion.fixed.low_pass ? 1 : 0) + (diffusion.fixed.high_pass ? 1 : 0);
  }
  /// D f
  std::int64_t node_size() const { return total_dim() * channels; }
};

}  // namespace dsnn::nn
