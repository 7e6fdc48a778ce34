#pragma once

#include "util/internal_api.h"

namespace dsnn {

/// The regularised incomplete beta function I_x(a, b), for a, b > 0 and x in [0, 1].
DSNN_INTERNAL_API double incomplete_beta(double a, double b, double x);

/// Probability of a |t| at least as large under Student's distribution.
DSNN_INTERNAL_API double two_sided_p(double t, double degrees_of_freedom);

/// The t > 0 that |t| exceeds with probability p, 0 < p < 1: the inverse of two_sided_p.
DSNN_INTERNAL_API double student_quantile(double p, double degrees_of_freedom);

}  // namespace dsnn
