#include "kernels/inverse_root.h"
#include "nn/sheaf/scaled_sheaf.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace dsnn::nn {
namespace {

using engine::Constant;

/// G [2m, columns] and N [n, columns].
struct Constants {
  std::shared_ptr<const Constant> maps, diagonal;
};

/// S and N depend on the degree alone. `low_pass` is the column of the dimension with maps 1 and
/// -1; negative: there is none.
Constants make_constants(const engine::Graph& engine_graph, Normalisation normalisation,
                         bool keeps_diagonal, std::int64_t columns, std::int64_t low_pass) {
  const DirectedGraph& graph = engine_graph.directed();
  const std::vector<double>& scales = engine_graph.map_scales();
  const kernels::InverseRoot inverse_root(normalisation);
  std::vector<double> maps, diagonal;
  maps.reserve(static_cast<std::size_t>(graph.num_half_edges() * columns));
  for (NodeId u = 0; u < graph.num_nodes(); ++u) {
    const auto scale = [&](HalfEdgeId h) {
      return scales.empty() ? 1 : scales[static_cast<std::size_t>(h)];
    };
    double degree = 0;
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      degree += scale(h) * scale(h);
    }
    for (HalfEdgeId h = graph.row_begin(u); h < graph.row_end(u); ++h) {
      const double map = scale(h) * inverse_root.s(degree);
      for (std::int64_t i = 0; i < columns; ++i) {
        maps.push_back(i == low_pass && graph.neighbour(h) < u ? -map : map);
      }
    }
    const double share = keeps_diagonal ? inverse_root.share(degree) : 0;
    diagonal.insert(diagonal.end(), static_cast<std::size_t>(columns), share);
  }
  return {std::make_shared<const Constant>(std::move(maps)),
          std::make_shared<const Constant>(std::move(diagonal))};
}

}  // namespace

// All stalk dimensions are alike, but for a low-pass one. Where there is none, they are seen as
// channels of a sheaf with stalks of dimension 1: the gather then reads one value for each edge.
ScaledSheaf identity_sheaf(const NetworkOptions& options, const Input& input,
                           engine::Program& program) {
  const bool has_low_pass = options.diffusion.fixed.low_pass;
  const std::int64_t columns = has_low_pass ? options.total_dim() : 1;
  const std::int64_t low_pass = has_low_pass ? options.stalk_dim : -1;
  const Normalisation normalisation = options.diffusion.normalisation;
  const auto& constants = input.memo<Constants>(
      fmt::format("identity sheaf {} {} {} {}", static_cast<int>(normalisation),
                  options.keeps_diagonal, columns, low_pass),
      [&] {
        return make_constants(input.graph(), normalisation, options.keeps_diagonal, columns,
                              low_pass);
      });
  const DirectedGraph& graph = input.graph().directed();
  return {program.constant({graph.num_half_edges(), columns}, constants.maps),
          program.constant({graph.num_nodes(), columns}, constants.diagonal)};
}

}  // namespace dsnn::nn
