#pragma once

#include "dsnn/export.h"
#include "dsnn/sweep/sweep.h"

#include <string>

namespace dsnn {

/// A page about a sweep (HTML): the trials as lines across the parameters, their scores over time,
/// how much each parameter matters, and a table. It needs no other file and no network.
DSNN_API std::string sweep_report(const Sweep& sweep);

}  // namespace dsnn
