#include "dsnn/verify/theorems.h"

#include <limits>

// Loaded before the library (LD_PRELOAD), this replaces the function of the same name, so that the
// program gets failing claims, which no graph should produce.

namespace dsnn {

std::vector<Claim> check_theorems(const DirectedGraph&, const TheoremOptions&) {
  return {{"theorem 1", "this holds", 1e-15, 1e-12},
          {"theorem 2", "this fails", 0.5, 1e-12},
          {"note", "this is not a number", std::numeric_limits<double>::quiet_NaN(), 1e-12}};
}

}  // namespace dsnn
