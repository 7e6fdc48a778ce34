#include "dsnn/sheaf/phase.h"

#include "kernels/inverse_root.h"
#include "nn/sheaf/scaled_sheaf.h"

#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dsnn::nn {
namespace {

using engine::Constant;

/// G [2m, columns] and N [n, columns].
struct Constants {
  std::shared_ptr<const Constant> maps, diagonal;
};

/// What the maps of a node have in common: S and N depend on the degree alone.
class Node {
 public:
  Node(const Input& input, const NetworkOptions& options)
      : graph_(input.graph()), options_(options), inverse_root_(options.diffusion.normalisation) {
    const DirectedGraph& graph = graph_.directed();
    for (NodeId u = 0; u < graph.num_nodes(); ++u) {
      double degree = 0;
      for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
        degree += scale(h) * scale(h);
      }
      degrees_.push_back(degree);
    }
    input.complete(degrees_);
  }

  /// sqrt|w_e|, with the sign of w_e on one end.
  double scale(HalfEdgeId h) const {
    const std::vector<double>& scales = graph_.map_scales();
    return scales.empty() ? 1 : scales[static_cast<std::size_t>(h)];
  }
  double s(NodeId u) const { return inverse_root_.s(degrees_[static_cast<std::size_t>(u)]); }
  /// N_u
  double share(NodeId u) const {
    return options_.keeps_diagonal ? inverse_root_.share(degrees_[static_cast<std::size_t>(u)]) : 0;
  }

 private:
  const engine::Graph& graph_;
  const NetworkOptions& options_;
  kernels::InverseRoot inverse_root_;
  std::vector<double> degrees_;
};

/// `low_pass` is the column of the dimension with maps 1 and -1; negative: there is none.
Constants make_constants(const Input& input, const NetworkOptions& options, std::int64_t columns,
                         std::int64_t low_pass) {
  const DirectedGraph& graph = input.graph().directed();
  const Node node(input, options);
  std::vector<double> maps, diagonal;
  maps.reserve(static_cast<std::size_t>(graph.num_half_edges() * columns));
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    const double s = node.s(u);
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      const double map = node.scale(h) * s;
      for (std::int64_t i = 0; i < columns; ++i) {
        maps.push_back(i == low_pass && graph.neighbour(h) < u ? -map : map);
      }
    }
    diagonal.insert(diagonal.end(), static_cast<std::size_t>(columns), node.share(u));
  }
  return {std::make_shared<const Constant>(std::move(maps)),
          std::make_shared<const Constant>(std::move(diagonal))};
}

/// L_N
HermitianMatrix make_laplacian(const Input& input, const NetworkOptions& options) {
  const DirectedGraph& graph = input.graph().directed();
  const Node node(input, options);
  std::vector<double> s;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) s.push_back(node.s(u));
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> cols;
  std::vector<double> real, imag;
  const auto add = [&](NodeId v, Complex value) {
    cols.push_back(v);
    real.push_back(value.real());
    imag.push_back(value.imag());
  };
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    if (options.keeps_diagonal) add(u, node.share(u));
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      const NodeId v = graph.neighbour(h);
      const double size = node.scale(h) * node.scale(graph.reverse(h)) *
                          s[static_cast<std::size_t>(u)] * s[static_cast<std::size_t>(v)];
      add(v, -size * unit_phase(*options.charge * graph.orientation(h)));
    }
    offsets.push_back(std::ssize(cols));
  }
  real.insert(real.end(), imag.begin(), imag.end());  // planes
  return {engine::SparseMatrix(std::move(offsets), std::move(cols), {}, graph.num_nodes()),
          std::make_shared<const Constant>(std::move(real))};
}

}  // namespace

// All stalk dimensions are alike, but for a low-pass one. Where there is none, they are channels of
// a matrix, or of a sheaf with stalks of dimension 1: the gather then reads one value for each
// edge.
ScaledSheaf identity_sheaf(const NetworkOptions& options, const Input& input,
                           engine::Program& program) {
  const bool has_low_pass = options.diffusion.fixed.low_pass;
  const std::int64_t columns = has_low_pass ? options.total_dim() : 1;
  const std::int64_t low_pass = has_low_pass ? options.stalk_dim : -1;
  const std::string name =
      fmt::format("identity sheaf {} {}", static_cast<int>(options.diffusion.normalisation),
                  options.keeps_diagonal);
  if (options.charge && !has_low_pass) {
    return {{},
            {},
            input.shared_memo<HermitianMatrix>(fmt::format("{} {}", name, *options.charge),
                                               [&] { return make_laplacian(input, options); })};
  }
  const auto& constants =
      input.memo<Constants>(fmt::format("{} {} {}", name, columns, low_pass),
                            [&] { return make_constants(input, options, columns, low_pass); });
  const DirectedGraph& graph = input.graph().directed();
  return {program.constant({graph.num_half_edges(), columns}, constants.maps),
          program.constant({graph.num_nodes(), columns}, constants.diagonal)};
}

}  // namespace dsnn::nn
