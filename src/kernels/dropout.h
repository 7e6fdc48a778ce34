#pragma once

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>
#include <span>

namespace dsnn::kernels {

/// Dropout of the elements of an array [eq:dropout]: element i is set to 0 with the given
/// probability, by a hash of the seed and i; the others are divided by 1 - probability. No mask is
/// stored: gradients recompute it. With a period, elements i and i + period are dropped together.
struct Dropout {
  double probability = 0;
  std::uint64_t seed = 0;
  std::int64_t period = 0;

  std::int64_t position(std::int64_t i) const { return period > 0 ? i % period : i; }
};

/// y_i = x_i m_i, with m_i 0 or 1 / (1 - probability). Also its own gradient. T is float or double.
template <class T>
DSNN_INTERNAL_API void dropout(const Executor& executor, std::int64_t size, const Dropout& dropout,
                               const T* x, T* y);

/// `count` elements from `begin` on, whose dropout is that of the positions from `position` on.
struct DropoutPiece {
  std::int64_t begin, count, position;
};

/// Dropout of an array whose elements are part of a larger one: of the elements in pieces, not long
/// ones. The period does not matter. Not on a GPU.
template <class T>
DSNN_INTERNAL_API void dropout_pieces(const Executor& executor,
                                      std::span<const DropoutPiece> pieces, const Dropout& dropout,
                                      const T* x, T* y);

}  // namespace dsnn::kernels
