// One thread per matrix. Functions are those of cpu/orthogonal_*-inl.h, with single values in place
// of vectors.
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/orthogonal_methods.h"
#include "kernels/orthogonal.h"

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

template <class Method, class N, class T>
void run(const Gpu& gpu, const OrthogonalBatch& options, const T* params, const T* grad, T* out) {
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
