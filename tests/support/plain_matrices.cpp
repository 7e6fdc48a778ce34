#include "support/plain_matrices.h"

#include "graph/latent_space.h"

#include <algorithm>
#include <tuple>

namespace dsnn::testing::plain {

at::Tensor identity(const at::Tensor& a) { return at::eye(a.size(0), a.options()); }

at::Tensor undirected(const at::Tensor& arcs) {
  const at::Tensor count = (arcs != 0).to(at::kDouble) + (arcs != 0).t().to(at::kDouble);
  return ((arcs + arcs.t()) / count.clamp_min(1)).abs();
}

at::Tensor reciprocal_or_zero(const at::Tensor& x) {
  return at::where(x == 0, at::zeros_like(x), 1 / x);
}

at::Tensor row_scaled(const at::Tensor& a) { return reciprocal_or_zero(a.sum(1, true)) * a; }

at::Tensor symmetric_scaled(const at::Tensor& a) {
  return reciprocal_or_zero(a.sum(1, true)).sqrt() * a * reciprocal_or_zero(a.sum(0, true)).sqrt();
}

at::Tensor seen(const at::Tensor& arcs, const Config& config) {
  return config.flag("directed") ? arcs.t().abs() : undirected(arcs);
}

Matrices gcn_matrix(const at::Tensor& arcs, const Config&) {
  return {symmetric_scaled(undirected(arcs) + identity(arcs))};
}

at::Tensor pairs(const at::Tensor& a) { return a.nonzero().t().contiguous(); }

Matrices geomgcn_matrices(const at::Tensor& arcs, const Config& config) {
  const auto n = static_cast<NodeId>(arcs.size(0));
  std::vector<Arc> list;
  const at::Tensor places = arcs.nonzero();
  for (std::int64_t i = 0; i < places.size(0); ++i) {
    list.push_back({static_cast<NodeId>(places[i][0].item<std::int64_t>()),
                    static_cast<NodeId>(places[i][1].item<std::int64_t>())});
  }
  const std::vector<double> z =
      isomap(DirectedGraph::from_arcs(n, list),
             {.num_landmarks = static_cast<NodeId>(config.integer("landmarks"))})
          .positions;
  const auto at_axis = [&](NodeId u, int axis) {
    return z[2 * static_cast<std::size_t>(u) + axis];
  };
  const at::Tensor near = ((arcs != 0) | (arcs != 0).t()).to(at::kDouble);
  std::vector<std::tuple<double, NodeId, NodeId>> distances;
  for (NodeId u = 0; u < n; ++u) {
    for (NodeId v = u + 1; v < n; ++v) {
      const double x = at_axis(u, 0) - at_axis(v, 0), y = at_axis(u, 1) - at_axis(v, 1);
      distances.emplace_back(x * x + y * y, u, v);
    }
  }
  std::sort(distances.begin(), distances.end());
  at::Tensor latent = at::zeros_like(near);
  const auto num_edges = static_cast<std::size_t>(near.sum().item<double>() / 2);
  for (std::size_t i = 0; i < num_edges; ++i) {
    const auto [distance, u, v] = distances[i];
    latent[u][v] = 1;
    latent[v][u] = 1;
  }
  const at::Tensor root = (near.sum(1, true) + 1).rsqrt();
  const at::Tensor xs = at::tensor(z, at::kDouble).view({n, 2}).select(1, 0);
  const at::Tensor ys = at::tensor(z, at::kDouble).view({n, 2}).select(1, 1);
  const at::Tensor left = xs.unsqueeze(0) < xs.unsqueeze(1);
  const at::Tensor lower = ys.unsqueeze(0) < ys.unsqueeze(1);
  Matrices all;
  for (const at::Tensor& neighbours : {near + identity(near), latent}) {
    for (const bool is_lower : {false, true}) {
      for (const bool is_left : {true, false}) {
        const at::Tensor inside = (lower == is_lower) & (left == is_left);
        all.push_back(root * neighbours * inside * root.t());
      }
    }
  }
  return all;
}

}  // namespace dsnn::testing::plain
