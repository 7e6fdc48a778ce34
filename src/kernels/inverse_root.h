#pragma once

#include "dsnn/sheaf/laplacian.h"

#include <cmath>

namespace dsnn::kernels {

/// S and N = S D S [eq:inverse-root] as functions of the eigenvalues l of D, with the divided
/// differences (f(a) - f(b)) / (a - b) for their derivatives, in a form that also works for equal
/// eigenvalues. An eigenvalue of 0 has s = 0 in the exact normalisation (Moore-Penrose).
struct InverseRoot {
  bool is_exact;

  explicit InverseRoot(Normalisation normalisation)
      : is_exact(normalisation == Normalisation::kExact) {}

  double s(double l) const {
    if (is_exact) return l > 0 ? 1 / std::sqrt(l) : 0;
    return 1 / std::sqrt(l + 1);
  }
  /// l s(l)^2
  double share(double l) const {
    if (is_exact) return l > 0 ? 1 : 0;
    return l / (l + 1);
  }
  double s_difference(double a, double b) const {
    if (is_exact && (a == 0 || b == 0)) {
      const double l = a + b;
      return l > 0 ? 1 / (l * std::sqrt(l)) : 0;
    }
    const double root_a = std::sqrt(is_exact ? a : a + 1);
    const double root_b = std::sqrt(is_exact ? b : b + 1);
    return -1 / (root_a * root_b * (root_a + root_b));
  }
  double share_difference(double a, double b) const {
    if (!is_exact) return 1 / ((a + 1) * (b + 1));
    return (a == 0) != (b == 0) ? 1 / (a + b) : 0;
  }
};

}  // namespace dsnn::kernels
