#include "classical_sheaf.h"

#include "dsnn/sheaf/phase.h"
#include "dsnn/util/error.h"

#include "util/index.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace dsnn::bench {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Rows gathered at a time for the gradient of a sparse matrix's values: few enough for the cache,
/// which halves the time.
constexpr std::int64_t kChunk = 1 << 14;

/// Separates eigenvalues, because the gradient of eigenvectors divides by their differences.
constexpr double kPerturbation = 1e-5;

/// A x for a square sparse matrix A in coordinates. LibTorch's own gradient of A would be a dense
/// matrix.
class SparseProduct : public torch::autograd::Function<SparseProduct> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& values,
                            const at::Tensor& indices, std::int64_t size, const at::Tensor& x) {
    context->save_for_backward({values, indices, x});
    context->saved_data["size"] = size;
    return product(values, indices, size, x);
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& values = saved[0];
    const at::Tensor& indices = saved[1];
    const at::Tensor& x = saved[2];
    const at::Tensor grad = grads[0].contiguous();
    at::Tensor grad_values = at::empty_like(values);
    for (std::int64_t begin = 0; begin < values.size(0); begin += kChunk) {
      const std::int64_t end = std::min(begin + kChunk, values.size(0));
      const at::Tensor chunk = indices.slice(1, begin, end);
      at::Tensor out = grad_values.slice(0, begin, end);
      at::sum_out(out, grad.index_select(0, chunk[0]).mul_(x.index_select(0, chunk[1])), 1);
    }
    const at::Tensor grad_x =
        product(values, indices.flip(0), context->saved_data["size"].toInt(), grad);
    return {grad_values, at::Tensor(), at::Tensor(), grad_x};
  }

 private:
  /// Entries are unique and in range by construction: no checks, sorting or merging needed.
  static at::Tensor product(const at::Tensor& values, const at::Tensor& indices, std::int64_t size,
                            const at::Tensor& x) {
    return at::mm(at::_sparse_coo_tensor_unsafe(indices, values, {size, size}), x);
  }
};

/// The numbers next(0) .. next(count - 1).
template <class Scalar, class Next>
at::Tensor tensor_of(std::int64_t count, at::ScalarType type, Next next) {
  at::Tensor result = at::empty({count}, type);
  auto* values = result.data_ptr<Scalar>();
  for (std::int64_t i = 0; i < count; ++i) values[i] = next(i);
  return result;
}

at::Tensor transposed(const at::Tensor& matrices) { return matrices.transpose(-2, -1); }

}  // namespace

ClassicalSheaf::ClassicalSheaf(const DirectedGraph& graph, MapFamily family, std::int64_t stalk_dim,
                               double charge)
    : num_nodes_(graph.num_nodes()), stalk_dim_(stalk_dim), family_(family) {
  if (stalk_dim < 1) {
    throw Error(
        fmt::format("classical sheaf: the stalk's dimension is {}, expected 1 or more", stalk_dim));
  }
  if (graph.is_weighted()) {
    throw Error("classical sheaf: the graph has weights, expected none");
  }
  const std::int64_t num_edges = graph.num_edges();
  const std::vector<NodeId> owners = graph.owners();
  owner_ = tensor_of<std::int64_t>(2 * num_edges, at::kLong,
                                   [&](std::int64_t h) { return owners[at(h)]; });
  neighbour_ = tensor_of<std::int64_t>(2 * num_edges, at::kLong,
                                       [&](std::int64_t h) { return graph.neighbour(h); });
  degree_ = tensor_of<float>(num_nodes_, at::kFloat, [&](std::int64_t u) {
    return static_cast<float>(graph.degree(static_cast<NodeId>(u)));
  });
  const std::vector<HalfEdgeId> edges = graph.edge_list();
  half_edge_ =
      tensor_of<std::int64_t>(num_edges, at::kLong, [&](std::int64_t e) { return edges[at(e)]; });
  reverse_ = tensor_of<std::int64_t>(num_edges, at::kLong,
                                     [&](std::int64_t e) { return graph.reverse(edges[at(e)]); });
  source_ = owner_.index_select(0, half_edge_);
  target_ = neighbour_.index_select(0, half_edge_);

  const auto phase = [&](std::int64_t e) {
    return unit_phase(charge * graph.orientation(edges[at(e)]));
  };
  const bool is_diagonal = family == MapFamily::kDiagonal;
  const std::vector<std::int64_t> each_edge = is_diagonal
                                                  ? std::vector<std::int64_t>{num_edges, 1}
                                                  : std::vector<std::int64_t>{num_edges, 1, 1};
  phase_real_ = tensor_of<float>(num_edges, at::kFloat, [&](std::int64_t e) {
                  return static_cast<float>(phase(e).real());
                }).view(each_edge);
  phase_imag_ = tensor_of<float>(num_edges, at::kFloat, [&](std::int64_t e) {
                  return static_cast<float>(phase(e).imag());
                }).view(each_edge);

  // Entry (i, j) of block (u, v), in the order of the blocks' values.
  const at::Tensor position = at::arange(stalk_dim, at::kLong);
  const auto entries = [&](const at::Tensor& u, const at::Tensor& v) {
    const at::Tensor rows = u.unsqueeze(1) * stalk_dim + position;
    const at::Tensor cols = v.unsqueeze(1) * stalk_dim + position;
    if (is_diagonal) return at::stack({rows.flatten(), cols.flatten()});
    return at::stack({rows.unsqueeze(2).expand({-1, -1, stalk_dim}).flatten(),
                      cols.unsqueeze(1).expand({-1, stalk_dim, -1}).flatten()});
  };
  const at::Tensor off_diagonal = entries(source_, target_);
  const at::Tensor nodes = at::arange(num_nodes_, at::kLong);
  imag_indices_ = at::cat({off_diagonal, off_diagonal.flip(0)}, 1);
  real_indices_ = at::cat({imag_indices_, entries(nodes, nodes)}, 1);

  const at::Tensor lower = at::tril_indices(stalk_dim, stalk_dim, -1, at::kLong);
  lower_ = lower[0] * stalk_dim + lower[1];
}

std::int64_t ClassicalSheaf::num_params() const {
  switch (family_) {
    case MapFamily::kDiagonal:
      return stalk_dim_;
    case MapFamily::kOrthogonal:
      return stalk_dim_ * (stalk_dim_ - 1) / 2;
    case MapFamily::kGeneral:
      break;
  }
  return stalk_dim_ * stalk_dim_;
}

at::Tensor ClassicalSheaf::learned_params(const at::Tensor& x, const at::Tensor& weight) const {
  const at::Tensor features = x.transpose(0, 1).reshape({num_nodes_, -1});
  const at::Tensor pairs =
      at::cat({features.index_select(0, owner_), features.index_select(0, neighbour_)}, 1);
  return at::linear(pairs, weight).tanh();
}

/// Q = H_1 ... H_{d-1}, H_j = I - 2 v v^T / (v^T v), v = (0, .., 0, 1, parameters of column j).
at::Tensor ClassicalSheaf::orthogonal_maps(const at::Tensor& params) const {
  const std::int64_t d = stalk_dim_;
  const at::Tensor identity = at::eye(d, params.options());
  const at::Tensor vectors = at::zeros({params.size(0), d * d}, params.options())
                                 .index_copy(1, lower_, params)
                                 .view({-1, d, d}) +
                             identity;
  const at::Tensor factors = 2 / vectors.square().sum(1, true);
  at::Tensor maps = identity.expand({params.size(0), d, d});
  for (std::int64_t j = 0; j + 1 < d; ++j) {
    const at::Tensor v = vectors.narrow(2, j, 1);
    maps = maps - maps.matmul(v * factors.narrow(2, j, 1)).matmul(transposed(v));
  }
  return maps;
}

ClassicalSheaf::Blocks ClassicalSheaf::diagonal_blocks(const at::Tensor& maps) const {
  const at::Tensor d =
      at::zeros({num_nodes_, stalk_dim_}, maps.options()).index_add(0, owner_, maps.square());
  const at::Tensor s = (d + 1).rsqrt();
  return {-(s.index_select(0, source_) * maps.index_select(0, half_edge_) *
            maps.index_select(0, reverse_) * s.index_select(0, target_)),
          d * s.square()};
}

ClassicalSheaf::Blocks ClassicalSheaf::orthogonal_blocks(const at::Tensor& maps) const {
  // F^T F = I: D is the degree.
  const at::Tensor s = (degree_ + 1).rsqrt();
  const at::Tensor scales = -(s.index_select(0, source_) * s.index_select(0, target_));
  return {scales.view({-1, 1, 1}) *
              transposed(maps.index_select(0, half_edge_)).matmul(maps.index_select(0, reverse_)),
          at::diag_embed((degree_ * s.square()).unsqueeze(1).expand({-1, stalk_dim_}))};
}

ClassicalSheaf::Blocks ClassicalSheaf::general_blocks(const at::Tensor& maps) const {
  const at::Tensor d = at::zeros({num_nodes_, stalk_dim_, stalk_dim_}, maps.options())
                           .index_add(0, owner_, transposed(maps).matmul(maps));
  at::Tensor shift = at::ones({stalk_dim_}, maps.options());
  if (d.requires_grad()) {
    shift = shift + at::linspace(-kPerturbation, kPerturbation, stalk_dim_, maps.options());
  }
  const auto [values, vectors] = at::linalg_eigh(d + at::diag(shift));
  const at::Tensor s = (vectors * values.rsqrt().unsqueeze(1)).matmul(transposed(vectors));
  const at::Tensor left = maps.index_select(0, half_edge_).matmul(s.index_select(0, source_));
  const at::Tensor right = maps.index_select(0, reverse_).matmul(s.index_select(0, target_));
  return {-transposed(left).matmul(right), s.matmul(d).matmul(s)};
}

at::Tensor ClassicalSheaf::operator()(const at::Tensor& x, const at::Tensor& weight) const {
  at::Tensor maps = learned_params(x, weight);
  if (family_ == MapFamily::kOrthogonal) maps = orthogonal_maps(maps);
  if (family_ == MapFamily::kGeneral) maps = maps.view({-1, stalk_dim_, stalk_dim_});
  const Blocks blocks = family_ == MapFamily::kDiagonal     ? diagonal_blocks(maps)
                        : family_ == MapFamily::kOrthogonal ? orthogonal_blocks(maps)
                                                            : general_blocks(maps);
  const at::Tensor real = (blocks.off_diagonal * phase_real_).flatten();
  const at::Tensor imag = (blocks.off_diagonal * phase_imag_).flatten();

  // Both planes concatenated: two products instead of four.
  const std::int64_t size = num_nodes_ * stalk_dim_;
  const at::Tensor re = x[0].reshape({size, -1});
  const at::Tensor im = x[1].reshape({size, -1});
  const at::Tensor y =
      SparseProduct::apply(at::cat({real, real, blocks.diagonal.flatten()}), real_indices_, size,
                           at::cat({re, im}, 1)) +
      SparseProduct::apply(at::cat({imag, -imag}), imag_indices_, size, at::cat({-im, re}, 1));
  return y.view({size, 2, -1}).transpose(0, 1).reshape(x.sizes());
}

}  // namespace dsnn::bench
