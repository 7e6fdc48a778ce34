#include "dsnn/nn/magnetic.h"

#include "dsnn/engine/operators/columns.h"
#include "dsnn/nn/layers.h"
#include "dsnn/parts/halo.h"
#include "dsnn/sheaf/sheaf.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

namespace dsnn::nn {
namespace {

/// The mean of all |A_uv| of a part's own nodes u, over all parts.
double mean_arc_weight_of_parts(const DirectedGraph& graph, const Halo& halo) {
  double sum = 0;
  std::int64_t count = 0;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    if (!halo.owns(u)) continue;
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      sum += std::abs(graph.arc_weight(h));
    }
    count += graph.out_degree(u);
  }
  sum = halo.ranks().sum(sum);
  count = halo.ranks().sum(count);
  return count > 0 ? sum / static_cast<double>(count) : 1;
}

/// The mean of all |A_uv|.
double mean_arc_weight(const Input& input) {
  const DirectedGraph& graph = input.graph().directed();
  if (input.halo()) return mean_arc_weight_of_parts(graph, *input.halo());
  if (!graph.is_weighted() || graph.num_arcs() == 0) return 1;
  double sum = 0;
  for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) sum += std::abs(graph.arc_weight(h));
  return sum / static_cast<double>(graph.num_arcs());
}

/// A Laplacian with stalks of dimension 1 without its diagonal D:
/// (D + s)^-1/2 (F_h* F_h' T_h + s I) (D + s)^-1/2, with a self-loop s for every node.
HermitianMatrix off_diagonal(const Input& input, const Sheaf& sheaf, double self_loop) {
  const DirectedGraph& graph = sheaf.graph();
  const auto n = static_cast<std::size_t>(graph.num_nodes());
  std::vector<double> degrees(n, self_loop);
  const auto scale = [&](HalfEdgeId h) { return sheaf.map(h)(0, 0).real(); };
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      degrees[static_cast<std::size_t>(u)] += scale(h) * scale(h);
    }
  }
  input.complete(degrees);
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
  std::vector<double> planes;  // real parts, then imaginary ones
  planes.reserve(2 * values.size());
  for (const Complex& z : values) planes.push_back(z.real());
  for (const Complex& z : values) planes.push_back(z.imag());
  return {engine::SparseMatrix(std::move(offsets), std::move(cols), {}, graph.num_nodes()),
          std::make_shared<const engine::Constant>(std::move(planes))};
}

}  // namespace

engine::Value HermitianMatrix::operator()(engine::Value x) const {
  return spmm(x.program().constant({2, pattern.num_entries()}, values), x, pattern);
}

std::shared_ptr<const HermitianMatrix> magnetic_adjacency(const Input& input, double charge) {
  return input.shared_memo<HermitianMatrix>(fmt::format("magnetic {}", charge), [&] {
    return off_diagonal(input, Sheaf::magnetic(input.graph().directed(), charge), 0);
  });
}

const HermitianMatrix& sign_magnetic_adjacency(const Input& input, bool self_loops) {
  return input.memo<HermitianMatrix>(fmt::format("sign-magnetic {}", self_loops), [&] {
    const DirectedGraph& graph = input.graph().directed();
    return off_diagonal(input, Sheaf::sign_magnetic(graph),
                        self_loops ? mean_arc_weight(input) : 0);
  });
}

engine::Value plane_product(engine::Value x, const engine::Weight& weight) {
  engine::Program& program = x.program();
  const std::int64_t planes = x.size(0), n = x.size(1);
  const engine::Value rows = program.reshape(x, {planes * n, x.size(2)});
  return program.reshape(linear(rows, weight), {planes, n, weight.shape[1]});
}

engine::Value complex_feature_product(const Input& input, const Pass& pass,
                                      const engine::Weight& weight, const engine::Dropout& dropout,
                                      bool copies_imag) {
  return complex_planes(feature_product(input, pass, weight, dropout), copies_imag);
}

Parameter imag_init_parameter() {
  return {"imag_init",
          std::string("zero"),
          "Initial imaginary parts: zero, or a copy of the real parts",
          {"zero", "copy"}};
}

}  // namespace dsnn::nn
