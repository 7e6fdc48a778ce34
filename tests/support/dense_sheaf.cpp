#include "support/dense_sheaf.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace dsnn::testing {

Dense map_matrix(MapView map) {
  Dense matrix(map.dim(), map.dim());
  for (int i = 0; i < map.dim(); ++i) {
    for (int j = 0; j < map.dim(); ++j) matrix(i, j) = map(i, j);
  }
  return matrix;
}

Dense dense_coboundary(const Case& c, const Sheaf& sheaf) {
  const DenseReal a = adjacency(c.input);
  const Eigen::Index d = sheaf.stalk_dim();
  const auto half_edge = [&](NodeId owner, NodeId neighbour) {
    HalfEdgeId h = c.graph.row_begin(owner);
    while (c.graph.neighbour(h) != neighbour) ++h;
    return h;
  };
  Dense delta(0, a.rows() * d);
  for (NodeId u = 0; u < a.rows(); ++u) {
    for (NodeId v = u + 1; v < a.rows(); ++v) {
      const double uv = a(u, v);
      const double vu = a(v, u);
      if (uv == 0 && vu == 0) continue;
      const double s = sign_of(std::abs(uv) - std::abs(vu));
      const double mean = uv != 0 && vu != 0 ? (uv + vu) / 2 : uv + vu;
      const double weight_sign = mean < 0 ? -1 : 1;
      const auto [tail, head] = s >= 0 ? std::pair(u, v) : std::pair(v, u);
      const Complex phase =
          weight_sign * std::polar(1.0, 2 * std::numbers::pi * c.options.charge * std::abs(s));
      Dense row = Dense::Zero(d, a.rows() * d);
      row.middleCols(tail * d, d) = map_matrix(sheaf.map(half_edge(tail, head)));
      row.middleCols(head * d, d) = -phase * map_matrix(sheaf.map(half_edge(head, tail)));
      delta.conservativeResize(delta.rows() + d, Eigen::NoChange);
      delta.bottomRows(d) = row;
    }
  }
  return delta;
}

Dense dense_inverse_root(const Dense& l, Eigen::Index d, bool is_augmented) {
  Dense block_diagonal = Dense::Zero(l.rows(), l.cols());
  for (Eigen::Index i = 0; i < l.rows(); i += d)
    block_diagonal.block(i, i, d, d) = l.block(i, i, d, d);
  if (is_augmented) block_diagonal += Dense::Identity(l.rows(), l.cols());
  const Eigen::SelfAdjointEigenSolver<Dense> solver(block_diagonal);
  Eigen::VectorXd f = solver.eigenvalues();
  for (double& value : f) value = value > 1e-12 ? 1 / std::sqrt(value) : 0;
  return solver.eigenvectors() * f.cast<Complex>().asDiagonal() * solver.eigenvectors().adjoint();
}

}  // namespace dsnn::testing
