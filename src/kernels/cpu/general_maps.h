#pragma once

#include "kernels/half_edges.h"
#include "kernels/scaled_maps.h"

namespace dsnn::kernels {

/// scale_maps() and its gradients for general maps on a range of nodes, compiled for this machine's
/// instruction set.
template <class T>
using GeneralMaps = void (*)(const SheafMaps<T>& sheaf, NodeRange nodes, T* scaled, T* diagonal,
                             T* eigenvalues, T* eigenvectors);
template <class T>
using GeneralMapsBackward = void (*)(const SheafMaps<T>& sheaf, NodeRange nodes,
                                     const T* eigenvalues, const T* eigenvectors,
                                     const T* grad_scaled, const T* grad_diagonal, T* grad_maps,
                                     T* grad_weights);

template <class T>
GeneralMaps<T> general_maps();
template <class T>
GeneralMapsBackward<T> general_maps_backward();

}  // namespace dsnn::kernels
