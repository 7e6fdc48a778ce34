#pragma once

#include "dsnn/sheaf/sheaf.h"

#include "support/random_graphs.h"

#include <complex>
#include <functional>
#include <string>
#include <vector>

namespace dsnn::testing {

/// A random sheaf on a random graph, and what made it.
struct Case {
  std::string name;
  RandomArcs input;
  DirectedGraph graph;
  SheafOptions options;
  std::uint64_t seed = 0;
  Sheaf sheaf() const { return random_sheaf(graph, options, seed); }
};

/// `per_combination` cases of each kind of graph, family and field, with charges anywhere, stalks
/// of 1 to 4 dimensions and fixed dimensions in all combinations.
inline void for_each_case(int per_combination, const std::function<void(const Case&)>& check) {
  std::uint64_t seed = 0;
  for (const GraphKind kind : all_graph_kinds()) {
    for (const MapFamily family :
         {MapFamily::kDiagonal, MapFamily::kOrthogonal, MapFamily::kGeneral}) {
      for (const MapField field : {MapField::kReal, MapField::kPhase, MapField::kComplex}) {
        for (int i = 0; i < per_combination; ++i, ++seed) {
          Random random(seed);
          Case c;
          c.seed = seed;
          c.input = random_arcs(seed, kind, 10);
          c.graph = c.input.graph();
          c.options.family = family;
          c.options.field = field;
          c.options.stalk_dim = 1 + static_cast<int>(random.below(4));
          c.options.charge = field == MapField::kPhase ? random.uniform(-3, 3) : 0;
          c.options.fixed = {.low_pass = random.below(2) == 1, .high_pass = random.below(2) == 1};
          c.name = "graph kind " + std::to_string(static_cast<int>(kind)) + ", family " +
                   std::to_string(static_cast<int>(family)) + ", field " +
                   std::to_string(static_cast<int>(field)) + ", seed " + std::to_string(seed);
          check(c);
        }
      }
    }
  }
}

inline std::vector<Complex> random_vector(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<Complex> x(size);
  for (Complex& value : x) {
    const double real = random.uniform(-1, 1);
    value = {real, random.uniform(-1, 1)};
  }
  return x;
}

inline double largest_difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  if (a.size() != b.size()) return 1e300;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace dsnn::testing
