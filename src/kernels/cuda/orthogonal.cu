// One thread per matrix. Functions are those of cpu/orthogonal_*-inl.h, with single values in place
// of vectors. The values of a matrix are in registers where the compiler knows the dimension.
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/orthogonal_methods.h"
#include "kernels/orthogonal.h"

#include <cstdint>
#include <type_traits>

namespace dsnn::kernels::cuda {
namespace {

/// The values of one matrix in scratch memory: those of neighbouring matrices are neighbours.
template <class N>
struct Strided {
  N* data;
  std::int64_t stride;
  DSNN_GPU_INLINE N& operator[](int i) const { return data[i * stride]; }
  DSNN_GPU_INLINE Strided operator+(int i) const { return {data + i * stride, stride}; }
};

/// take(i, from[i]) for a block of known size, four at a time where they are aligned.
template <int kSize, class T, class Take>
DSNN_GPU_INLINE void read_block(const T* from, const Take& take) {
#if defined(__CUDACC__)
  if constexpr (kSize % 4 == 0 && std::is_same_v<T, float>) {
    if (reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
      DSNN_UNROLL
      for (int i = 0; i < kSize; i += 4) {
        const float4 four = *reinterpret_cast<const float4*>(from + i);
        take(i, four.x);
        take(i + 1, four.y);
        take(i + 2, four.z);
        take(i + 3, four.w);
      }
      return;
    }
  }
#endif
  DSNN_UNROLL
  for (int i = 0; i < kSize; ++i) take(i, from[i]);
}

/// to[i] = give(i), likewise.
template <int kSize, class T, class Give>
DSNN_GPU_INLINE void write_block(T* to, const Give& give) {
#if defined(__CUDACC__)
  if constexpr (kSize % 4 == 0 && std::is_same_v<T, float>) {
    if (reinterpret_cast<std::uintptr_t>(to) % 16 == 0) {
      DSNN_UNROLL
      for (int i = 0; i < kSize; i += 4) {
        *reinterpret_cast<float4*>(to + i) =
            make_float4(give(i), give(i + 1), give(i + 2), give(i + 3));
      }
      return;
    }
  }
#endif
  DSNN_UNROLL
  for (int i = 0; i < kSize; ++i) to[i] = give(i);
}

/// Kernels of one method, with arrays of type A of values N.
template <class Method, class N, class T = typename N::Scalar>
struct Batch {
  std::int64_t count;
  int d;

  DSNN_GPU_INLINE void read(const T* from, std::int64_t b, int size, Strided<N> to) const {
    for (int i = 0; i < size; ++i) {
      const T im = N::kPlanes == 2 ? from[(count + b) * size + i] : T{0};
      to[i] = make<N>(from[b * size + i], im);
    }
  }
  DSNN_GPU_INLINE void write(Strided<N> from, std::int64_t b, int size, T* to) const {
    for (int i = 0; i < size; ++i) {
      to[b * size + i] = from[i].re;
      if constexpr (N::kPlanes == 2) to[(count + b) * size + i] = from[i].im;
    }
  }
};

/// The same with real matrices of known dimension.
template <class Method, int kDim, class T>
void run_known(const Gpu& gpu, const OrthogonalBatch& options, const T* params, const T* grad,
               T* out) {
  const bool is_backward = grad != nullptr;
  for_each(gpu, options.count, [=] DSNN_GPU(std::int64_t b) {
    using N = Real<T>;
    constexpr int kParams = Method::num_params(kDim), kSize = kDim * kDim;
    constexpr int kForward = Method::forward_scratch(kDim),
                  kBackward = Method::backward_scratch(kDim);
    N own[kParams], matrix[kSize], grad_params[kParams];
    N rest[kForward > kBackward ? kForward : kBackward];
    DSNN_UNROLL
    for (int i = 0; i < kParams; ++i) own[i] = {params[b * kParams + i]};
    N* const own_values = own;
    N* const values = matrix;
    N* const others = rest;
    if (is_backward) {
      read_block<kSize>(grad + b * kSize, [&](int i, T value) { matrix[i] = {value}; });
      N* const grads = grad_params;
      Method::backward(kDim, own_values, values, grads, others);
      DSNN_UNROLL
      for (int i = 0; i < kParams; ++i) out[b * kParams + i] = grad_params[i].re;
    } else {
      Method::forward(kDim, own_values, values, others);
      write_block<kSize>(out + b * kSize, [&](int i) { return matrix[i].re; });
    }
  });
}

/// Whether there is a kernel for this dimension; it is then launched.
template <class Method, class N, class T>
bool run_if_known(const Gpu& gpu, const OrthogonalBatch& options, const T* params, const T* grad,
                  T* out) {
  constexpr bool kIsShort = std::is_same_v<Method, Householder> || std::is_same_v<Method, Cayley>;
  if constexpr (kIsShort && std::is_same_v<N, Real<float>>) {
    switch (options.dim) {
      case 2:
        run_known<Method, 2>(gpu, options, params, grad, out);
        return true;
      case 3:
        run_known<Method, 3>(gpu, options, params, grad, out);
        return true;
      case 4:
        run_known<Method, 4>(gpu, options, params, grad, out);
        return true;
      case 5:
        run_known<Method, 5>(gpu, options, params, grad, out);
        return true;
      default:
        break;
    }
  }
  return false;
}

template <class Method, class N, class T>
void run(const Gpu& gpu, const OrthogonalBatch& options, const T* params, const T* grad, T* out) {
  if (run_if_known<Method, N>(gpu, options, params, grad, out)) return;
  const Batch<Method, N> batch = {options.count, options.dim};
  const int d = options.dim, k = Method::num_params(d);
  const bool is_backward = grad != nullptr;
  const int scratch = is_backward ? Method::backward_scratch(d) : Method::forward_scratch(d);
  const auto size = static_cast<std::size_t>(2 * k + d * d + scratch);
  N* memory =
      static_cast<N*>(gpu.scratch(size * static_cast<std::size_t>(options.count) * sizeof(N)));
  const std::int64_t count = options.count;
  for_each(gpu, count, [=] DSNN_GPU(std::int64_t b) {
    const Strided<N> own{memory + b, count};
    const Strided<N> matrix = own + k, grad_params = matrix + d * d, rest = grad_params + k;
    batch.read(params, b, k, own);
    if (is_backward) {
      batch.read(grad, b, d * d, matrix);
      Method::backward(d, own, matrix, grad_params, rest);
      batch.write(grad_params, b, k, out);
    } else {
      Method::forward(d, own, matrix, rest);
      batch.write(matrix, b, d * d, out);
    }
  });
}

template <class N, class T>
void run_method(const Gpu& gpu, const OrthogonalBatch& batch, const T* params, const T* grad,
                T* out) {
  switch (batch.method) {
    case OrthogonalMethod::kHouseholder:
      return run<Householder, N>(gpu, batch, params, grad, out);
    case OrthogonalMethod::kCayley:
      return run<Cayley, N>(gpu, batch, params, grad, out);
    case OrthogonalMethod::kMatrixExp:
      return run<MatrixExp, N>(gpu, batch, params, grad, out);
    case OrthogonalMethod::kEuler:
      return run<Euler, N>(gpu, batch, params, grad, out);
  }
}

template <class T>
void run_any(const Gpu& gpu, const OrthogonalBatch& batch, const T* params, const T* grad, T* out) {
  batch.is_complex ? run_method<Complex<T>>(gpu, batch, params, grad, out)
                   : run_method<Real<T>>(gpu, batch, params, grad, out);
}

}  // namespace

template <class T>
void orthogonal(const Gpu& gpu, const OrthogonalBatch& batch, const T* params, T* result) {
  run_any<T>(gpu, batch, params, nullptr, result);
}

template <class T>
void orthogonal_backward(const Gpu& gpu, const OrthogonalBatch& batch, const T* params,
                         const T* grad, T* grad_params) {
  run_any(gpu, batch, params, grad, grad_params);
}

#define DSNN_INSTANTIATE(T)                                                   \
  template void orthogonal(const Gpu&, const OrthogonalBatch&, const T*, T*); \
  template void orthogonal_backward(const Gpu&, const OrthogonalBatch&, const T*, const T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
