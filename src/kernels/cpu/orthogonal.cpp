#include "kernels/orthogonal.h"

#include "kernels/scratch.h"

#include <algorithm>
#include <new>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/orthogonal.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/known_dim.h"
#include "kernels/cpu/orthogonal_euler-inl.h"
#include "kernels/cpu/orthogonal_householder-inl.h"
#include "kernels/cpu/orthogonal_skew-inl.h"
#include "kernels/cpu/transpose-inl.h"

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

template <class T>
void forward(const OrthogonalBatch& batch, std::int64_t begin, std::int64_t end, const T* params,
             T* result) {
  const Rows<T> rows = {batch.count, begin, end, params, nullptr, result};
  batch.is_complex ? run_method<false, Complex<T>>(batch, rows)
                   : run_method<false, Real<T>>(batch, rows);
}

template <class T>
void backward(const OrthogonalBatch& batch, std::int64_t begin, std::int64_t end, const T* params,
              const T* grad, T* grad_params) {
  const Rows<T> rows = {batch.count, begin, end, params, grad, grad_params};
  batch.is_complex ? run_method<true, Complex<T>>(batch, rows)
                   : run_method<true, Real<T>>(batch, rows);
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {
namespace {

/// run(begin, end) for blocks of the batch, on all threads. Whole vectors of any width in each but
/// the last.
template <class Run>
void for_blocks(const Executor& executor, std::int64_t count, const Run& run) {
  constexpr std::int64_t kBlock = 512;
  run_blocks(executor, (count + kBlock - 1) / kBlock, [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      run(block * kBlock, std::min(count, (block + 1) * kBlock));
    }
  });
}

}  // namespace

std::int64_t num_orthogonal_params(OrthogonalMethod method, std::int64_t dim) {
  const bool has_diagonal =
      method == OrthogonalMethod::kCayley || method == OrthogonalMethod::kMatrixExp;
  return has_diagonal ? dim * (dim + 1) / 2 : dim * (dim - 1) / 2;
}

template <class T>
void orthogonal(const Executor& executor, const OrthogonalBatch& batch, const T* params,
                T* result) {
  const auto kernel = DSNN_DISPATCH(forward<T>);
  for_blocks(executor, batch.count, [&](std::int64_t begin, std::int64_t end) {
    kernel(batch, begin, end, params, result);
  });
}

template <class T>
void orthogonal_backward(const Executor& executor, const OrthogonalBatch& batch, const T* params,
                         const T* grad, T* grad_params) {
  const auto kernel = DSNN_DISPATCH(backward<T>);
  for_blocks(executor, batch.count, [&](std::int64_t begin, std::int64_t end) {
    kernel(batch, begin, end, params, grad, grad_params);
  });
}

#define DSNN_INSTANTIATE(T)                                                                      \
  template void orthogonal(const Executor&, const OrthogonalBatch&, const T*, T*);               \
  template void orthogonal_backward(const Executor&, const OrthogonalBatch&, const T*, const T*, \
                                    T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
