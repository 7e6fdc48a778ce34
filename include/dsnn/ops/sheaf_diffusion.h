#pragma once

#include "dsnn/export.h"
#include "dsnn/ops/graph.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/sheaf.h"

#include <utility>

namespace at {
class Tensor;
}

namespace dsnn::ops {

/// Which sheaf Laplacian: the family of maps, how it is normalised, and fixed stalk dimensions
/// after those of the maps.
struct DiffusionOptions {
  MapFamily family = MapFamily::kDiagonal;
  Normalisation normalisation = Normalisation::kAugmented;
  FixedDims fixed = {};
};

/// (S L S) x for the Laplacian L of a directed cellular sheaf [eq:apply], without its matrix: the
/// heart of the library.
///
///   x             features, planes [P, n, d + fixed, f]. P = 2: real and imaginary part;
///                 P = 1: the maps are real and there is no phase
///   maps          F, in half-edge order: [2m, d] for the diagonal family, else [2m, d, d].
///                 Complex maps have their two parts in front, [2, ...], and need P = 2
///   edge_weights  [2m] or undefined: F_h <- w_h F_h, but for the fixed dimensions
///                 [eq:map-families]
///   charge        q, one number; undefined for no phase (real and complex fields)
///                 [eq:map-fields]
///
/// The graph's own weights count as [eq:edge-weight] says. Maps of the orthogonal family are taken
/// to be orthogonal (unitary): D depends on the weights alone, and gradients hold along the
/// orthogonal maps, which is all that ops::orthogonal asks for.
///
/// Differentiable once, in all four [eq:diffusion-gradients]. A node without edges has y = 0. With
/// the exact normalisation, directions in which D is singular are left out (Moore-Penrose). Time
/// O(m d^2 P f + m d^3 + n d^3), memory O(m d^2 + n d P f). The same bits for any number of
/// threads. Throws Error for arguments that do not fit.
///
/// torch.ops.dsnn.sheaf_diffusion(x, maps, edge_weights, charge, graph, family, normalisation,
/// low_pass, high_pass), with family 'diagonal', 'orthogonal' or 'general' and normalisation
/// 'none', 'exact', 'augmented' or 'degree'.
DSNN_API at::Tensor sheaf_diffusion(const at::Tensor& x, const at::Tensor& maps,
                                    const at::Tensor& edge_weights, const at::Tensor& charge,
                                    const Graph& graph, const DiffusionOptions& options = {});

/// The part of sheaf_diffusion that does not see x, for several products with one sheaf:
/// (G, N) of [eq:scaled-maps], fixed dimensions included. Differentiable once.
DSNN_API std::pair<at::Tensor, at::Tensor> scaled_maps(const at::Tensor& maps,
                                                       const at::Tensor& edge_weights,
                                                       const Graph& graph,
                                                       const DiffusionOptions& options = {});

/// The other part: y_u = N_u x_u - sum_h T_h G_h* G_h' x_v [eq:diffusion]. Differentiable once, in
/// x, G, N and the charge.
DSNN_API at::Tensor scaled_diffusion(const at::Tensor& x, const at::Tensor& scaled,
                                     const at::Tensor& diagonal, const at::Tensor& charge,
                                     const Graph& graph);

}  // namespace dsnn::ops
