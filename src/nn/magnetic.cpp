#include "nn/magnetic.h"

#include "dsnn/ops/linear.h"
#include "dsnn/sheaf/sheaf.h"

#include "nn/input.h"
#include "nn/layers.h"

#include <ATen/Functions.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace dsnn::nn {
namespace {

/// The mean of all |A_uv|.
double mean_arc_weight(const DirectedGraph& graph) {
  if (!graph.is_weighted() || graph.num_arcs() == 0) return 1;
  double sum = 0;
  for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) sum += std::abs(graph.arc_weight(h));
  return sum / static_cast<double>(graph.num_arcs());
}

/// What remains of a Laplacian with stalks of dimension 1 once its diagonal D is taken away:
/// (D + s)^-1/2 (F_h* F_h' T_h + s I) (D + s)^-1/2, with a self-loop s for every node.
HermitianMatrix off_diagonal(const Sheaf& sheaf, double self_loop, at::ScalarType dtype) {
  const DirectedGraph& graph = sheaf.graph();
  const auto n = static_cast<std::size_t>(graph.num_nodes());
  std::vector<double> degrees(n, self_loop);
  const auto scale = [&](HalfEdgeId h) { return sheaf.map(h)(0, 0).real(); };
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      degrees[static_cast<std::size_t>(u)] += scale(h) * scale(h);
    }
  }
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> cols;
  std::vector<Complex> values;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    const double of_u = degrees[static_cast<std::size_t>(u)];
    if (self_loop > 0) {
      cols.push_back(u);
      values.emplace_back(self_loop / of_u);
    }
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      if (scale(h) == 0) continue;  // arcs that cancel each other; the degree may be 0
      const NodeId v = graph.neighbour(h);
      cols.push_back(v);
      values.push_back(scale(h) * scale(graph.reverse(h)) * sheaf.phase(h) /
                       std::sqrt(of_u * degrees[static_cast<std::size_t>(v)]));
    }
    offsets.push_back(std::ssize(cols));
  }
  at::Tensor planes = at::empty({2, std::ssize(values)}, at::kDouble);
  double* numbers = planes.data_ptr<double>();
  std::ranges::transform(values, numbers, [](const Complex& z) { return z.real(); });
  std::ranges::transform(values, numbers + values.size(),
                         [](const Complex& z) { return z.imag(); });
  return {ops::SparseMatrix(std::move(offsets), std::move(cols), {}, graph.num_nodes()),
          planes.to(dtype)};
}

}  // namespace

std::shared_ptr<const HermitianMatrix> magnetic_adjacency(const Input& input, double charge,
                                                          at::ScalarType dtype) {
  return input.data().shared_memo<HermitianMatrix>(
      fmt::format("magnetic {} {}", charge, static_cast<int>(dtype)),
      [&] { return off_diagonal(Sheaf::magnetic(input.graph().directed(), charge), 0, dtype); });
}

const HermitianMatrix& sign_magnetic_adjacency(const Input& input, bool self_loops,
                                               at::ScalarType dtype) {
  return input.data().memo<HermitianMatrix>(
      fmt::format("sign-magnetic {} {}", self_loops, static_cast<int>(dtype)), [&] {
        const DirectedGraph& graph = input.graph().directed();
        return off_diagonal(Sheaf::sign_magnetic(graph), self_loops ? mean_arc_weight(graph) : 0,
                            dtype);
      });
}

at::Tensor plane_product(const at::Tensor& x, const at::Tensor& weight) {
  return ops::linear(x.view({-1, x.size(2)}), weight, {}).view({x.size(0), x.size(1), -1});
}

at::Tensor complex_feature_product(const Input& input, const at::Tensor& weight,
                                   const ops::DropoutOptions& dropout, bool copies_imag) {
  const at::Tensor real = feature_product(input, weight, dropout);
  return at::stack({real, copies_imag ? real : at::zeros_like(real)});
}

Parameter imag_init_parameter() {
  return {"imag_init",
          std::string("zero"),
          "Imaginary parts at the start: zero, or as the real parts",
          {"zero", "copy"}};
}

at::Tensor complex_bias_relu(const at::Tensor& x, const at::Tensor& bias) {
  const at::Tensor y = x + bias;
  return y * (y[0] >= 0).to(y.scalar_type());
}

}  // namespace dsnn::nn
