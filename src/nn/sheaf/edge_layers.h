#pragma once

#include "dsnn/nn/model.h"

#include "nn/sheaf/edge_space.h"
#include "nn/sheaf/options.h"

#include <string>

// What takes the place of the Laplacian in sheaf attention and non-linear sheaf diffusion. Both
// keep features of edges, [2m, D f] and [m, D f].
namespace dsnn::nn {

/// X - A X [eq:sheaf-attention]: A_uv = a_uv T_h F_h* F_h', A_uu = a_uu, with the attention a_uv
/// over the neighbours of u and u itself.
class SheafAttention {
 public:
  SheafAttention() = default;
  SheafAttention(const NetworkOptions& options, const std::string& name, Weights& weights,
                 Random& random);

  /// z: what is sent, x: what the attention sees; planes [P, n, d, f]. maps: F.
  engine::Value times(engine::Value z, engine::Value x, engine::Value maps, const Input& input,
                      const EdgeSpace& space) const;

 private:
  engine::Weight score_;  // [planes, d f, 2]
};

/// delta* phi(delta z) [eq:nonlinear-laplacian], with phi(y) = tanh(y V1) V2 on the channels.
class NonlinearLaplacian {
 public:
  NonlinearLaplacian() = default;
  NonlinearLaplacian(const NetworkOptions& options, const std::string& name, Weights& weights,
                     Random& random);

  /// z: planes [P, n, d, f]; maps: G.
  engine::Value times(engine::Value z, engine::Value maps, const Input& input,
                      const EdgeSpace& space) const;

 private:
  engine::Weight first_, second_;  // V1, V2
};

}  // namespace dsnn::nn
