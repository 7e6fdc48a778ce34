#pragma once

#include "dsnn/engine/graph.h"
#include "dsnn/engine/operator.h"
#include "dsnn/engine/operators/edges.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/engine/sparse_matrix.h"
#include "dsnn/sheaf/options.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace dsnn::testing {

/// Sets the number of threads of operators; initially one.
void set_test_threads(int count);
int test_threads();

/// The results of an operator of the engine on tensors of LibTorch, whose autograd finds its
/// backward pass. An undefined tensor is an omitted argument.
///
/// The passes get only what the operator declares as needed, outputs filled with NaN, and, in a
/// second run, the memory that it declares as overwritable: the bits must be the same.
std::vector<at::Tensor> apply_operator(const engine::OperatorPtr& op,
                                       const std::vector<at::Tensor>& inputs,
                                       std::uint64_t seed = 0);

}  // namespace dsnn::testing

// Each operator as a function of tensors.
namespace dsnn::ops {

using engine::DiffusionOptions;
using engine::Graph;
using engine::num_orthogonal_params;
using engine::SparseMatrix;

/// engine::Dropout in a pass with this seed.
struct DropoutOptions {
  double probability = 0;
  std::int64_t seed = 0;
  bool merged_planes = false;
  std::int64_t place = 0;
};

at::Tensor dropout(const at::Tensor& x, const DropoutOptions& options);
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);
at::Tensor bias_activation(const at::Tensor& x, const at::Tensor& bias, StalkActivation activation,
                           const DropoutOptions& options = {});
at::Tensor stalk_linear(const at::Tensor& x, const at::Tensor& left, const at::Tensor& right,
                        const DropoutOptions& options = {});
at::Tensor stalk_update(const at::Tensor& x, const at::Tensor& y, const at::Tensor& eps,
                        StalkActivation activation);
/// Labels and nodes are tensors of int64.
at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& labels,
                         const at::Tensor& nodes);

at::Tensor sheaf_maps(const at::Tensor& left, const at::Tensor& right, const Graph& graph,
                      MapActivation activation);
at::Tensor edge_weights(const at::Tensor& left, const at::Tensor& right, const Graph& graph);
at::Tensor orthogonal(const at::Tensor& params, std::int64_t dim, OrthogonalMethod method);
std::pair<at::Tensor, at::Tensor> scaled_maps(const at::Tensor& maps,
                                              const at::Tensor& edge_weights, const Graph& graph,
                                              const DiffusionOptions& options = {});
at::Tensor scaled_diffusion(const at::Tensor& x, const at::Tensor& scaled,
                            const at::Tensor& diagonal, const at::Tensor& charge,
                            const Graph& graph);
/// Both.
at::Tensor sheaf_diffusion(const at::Tensor& x, const at::Tensor& maps,
                           const at::Tensor& edge_weights, const at::Tensor& charge,
                           const Graph& graph, const DiffusionOptions& options = {});

/// The non-zero entries of a dense matrix.
SparseMatrix sparse_from_dense(const at::Tensor& dense);
at::Tensor spmm(const at::Tensor& x, const SparseMatrix& matrix);
at::Tensor spmm(const at::Tensor& values, const at::Tensor& x, const SparseMatrix& matrix);
at::Tensor sparse_linear(const at::Tensor& weight, const SparseMatrix& matrix,
                         const DropoutOptions& options = {});

at::Tensor edge_sum(const at::Tensor& left, const at::Tensor& right, const SparseMatrix& matrix);
at::Tensor edge_dot(const at::Tensor& x, const at::Tensor& y, const SparseMatrix& matrix,
                    std::int64_t heads = 1);
at::Tensor edge_attention(const at::Tensor& left, const at::Tensor& right, const at::Tensor& weight,
                          const SparseMatrix& matrix, double slope = 0.2);
at::Tensor edge_softmax(const at::Tensor& scores, const SparseMatrix& matrix);
at::Tensor edge_spmm(const at::Tensor& values, const at::Tensor& x, const SparseMatrix& matrix);
at::Tensor neighbour_max(const at::Tensor& x, const SparseMatrix& matrix);

}  // namespace dsnn::ops
