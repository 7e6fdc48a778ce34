// A batch of orthogonal or unitary matrices, a vector's worth at a time, by any method in either
// direction. Compiled once for each instruction set.
#if defined(DSNN_KERNELS_CPU_ORTHOGONAL_RUN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_ORTHOGONAL_RUN_INL_H_
#undef DSNN_KERNELS_CPU_ORTHOGONAL_RUN_INL_H_
#else
#define DSNN_KERNELS_CPU_ORTHOGONAL_RUN_INL_H_
#endif

#include "kernels/cpu/known_dim.h"
#include "kernels/cpu/orthogonal_euler-inl.h"
#include "kernels/cpu/orthogonal_householder-inl.h"
#include "kernels/cpu/orthogonal_skew-inl.h"
#include "kernels/cpu/transpose-inl.h"
#include "kernels/orthogonal.h"
#include "kernels/scratch.h"

#include <algorithm>
#include <new>
#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// Matrices [begin, end) of the batch, and its arrays. Without grad it is the result that is
/// wanted: `out` is that, or the gradient of the parameters.
template <class T>
struct Rows {
  std::int64_t count;  // of the whole batch
  std::int64_t begin;
  std::int64_t end;
  const T* params;
  const T* grad;
  T* out;
};

/// A vector's worth of matrices in arrays. `plane_rows` rows lie between the real and the imaginary
/// parts.
template <class T>
struct Piece {
  std::int64_t plane_rows;
  const T* params;
  const T* grad;
  T* out;
};

/// The arrays of one method.
template <class N>
struct Workspace {
  N* params;
  N* matrix;
  N* grad_params;
  N* scratch;
};

template <class Method, bool kBackward>
constexpr int scratch_size(int d) {
  return kBackward ? Method::backward_scratch(d) : Method::forward_scratch(d);
}

template <class Method, bool kBackward, class N, class Dim>
HWY_INLINE void run_in(Dim d, const Piece<typename N::Scalar>& piece, const Workspace<N>& w) {
  const std::int64_t k = Method::num_params(d);
  load_numbers(k, piece.params, piece.plane_rows * k, w.params);
  if constexpr (kBackward) {
    load_numbers(d * d, piece.grad, piece.plane_rows * d * d, w.matrix);
    Method::backward(d, w.params, w.matrix, w.grad_params, w.scratch);
    store_numbers(k, w.grad_params, piece.out, piece.plane_rows * k);
  } else {
    Method::forward(d, w.params, w.matrix, w.scratch);
    store_numbers(d * d, w.matrix, piece.out, piece.plane_rows * d * d);
  }
}

/// With sizes known at compile time, so that loops unroll and values stay in registers.
template <class Method, bool kBackward, class N, int kDim>
HWY_NOINLINE void run_fixed(int /*d*/, const Piece<typename N::Scalar>& piece, N* /*buffer*/) {
  constexpr int kParams = std::max(Method::num_params(kDim), 1);
  N params[kParams];
  N matrix[kDim * kDim];
  N grad_params[kParams];
  N scratch[std::max(scratch_size<Method, kBackward>(kDim), 1)];
  run_in<Method, kBackward, N>(std::integral_constant<int, kDim>(), piece,
                               {params, matrix, grad_params, scratch});
}

template <class Method, bool kBackward>
constexpr int buffer_size(int d) {
  return 2 * Method::num_params(d) + d * d + scratch_size<Method, kBackward>(d);
}

template <class Method, bool kBackward, class N>
HWY_NOINLINE void run_any(int d, const Piece<typename N::Scalar>& piece, N* buffer) {
  const int k = Method::num_params(d);
  run_in<Method, kBackward, N>(d, piece,
                               {buffer, buffer + k, buffer + k + d * d, buffer + 2 * k + d * d});
}

template <class N>
using RunPiece = void (*)(int d, const Piece<typename N::Scalar>& piece, N* buffer);

/// The most common dimensions have specialised loops, in float.
template <class Method, bool kBackward, class N>
RunPiece<N> run_for([[maybe_unused]] int d) {
#ifndef DSNN_ANY_DIM_ONLY  // set if compiling the unrolled loops would take too long
  if constexpr (sizeof(typename N::Scalar) == sizeof(float) && is_specialised(HWY_TARGET)) {
    if (d == 2) return run_fixed<Method, kBackward, N, 2>;
    if (d == 3) return run_fixed<Method, kBackward, N, 3>;
    if constexpr (!std::is_same_v<Method, Euler>) {
      if (d == 4) return run_fixed<Method, kBackward, N, 4>;
    }
    if constexpr (std::is_same_v<Method, Householder>) {
      if (d == 5) return run_fixed<Method, kBackward, N, 5>;
    }
  }
#endif
  return run_any<Method, kBackward, N>;
}

/// `rows` rows of all planes, between arrays whose planes have source_rows and target_rows.
template <class N, class T = typename N::Scalar>
void copy_rows(std::int64_t rows, std::int64_t columns, const T* source, std::int64_t source_rows,
               T* target, std::int64_t target_rows) {
  for (int plane = 0; plane < N::kPlanes; ++plane) {
    std::copy_n(source + plane * source_rows * columns, rows * columns,
                target + plane * target_rows * columns);
  }
}

template <class Method, bool kBackward, class N, class T = typename N::Scalar>
void run_dim(int d, const Rows<T>& rows) {
  constexpr std::int64_t kLanes = max_lanes<T>();
  const std::int64_t k = Method::num_params(d);
  const std::int64_t in_columns = kBackward ? d * d : 0;
  const std::int64_t out_columns = kBackward ? k : d * d;
  const RunPiece<N> run = run_for<Method, kBackward, N>(d);
  ScratchVector<std::byte> memory(static_cast<std::size_t>(buffer_size<Method, kBackward>(d)) *
                                  sizeof(N));
  N* buffer = reinterpret_cast<N*>(memory.data());
  std::int64_t b = rows.begin;
  for (; b + kLanes <= rows.end; b += kLanes) {
    const T* grad = kBackward ? rows.grad + b * in_columns : nullptr;
    run(d, {rows.count, rows.params + b * k, grad, rows.out + b * out_columns}, buffer);
  }
  if (b == rows.end) return;
  // The rest, in arrays that are a whole vector long.
  const std::int64_t rest = rows.end - b;
  const auto zeros = [](std::int64_t columns) {
    return ScratchVector<T>(static_cast<std::size_t>(N::kPlanes * kLanes * columns));
  };
  ScratchVector<T> params = zeros(k);
  ScratchVector<T> grad = zeros(in_columns);
  ScratchVector<T> out = zeros(out_columns);
  copy_rows<N>(rest, k, rows.params + b * k, rows.count, params.data(), kLanes);
  if constexpr (kBackward) {
    copy_rows<N>(rest, in_columns, rows.grad + b * in_columns, rows.count, grad.data(), kLanes);
  }
  run(d, {kLanes, params.data(), grad.data(), out.data()}, buffer);
  copy_rows<N>(rest, out_columns, out.data(), kLanes, rows.out + b * out_columns, rows.count);
}

template <bool kBackward, class N>
void run_method(const OrthogonalBatch& batch, const Rows<typename N::Scalar>& rows) {
  switch (batch.method) {
    case OrthogonalMethod::kHouseholder:
      return run_dim<Householder, kBackward, N>(batch.dim, rows);
    case OrthogonalMethod::kCayley:
      return run_dim<Cayley, kBackward, N>(batch.dim, rows);
    case OrthogonalMethod::kMatrixExp:
      return run_dim<MatrixExp, kBackward, N>(batch.dim, rows);
    case OrthogonalMethod::kEuler:
      return run_dim<Euler, kBackward, N>(batch.dim, rows);
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
