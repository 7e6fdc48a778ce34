#pragma once

#include "dsnn/export.h"

#include <complex>

namespace dsnn {

using Complex = std::complex<double>;

/// exp(2 pi i t) for a number of turns t. Multiples of a quarter turn are exact, so that q = 1/4
/// gives i itself and q = 1/2 a real operator; t and -t give conjugates to the last bit.
DSNN_API Complex unit_phase(double turns);

}  // namespace dsnn
