#include "kernels/orthogonal.h"

#include <algorithm>
#include <new>
#include <type_traits>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/orthogonal.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/orthogonal_euler-inl.h"
#include "kernels/cpu/orthogonal_householder-inl.h"
#include "kernels/cpu/orthogonal_skew-inl.h"
#include "kernels/cpu/transpose-inl.h"

#include <hwy/aligned_allocator.h>

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

/// A vector's worth of matrices, from arrays to an array. `plane_rows` rows lie between the real
/// and the imaginary part of each.
template <class Method, bool kBackward, class N, class Dim, class T = typename N::Scalar>
HWY_INLINE void run_vector(Dim d, std::int64_t plane_rows, const T* params, const T* grad, T* out,
                           N* p, N* q, N* grad_p, N* scratch) {
  const std::int64_t k = Method::num_params(d);
  load_numbers(k, params, plane_rows * k, p);
  if constexpr (kBackward) {
    load_numbers(d * d, grad, plane_rows * d * d, q);
    Method::backward(d, p, q, grad_p, scratch);
    store_numbers(k, grad_p, out, plane_rows * k);
  } else {
    Method::forward(d, p, q, scratch);
    store_numbers(d * d, q, out, plane_rows * d * d);
  }
}

/// `rows` rows of both planes of a source that has source_rows rows, to a target that has more.
template <class N, class T>
void copy_rows(std::int64_t rows, std::int64_t columns, const T* source, std::int64_t source_rows,
               T* target, std::int64_t target_rows) {
  for (int plane = 0; plane < N::kPlanes; ++plane) {
    std::copy_n(source + plane * source_rows * columns, rows * columns,
                target + plane * target_rows * columns);
  }
}

template <class Method, bool kBackward, class N, class Dim, class T = typename N::Scalar>
HWY_INLINE void run_rows(Dim d, const Rows<T>& rows, N* p, N* q, N* grad_p, N* scratch) {
  constexpr std::int64_t kLanes = max_lanes<T>();
  const std::int64_t k = Method::num_params(d);
  const std::int64_t out_columns = kBackward ? k : d * d;
  std::int64_t b = rows.begin;
  for (; b + kLanes <= rows.end; b += kLanes) {
    run_vector<Method, kBackward>(d, rows.count, rows.params + b * k,
                                  kBackward ? rows.grad + b * d * d : nullptr,
                                  rows.out + b * out_columns, p, q, grad_p, scratch);
  }
  if (b == rows.end) return;
  // The rest, in arrays that are a whole vector long.
  const std::int64_t rest = rows.end - b;
  std::vector<T> params(static_cast<std::size_t>(N::kPlanes * kLanes * k));
  std::vector<T> grad(static_cast<std::size_t>(N::kPlanes * kLanes * d * d));
  std::vector<T> out(static_cast<std::size_t>(N::kPlanes * kLanes * out_columns));
  copy_rows<N>(rest, k, rows.params + b * k, rows.count, params.data(), kLanes);
  if constexpr (kBackward) {
    copy_rows<N>(rest, d * d, rows.grad + b * d * d, rows.count, grad.data(), kLanes);
  }
  run_vector<Method, kBackward>(d, kLanes, params.data(), grad.data(), out.data(), p, q, grad_p,
                                scratch);
  copy_rows<N>(rest, out_columns, out.data(), kLanes, rows.out + b * out_columns, rows.count);
}

template <class Method, bool kBackward>
constexpr int scratch_size(int d) {
  return kBackward ? Method::backward_scratch(d) : Method::forward_scratch(d);
}

/// Everything of known size, so that loops unroll and numbers live in registers.
template <class Method, bool kBackward, class N, int kDim>
void run_fixed(const Rows<typename N::Scalar>& rows) {
  constexpr int kParams = std::max(Method::num_params(kDim), 1);
  N p[kParams];
  N q[kDim * kDim];
  N grad_p[kParams];
  N scratch[std::max(scratch_size<Method, kBackward>(kDim), 1)];
  run_rows<Method, kBackward>(std::integral_constant<int, kDim>(), rows, p, q, grad_p, scratch);
}

template <class Method, bool kBackward, class N>
void run_any_dim(int d, const Rows<typename N::Scalar>& rows) {
  const int k = Method::num_params(d);
  const int size = 2 * k + d * d + scratch_size<Method, kBackward>(d);
  const auto buffer = hwy::AllocateAligned<N>(static_cast<std::size_t>(size));
  if (!buffer) throw std::bad_alloc();
  N* p = buffer.get();
  run_rows<Method, kBackward>(d, rows, p, p + k, p + k + d * d, p + 2 * k + d * d);
}

/// The compiler's time goes to what is used most: small dimensions, and all up to 8 for
/// Householder.
template <class Method, bool kBackward, class N>
void run_dim(int d, const Rows<typename N::Scalar>& rows) {
  constexpr bool kMany = std::is_same_v<Method, Householder>;
  switch (d) {
    case 2:
      return run_fixed<Method, kBackward, N, 2>(rows);
    case 3:
      return run_fixed<Method, kBackward, N, 3>(rows);
    default:
      break;
  }
  if constexpr (kMany) {
    switch (d) {
      case 1:
        return run_fixed<Method, kBackward, N, 1>(rows);
      case 4:
        return run_fixed<Method, kBackward, N, 4>(rows);
      case 5:
        return run_fixed<Method, kBackward, N, 5>(rows);
      case 6:
        return run_fixed<Method, kBackward, N, 6>(rows);
      case 7:
        return run_fixed<Method, kBackward, N, 7>(rows);
      case 8:
        return run_fixed<Method, kBackward, N, 8>(rows);
      default:
        break;
    }
  }
  run_any_dim<Method, kBackward, N>(d, rows);
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
