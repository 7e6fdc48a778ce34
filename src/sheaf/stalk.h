#pragma once

#include "dsnn/sheaf/sheaf.h"

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dsnn {

// Plain loops over one stalk, [d, channels] complex numbers in a row.

/// y += scale F x
inline void add_map_times(Complex scale, MapView map, const Complex* x, std::int64_t channels,
                          Complex* y) {
  for (int i = 0; i < map.dim(); ++i) {
    for (int j = map.row_begin(i); j < map.row_end(i); ++j) {
      const Complex entry = scale * map(i, j);
      for (std::int64_t k = 0; k < channels; ++k)
        y[i * channels + k] += entry * x[j * channels + k];
    }
  }
}

/// y += scale F* x
inline void add_adjoint_times(Complex scale, MapView map, const Complex* x, std::int64_t channels,
                              Complex* y) {
  for (int i = 0; i < map.dim(); ++i) {
    for (int j = map.row_begin(i); j < map.row_end(i); ++j) {
      const Complex entry = scale * std::conj(map(j, i));
      for (std::int64_t k = 0; k < channels; ++k)
        y[i * channels + k] += entry * x[j * channels + k];
    }
  }
}

/// block += scale F* G, all d x d
inline void add_adjoint_product(Complex scale, MapView f, MapView g, Complex* block) {
  const int d = f.dim();
  for (int i = 0; i < d; ++i) {
    for (int j = 0; j < d; ++j) {
      Complex sum = 0;
      for (int k = f.row_begin(i); k < f.row_end(i); ++k) sum += std::conj(f(k, i)) * g(k, j);
      block[i * d + j] += scale * sum;
    }
  }
}

}  // namespace dsnn
