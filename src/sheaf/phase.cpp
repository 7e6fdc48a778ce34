#include "dsnn/sheaf/phase.h"

#include "util/portable_math.h"

#include <cmath>
#include <numbers>

namespace dsnn {

Complex unit_phase(double turns) {
  const double t = std::remainder(turns, 1.0);  // exact, in [-1/2, 1/2]
  const double quarters = std::nearbyint(4 * t);
  const double angle = 2 * std::numbers::pi * (t - quarters / 4);  // in [-pi/4, pi/4]
  const auto [s, c] = portable::sin_cos(angle);
  switch (static_cast<int>(quarters)) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case -1:
      return {s, -c};
    default:  // half a turn, either way
      return {-c, -s};
  }
}

}  // namespace dsnn
