#pragma once

#include "dsnn/engine/graph.h"
#include "dsnn/engine/program.h"
#include "dsnn/export.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/options.h"
#include "dsnn/sheaf/sheaf.h"

#include <cstdint>
#include <utility>

// The learned sheaf Laplacian: from node features to maps, from maps to the diffusion. All
// operators give the same bits for any number of threads.
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
/// [eq:orthogonal-exponential], [eq:orthogonal-euler]. Euler supports dim 1 to 3.
///
/// Real: params [B, p], result [B, dim, dim]. Unitary: params [2, B, p], real and imaginary parts,
/// result [2, B, dim, dim]. B is arbitrary. Differentiable in params. Time O(B dim^3). The bits of
/// a matrix do not depend on the batch.
DSNN_API OperatorPtr orthogonal_operator(std::int64_t dim, OrthogonalMethod method);
DSNN_API Value orthogonal(Value params, std::int64_t dim, OrthogonalMethod method);

/// The kind of sheaf Laplacian: family of maps, normalisation, and fixed stalk dimensions after
/// those of the maps.
struct DiffusionOptions {
  MapFamily family = MapFamily::kDiagonal;
  Normalisation normalisation = Normalisation::kAugmented;
  FixedDims fixed = {};
};

/// The part of the normalised Laplacian that does not depend on features: (G, N) of
/// [eq:scaled-maps], including fixed dimensions.
///
///   maps          F, in half-edge order: [2m, d] for the diagonal family, else [2m, d, d].
///                 Complex maps have a leading dimension of two planes, [2, ...]
///   edge_weights  [2m] or omitted: F_h <- w_h F_h, except for the fixed dimensions
///                 [eq:map-families]
///
/// The graph's own weights enter as in [eq:edge-weight]. Maps of the orthogonal family are assumed
/// to be orthogonal (unitary): D depends only on the weights, and gradients are valid along the
/// orthogonal maps, which is sufficient for orthogonal(). With the exact normalisation, directions
/// in which D is singular are projected out (Moore-Penrose). Differentiable in both
/// [eq:scaled-map-gradients]. The operator has two more results, the eigenvalues and eigenvectors
/// of D, for its backward pass.
DSNN_API OperatorPtr scaled_maps_operator(Graph graph, const DiffusionOptions& options);
DSNN_API std::pair<Value, Value> scaled_maps(Value maps, const Operand& edge_weights,
                                             const Graph& graph,
                                             const DiffusionOptions& options = {});

/// y_u = N_u x_u - sum_h T_h G_h* G_h' x_v [eq:diffusion]: (S L S) x for the Laplacian L of a
/// directed cellular sheaf [eq:apply], without forming the matrix: the core of the library.
///
///   x       features, planes [P, n, d + fixed, f]. P = 2: real and imaginary part; P = 1: the maps
///           are real and there is no phase. Complex maps need P = 2
///   charge  q, a single value; omitted for no phase (real and complex fields) [eq:map-fields]
///
/// `num_fixed`, of the last dimensions, promises that G and N do not mix them with others, and that
/// gradients of entries that would are not used: it saves work on a GPU.
///
/// Differentiable in x, G, N and the charge [eq:diffusion-gradients]. A node without edges has
/// y = 0. Time O(m d^2 P f + m d^3 + n d^3), memory O(m d^2 + n d P f).
DSNN_API OperatorPtr scaled_diffusion_operator(Graph graph, std::int64_t num_fixed = 0);
DSNN_API Value scaled_diffusion(Value x, Value scaled, Value diagonal, const Operand& charge,
                                const Graph& graph, std::int64_t num_fixed = 0);

/// scaled_maps() followed by scaled_diffusion().
DSNN_API Value sheaf_diffusion(Value x, Value maps, const Operand& edge_weights,
                               const Operand& charge, const Graph& graph,
                               const DiffusionOptions& options = {});

}  // namespace dsnn::engine
