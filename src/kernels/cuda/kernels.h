// The functions of the headers of this folder's parent on a GPU: all arrays are in its memory,
// except those of graphs and sparse matrices, which are mirrored (Gpu::mirror). Work is only
// started.
//
// Sums have a fixed order, given by the sizes: the same bits in every run, but not those of the
// processor.
#pragma once

#include "kernels/bias_activation.h"
#include "kernels/binary_cross_entropy.h"
#include "kernels/centre_columns.h"
#include "kernels/dropout.h"
#include "kernels/edges.h"
#include "kernels/elementwise.h"
#include "kernels/gpu.h"
#include "kernels/linear.h"
#include "kernels/orthogonal.h"
#include "kernels/rows.h"
#include "kernels/scaled_maps.h"
#include "kernels/sheaf_diffusion.h"
#include "kernels/sheaf_maps.h"
#include "kernels/softmax.h"
#include "kernels/sparse.h"
#include "kernels/stalk_linear.h"
#include "kernels/stalk_update.h"

namespace dsnn::kernels::cuda {

// binary_cross_entropy.h
template <class T>
void binary_cross_entropy(const Gpu& gpu, std::int64_t size, const T* x, const T* signs, T* loss);
template <class T>
void binary_cross_entropy_backward(const Gpu& gpu, std::int64_t size, const T* x, const T* signs,
                                   const T* grad, T* grad_x);

// centre_columns.h
template <class T>
void centre_columns(const Gpu& gpu, const ColumnsShape& shape, const T* x, const T* shift, T* y);
template <class T>
void centre_columns_backward(const Gpu& gpu, const ColumnsShape& shape, const T* x, const T* grad,
                             T* grad_x, T* grad_shift);

// bias_activation.h
template <class T>
void bias_activation(const Gpu& gpu, std::int64_t rows, std::int64_t columns,
                     StalkActivation activation, const Dropout& dropout, const T* x, const T* bias,
                     T* y);
template <class T>
void bias_activation_backward(const Gpu& gpu, std::int64_t rows, std::int64_t columns,
                              StalkActivation activation, const Dropout& dropout, const T* x,
                              const T* bias, const T* grad, T* grad_x, T* grad_bias);

// dropout.h
template <class T>
void dropout(const Gpu& gpu, std::int64_t size, const Dropout& dropout, const T* x, T* y);

// edges.h
template <class T>
void edge_sum(const Gpu& gpu, const SparseRows& rows, std::int64_t width, const T* own,
              const T* other, T* out);
template <class T>
void edge_sum_backward(const Gpu& gpu, const SparseRows& rows, std::int64_t width, const T* grad,
                       T* grad_own);
template <class T>
void edge_attention(const Gpu& gpu, const SparseRows& rows, const SparseShape& shape, T slope,
                    const T* own, const T* other, const T* weight, T* scores);
template <class T>
void edge_attention_backward(const Gpu& gpu, const SparseRows& rows, const SparseShape& shape,
                             T slope, const T* own, const T* other, const T* weight, const T* grad,
                             T* grad_own, T* grad_weight);
template <class T>
void edge_softmax(const Gpu& gpu, const SparseRows& rows, std::int64_t heads, const T* scores,
                  T* out);
template <class T>
void edge_softmax_backward(const Gpu& gpu, const SparseRows& rows, std::int64_t heads, const T* out,
                           const T* grad, T* grad_scores);
template <class T>
void neighbour_max(const Gpu& gpu, const SparseRows& rows, const SparseShape& shape, const T* x,
                   T* y);
template <class T>
void neighbour_max_backward(const Gpu& gpu, const SparseRows& rows, const SparseRows& columns,
                            const SparseShape& shape, const T* x, const T* grad, T* grad_x);

// elementwise.h
template <class T>
void combine(const Gpu& gpu, std::int64_t size, double a, const T* x, double b, const T* y,
             double c, T* out);
template <class T>
void multiply(const Gpu& gpu, std::int64_t size, const T* x, const T* y, T* out);
template <class T>
void scale(const Gpu& gpu, std::int64_t size, const T* factor, const T* x, T* out);
template <class T>
void dot(const Gpu& gpu, std::int64_t size, const T* x, const T* y, T* sum);
template <class T>
void maximum(const Gpu& gpu, std::int64_t size, std::span<const T* const> arrays, T* out);
template <class T>
void maximum_backward(const Gpu& gpu, std::int64_t size, std::span<const T* const> arrays,
                      const T* grad, std::span<T* const> grad_arrays);
template <class T>
void apply_function(const Gpu& gpu, engine::Function function, std::int64_t size, const T* x, T* y);
template <class T>
void apply_function_backward(const Gpu& gpu, engine::Function function, std::int64_t size,
                             const T* x, const T* grad, T* grad_x);

// linear.h
template <class T>
void linear(const Gpu& gpu, const LinearShape& shape, const T* x, const T* weight, const T* bias,
            T* y);
template <class T>
void linear_backward(const Gpu& gpu, const LinearShape& shape, const T* x, const T* weight,
                     const T* grad, T* grad_x, T* grad_weight, T* grad_bias);

// orthogonal.h
template <class T>
void orthogonal(const Gpu& gpu, const OrthogonalBatch& batch, const T* params, T* result);
template <class T>
void orthogonal_backward(const Gpu& gpu, const OrthogonalBatch& batch, const T* params,
                         const T* grad, T* grad_params);

// rows.h
template <class T>
void copy_columns(const Gpu& gpu, std::int64_t rows, std::int64_t columns, const T* from,
                  std::int64_t from_stride, T* to, std::int64_t to_stride);
template <class T>
void copy_columns(const Gpu& gpu, std::int64_t rows, std::span<const ColumnCopy<T>> copies);
template <class T>
void unit_rows(const Gpu& gpu, std::int64_t rows, std::int64_t columns, const T* x, T* y);
template <class T>
void unit_rows_backward(const Gpu& gpu, std::int64_t rows, std::int64_t columns, const T* x,
                        const T* grad, T* grad_x);
template <class T>
void sum_middle(const Gpu& gpu, std::int64_t outer, std::int64_t middle, std::int64_t inner,
                T factor, const T* x, T* y);
template <class T>
void sum_middle_backward(const Gpu& gpu, std::int64_t outer, std::int64_t middle,
                         std::int64_t inner, T factor, const T* grad, T* grad_x);
template <class T>
void head_dot(const Gpu& gpu, std::int64_t rows, std::int64_t heads, std::int64_t channels,
              const T* x, const T* weight, T* y);
template <class T>
void head_dot_backward(const Gpu& gpu, std::int64_t rows, std::int64_t heads, std::int64_t channels,
                       const T* x, const T* weight, const T* grad, T* grad_x, T* grad_weight);
template <class T>
void complex_bias_relu(const Gpu& gpu, std::int64_t rows, std::int64_t columns, const T* x,
                       const T* bias, T* y);
template <class T>
void complex_bias_relu_backward(const Gpu& gpu, std::int64_t rows, std::int64_t columns, const T* x,
                                const T* bias, const T* grad, T* grad_x, T* grad_bias);

// scaled_maps.h
template <class T>
void scale_maps(const Gpu& gpu, const SheafMaps<T>& sheaf, T* scaled, T* diagonal, T* eigenvalues,
                T* eigenvectors);
template <class T>
void scale_maps_backward(const Gpu& gpu, const SheafMaps<T>& sheaf, const T* eigenvalues,
                         const T* eigenvectors, const T* grad_scaled, const T* grad_diagonal,
                         T* grad_maps, T* grad_weights);

// sheaf_diffusion.h
template <class T>
void sheaf_diffusion(const Gpu& gpu, const Diffusion<T>& operation, const T* x, T* y);
template <class T>
void sheaf_diffusion_backward(const Gpu& gpu, const Diffusion<T>& operation, const T* x,
                              const T* grad, T* grad_x, T* grad_maps, T* grad_diagonal,
                              T* grad_charge);

// sheaf_maps.h
template <class T>
void sheaf_maps(const Gpu& gpu, const HalfEdges& graph, MapActivation activation, std::int64_t k,
                const T* left, const T* right, T* params);
template <class T>
void sheaf_maps_backward(const Gpu& gpu, const HalfEdges& graph, MapActivation activation,
                         std::int64_t k, const T* params, const T* grad, T* grad_left,
                         T* grad_right);
template <class T>
void edge_weights(const Gpu& gpu, const HalfEdges& graph, const T* left, const T* right,
                  T* weights);
template <class T>
void edge_weights_backward(const Gpu& gpu, const HalfEdges& graph, const T* left, const T* right,
                           const T* grad, T* grad_left, T* grad_right);

// softmax.h
template <class T>
void softmax(const Gpu& gpu, std::int64_t size, const T* x, T* y);
template <class T>
void softmax_backward(const Gpu& gpu, std::int64_t size, const T* y, const T* grad, T* grad_x);
template <class T>
void cross_entropy(const Gpu& gpu, const LabelledNodes& nodes, const T* logits, T* loss);
template <class T>
void cross_entropy_backward(const Gpu& gpu, const LabelledNodes& nodes, const T* logits,
                            const T* grad, T* grad_logits);

// sparse.h
template <class T>
void spmm(const Gpu& gpu, const SparseRows& rows, const SparseValues<T>& values,
          const SparseShape& shape, const T* x, T* y);
template <class T>
void spmm_adjoint(const Gpu& gpu, const SparseRows& rows, const SparseRows& columns,
                  const SparseValues<T>& values, const SparseShape& shape, const T* x, T* y);
template <class T>
void spmm_values_backward(const Gpu& gpu, const SparseRows& rows, const SparseShape& shape,
                          const T* x, const T* grad, T* grad_real, T* grad_imag);

// stalk_linear.h
template <class T>
void stalk_linear(const Gpu& gpu, const StalkShape& shape, const StalkWeights<T>& weights,
                  const Dropout& dropout, const T* x, T* y);
template <class T>
void stalk_linear_backward(const Gpu& gpu, const StalkShape& shape, const StalkWeights<T>& weights,
                           const Dropout& dropout, const T* x, const T* grad, T* grad_x,
                           T* grad_left, T* grad_right);

// stalk_update.h
template <class T>
void stalk_update(const Gpu& gpu, const StalkShape& shape, StalkActivation activation, const T* x,
                  const T* y, const T* eps, T* out);
template <class T>
void stalk_update_backward(const Gpu& gpu, const StalkShape& shape, StalkActivation activation,
                           const T* x, const T* y, const T* eps, const T* grad, T* grad_x,
                           T* grad_y, T* grad_eps);

}  // namespace dsnn::kernels::cuda
