#pragma once

#include "dsnn/config/config.h"

#include <ATen/ATen.h>

#include <vector>

// The matrices that plain_baselines.h multiplies by, from A [n, n], `arcs`: dense, by their
// definitions.

namespace dsnn::testing::plain {

using Matrices = std::vector<at::Tensor>;

/// As large as a.
at::Tensor identity(const at::Tensor& a);
/// The mean of |A_uv| over the arcs there are between two nodes.
at::Tensor undirected(const at::Tensor& arcs);
/// 1 / x, and 0 for 0.
at::Tensor reciprocal_or_zero(const at::Tensor& x);
/// D^-1 A.
at::Tensor row_scaled(const at::Tensor& a);
/// D^-1/2 A D^-1/2.
at::Tensor symmetric_scaled(const at::Tensor& a);
/// The neighbours of nodes: those with an arc to them if `directed`, else all.
at::Tensor seen(const at::Tensor& arcs, const Config& config);
/// D^-1/2 (A + I) D^-1/2 of the undirected graph.
Matrices gcn_matrix(const at::Tensor& arcs, const Config& config);
/// Rows and columns of non-zero entries, [2, entries].
at::Tensor pairs(const at::Tensor& a);
/// E_ir of Geom-GCN for both neighbourhoods and all quadrants of its plane, from positions and
/// every pair of nodes.
Matrices geomgcn_matrices(const at::Tensor& arcs, const Config& config);

}  // namespace dsnn::testing::plain
