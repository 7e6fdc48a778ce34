#include "dsnn/sheaf/sheaf.h"
#include "dsnn/util/random.h"

#include <Eigen/Dense>

namespace dsnn {

Sheaf random_sheaf(const DirectedGraph& graph, const SheafOptions& options, std::uint64_t seed) {
  using Matrix = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Random random(seed);
  const int d = options.stalk_dim;
  const int map_size = options.family == MapFamily::kDiagonal ? d : d * d;
  std::vector<Complex> maps(static_cast<std::size_t>(graph.num_half_edges() * map_size));
  for (Complex& entry : maps) {
    entry = random.uniform(-1, 1);
    if (options.field == MapField::kComplex) entry.imag(random.uniform(-1, 1));
  }
  if (options.family == MapFamily::kOrthogonal) {
    for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) {
      Eigen::Map<Matrix> map(maps.data() + h * map_size, d, d);
      Matrix orthogonal = Eigen::HouseholderQR<Matrix>(map).householderQ();
      if (random.uniform() < 0.5) orthogonal.col(0) *= -1;  // reflections and rotations alike
      map = orthogonal;
    }
  }
  return Sheaf::from_maps(graph, options, maps);
}

}  // namespace dsnn
