#pragma once

#include "dsnn/engine/operators/linear.h"

#include "engine/operators/checks.h"
#include "kernels/dropout.h"

namespace dsnn::engine {

/// Dropout on x for kernels, with the planes in the first axis of x.
inline kernels::Dropout kernel_dropout(const Dropout& dropout, std::uint64_t pass_seed,
                                       const Shape& x) {
  const std::int64_t planes = x.empty() ? 1 : x[0];
  return {dropout.probability, dropout_seed(pass_seed, dropout.place),
          dropout.merged_planes && planes > 0 ? num_numbers(x) / planes : 0};
}

inline void check_dropout(const Checks& checks, const Dropout& dropout) {
  if (!(dropout.probability >= 0 && dropout.probability < 1)) {
    checks.fail(
        fmt::format("dropout is {}, expected 0 or more and less than 1", dropout.probability));
  }
}

/// ", dropout 0.5" or nothing.
inline std::string dropout_text(const Dropout& dropout) {
  return dropout.probability > 0 ? fmt::format("dropout {:g}", dropout.probability) : "";
}

}  // namespace dsnn::engine
