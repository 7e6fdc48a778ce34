#pragma once

#include "kernels/orthogonal.h"

namespace dsnn::kernels {

/// orthogonal_backward() for matrices [begin, end) of the batch, compiled for this machine's
/// instruction set.
template <class T>
using OrthogonalBackward = void (*)(const OrthogonalBatch& batch, std::int64_t begin,
                                    std::int64_t end, const T* params, const T* grad,
                                    T* grad_params);

template <class T>
OrthogonalBackward<T> orthogonal_backward_kernel();

}  // namespace dsnn::kernels
