#pragma once

#include "kernels/executor.h"
#include "kernels/scaled_maps.h"

// Scaled maps in the most common case of diagonal maps: real unscaled maps, a normalisation that
// depends on them, no fixed dimensions. The same bits as scale_maps(), which calls these functions.
namespace dsnn::kernels {

/// The largest supported stalk dimension.
inline constexpr int kMostPlainDim = 8;

/// Whether these functions apply. In double they would be compiled only for checks.
template <class T>
bool are_plain_maps(const SheafMaps<T>& sheaf) {
  return sizeof(T) == sizeof(float) && sheaf.is_diagonal() && !sheaf.is_complex &&
         sheaf.is_learned() && sheaf.graph_scales == nullptr && sheaf.weights == nullptr &&
         sheaf.fixed.count() == 0 && sheaf.dim <= kMostPlainDim;
}

void scale_plain_maps(const Executor& executor, const SheafMaps<float>& sheaf, float* scaled,
                      float* diagonal, float* eigenvalues);

void scale_plain_maps_backward(const Executor& executor, const SheafMaps<float>& sheaf,
                               const float* eigenvalues, const float* grad_scaled,
                               const float* grad_diagonal, float* grad_maps);

}  // namespace dsnn::kernels
