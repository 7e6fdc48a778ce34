#pragma once

#include "dsnn/engine/graph.h"
#include "dsnn/engine/program.h"
#include "dsnn/export.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/options.h"
#include "dsnn/sheaf/sheaf.h"

#include <cstdint>
#include <utility>

// The sheaf Laplacian, learned: from nodes' features to maps, from maps to the diffusion. All have
// the same bits for any number of threads.
namespace dsnn::engine {

/// Parameters of the restriction maps from per-node projections [eq:sheaf-maps]:
/// params_h = act(left_u + right_v) for h = (u,v), which is act(W [x_u || x_v]) with left = W_l x,
/// right = W_r x. Nothing is concatenated or gathered per edge.
///
/// left, right: [n, k]; result: [2m, k] in half-edge order. Differentiable in left and right. Time
/// and memory O(m k).
DSNN_API OperatorPtr sheaf_maps_operator(Graph graph, MapActivation activation);
DSNN_API Value sheaf_maps(Value left, Value right, const Graph& graph, MapActivation activation);

/// The learned weight of an edge [eq:learned-weight]: w_h = sigmoid(a_h) sigmoid(a_h'),
/// a_h = left_u + right_v. left, right: [n]; result: [2m], equal for h and h'. Differentiable in
/// both.
DSNN_API OperatorPtr edge_weights_operator(Graph graph);
DSNN_API Value edge_weights(Value left, Value right, const Graph& graph);

/// Parameters of one dim x dim matrix: dim (dim - 1) / 2 for Householder and Euler,
/// dim (dim + 1) / 2 for Cayley and the matrix exponential.
DSNN_API std::int64_t num_orthogonal_params(OrthogonalMethod method, std::int64_t dim);

/// Orthogonal matrices from free parameters: [eq:orthogonal-householder], [eq:orthogonal-cayley],
/// [eq:orthogonal-exponential], [eq:orthogonal-euler]. Euler is for dim 1 to 3.
///
/// Real: params [B, p], result [B, dim, dim]. Unitary: params [2, B, p], real and imaginary parts,
/// result [2, B, dim, dim]. B is any. Differentiable in params. Time O(B dim^3). A matrix has the
/// same bits alone as within a batch.
DSNN_API OperatorPtr orthogonal_operator(std::int64_t dim, OrthogonalMethod method);
DSNN_API Value orthogonal(Value params, std::int64_t dim, OrthogonalMethod method);

/// Which sheaf Laplacian: the family of maps, how it is normalised, and fixed stalk dimensions
/// after those of the maps.
struct DiffusionOptions {
  MapFamily family = MapFamily::kDiagonal;
  Normalisation normalisation = Normalisation::kAugmented;
  FixedDims fixed = {};
};

/// The part of the normalised Laplacian that does not see features: (G, N) of [eq:scaled-maps],
/// fixed dimensions included.
///
///   maps          F, in half-edge order: [2m, d] for the diagonal family, else [2m, d, d].
///                 Complex maps have their two parts in front, [2, ...]
///   edge_weights  [2m] or left out: F_h <- w_h F_h, but for the fixed dimensions
///                 [eq:map-families]
///
/// The graph's own weights count as [eq:edge-weight] says. Maps of the orthogonal family are taken
/// to be orthogonal (unitary): D depends on the weights alone, and gradients hold along the
/// orthogonal maps, which is all that orthogonal() asks for. With the exact normalisation,
/// directions in which D is singular are left out (Moore-Penrose). Differentiable in both
/// [eq:scaled-map-gradients]. The operator has two more results, D's eigenvalues and eigenvectors,
/// for its way back.
DSNN_API OperatorPtr scaled_maps_operator(Graph graph, const DiffusionOptions& options);
DSNN_API std::pair<Value, Value> scaled_maps(Value maps, const Operand& edge_weights,
                                             const Graph& graph,
                                             const DiffusionOptions& options = {});

/// y_u = N_u x_u - sum_h T_h G_h* G_h' x_v [eq:diffusion]: (S L S) x for the Laplacian L of a
/// directed cellular sheaf [eq:apply], without its matrix: the heart of the library.
///
///   x       features, planes [P, n, d + fixed, f]. P = 2: real and imaginary part; P = 1: the maps
///           are real and there is no phase. Complex maps need P = 2
///   charge  q, one number; left out for no phase (real and complex fields) [eq:map-fields]
///
/// Differentiable in x, G, N and the charge [eq:diffusion-gradients]. A node without edges has
/// y = 0. Time O(m d^2 P f + m d^3 + n d^3), memory O(m d^2 + n d P f).
DSNN_API OperatorPtr scaled_diffusion_operator(Graph graph);
DSNN_API Value scaled_diffusion(Value x, Value scaled, Value diagonal, const Operand& charge,
                                const Graph& graph);

/// Both.
DSNN_API Value sheaf_diffusion(Value x, Value maps, const Operand& edge_weights,
                               const Operand& charge, const Graph& graph,
                               const DiffusionOptions& options = {});

}  // namespace dsnn::engine
