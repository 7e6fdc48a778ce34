// A directed cycle of four nodes: a sheaf on it, its Laplacian as an operator, and the low end of
// its spectrum.

#include <cstdio>
#include <dsnn/core.h>
#include <vector>

int main() {
  const std::vector<dsnn::Arc> arcs = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  const dsnn::DirectedGraph graph = dsnn::DirectedGraph::from_arcs(4, arcs);

  // At q = 1/4 the phases of the four arcs add up to a full turn, so a constant signal with the
  // right phases is in the kernel; at q = 1/8 nothing is.
  for (const double charge : {0.25, 0.125}) {
    const dsnn::Sheaf sheaf = dsnn::Sheaf::trivial(graph, charge);
    const dsnn::LaplacianOperator laplacian(sheaf, dsnn::Normalisation::kExact);
    dsnn::EigenOptions options;
    options.count = 1;
    const dsnn::Eigenpairs pairs = dsnn::extremal_eigenpairs(laplacian, options);
    std::printf("q = %.3f: smallest eigenvalue %.6f\n", charge, pairs.values[0]);
  }
}
