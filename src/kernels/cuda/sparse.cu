#include "kernels/cuda/graph.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/sparse.h"

namespace dsnn::kernels::cuda {
namespace {

/// EntryDropout with the hash of uniform_at().
template <class T>
struct EntryDrop {
  double probability, scale;
  std::uint64_t place;
  const std::uint64_t* pass_seed;

  EntryDrop(const Gpu& gpu, const EntryDropout& dropout)
      : probability(dropout.probability),
        scale(1 / (1 - dropout.probability)),
        place(dropout.seed),
        pass_seed(gpu.pass_seed()) {}

  static DSNN_GPU_INLINE std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  DSNN_GPU_INLINE T operator()(std::int64_t position, T value) const {
    constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15u;
    if (probability == 0) return value;
    const std::uint64_t start = mix(place + read_constant(pass_seed) * kStep + kStep);
    const std::uint64_t bits = mix(start + (static_cast<std::uint64_t>(position) + 1) * kStep);
    const double uniform = static_cast<double>(bits >> 11) * 0x1.0p-53;
    return uniform < probability ? T{0} : static_cast<T>(value * scale);
  }
};

/// SparseValues on the GPU.
template <class T>
struct Values {
  const double* fixed;
  const T* real;
  const T* imag;
  T sign;  // of the imaginary part
  EntryDrop<T> drop;
  std::int64_t heads;

  Values(const Gpu& gpu, const SparseValues<T>& values, std::int64_t count, std::int64_t num_heads)
      : fixed(mirror(gpu, values.fixed, count)),
        real(values.real),
        imag(values.imag),
        sign(values.conjugate ? T{-1} : T{1}),
        drop(gpu, values.dropout),
        heads(num_heads) {}

  DSNN_GPU_INLINE T real_of(std::int64_t position, std::int64_t head) const {
    T value = 1;
    if (real != nullptr) {
      value = real[position * heads + head];
    } else if (fixed != nullptr) {
      value = static_cast<T>(fixed[position]);
    }
    return drop(position, value);
  }
  DSNN_GPU_INLINE T imag_of(std::int64_t position) const { return sign * imag[position]; }
};

}  // namespace

template <class T>
void spmm(const Gpu& gpu, const SparseRows& matrix, const SparseValues<T>& given,
          const SparseShape& shape, const T* x, T* y) {
  const GpuRows rows(gpu, matrix);
  const Values<T> values(gpu, given, rows.count, shape.heads);
  const std::int64_t size = shape.row_size(), channels = shape.channels;
  const std::int64_t x_plane = shape.num_cols * size, y_plane = rows.num_rows * size;
  if (given.imag == nullptr && shape.planes == 1 && shape.heads == 1) {
    row_sums<T>(
        gpu, rows.pieces, size,
        [=] DSNN_GPU(std::int64_t, std::int64_t e, std::int64_t c) {
          return values.real_of(rows.position(e), 0) * x[rows.cols[e] * size + c];
        },
        [=] DSNN_GPU(std::int64_t row, std::int64_t c, T sum) { y[row * size + c] = sum; });
    return;
  }
  if (given.imag == nullptr) {
    // The planes of a column are neighbouring columns of the sum.
    row_sums<T>(
        gpu, rows.pieces, shape.planes * size,
        [=] DSNN_GPU(std::int64_t, std::int64_t e, std::int64_t k) {
          const std::int64_t plane = k / size, c = k - plane * size;
          return values.real_of(rows.position(e), c / channels) *
                 x[plane * x_plane + rows.cols[e] * size + c];
        },
        [=] DSNN_GPU(std::int64_t row, std::int64_t k, T sum) {
          const std::int64_t plane = divide(k, size), c = k - plane * size;
          y[plane * y_plane + row * size + c] = sum;
        });
    return;
  }
  row_sums<T>(
      gpu, rows.pieces, 2 * size,
      [=] DSNN_GPU(std::int64_t, std::int64_t e, std::int64_t k) {
        const bool is_imag = k >= size;
        const std::int64_t at = rows.position(e);
        const T* z = x + rows.cols[e] * size + (is_imag ? k - size : k);
        const T re = values.real_of(at, 0), im = values.imag_of(at);
        return is_imag ? re * z[x_plane] + im * z[0] : re * z[0] - im * z[x_plane];
      },
      [=] DSNN_GPU(std::int64_t row, std::int64_t k, T sum) {
        y[(k >= size ? y_plane - size : 0) + row * size + k] = sum;
      });
}

template <class T>
void spmm_adjoint(const Gpu& gpu, const SparseRows& /*rows*/, const SparseRows& columns,
                  const SparseValues<T>& values, const SparseShape& shape, const T* x, T* y) {
  spmm(gpu, columns, values, shape, x, y);
}

template <class T>
void spmm_values_backward(const Gpu& gpu, const SparseRows& matrix, const SparseShape& shape,
                          const T* x, const T* grad, T* grad_real, T* grad_imag) {
  const GpuRows rows(gpu, matrix);
  const std::int64_t heads = shape.heads, channels = shape.channels, planes = shape.planes;
  const std::int64_t size = shape.row_size();
  const std::int64_t x_plane = shape.num_cols * size, grad_plane = rows.num_rows * size;
  for_warps(gpu, rows.count * heads, [=] DSNN_GPU(std::int64_t cell, int lane) {
    const std::int64_t e = divide(cell, heads), first = (cell - e * heads) * channels;
    const T* g = grad + rows.rows[e] * size + first;
    const T* z = x + rows.cols[e] * size + first;
    T real = 0, imag = 0;
    for (std::int64_t c = lane; c < channels; c += kWarp) {
      real += g[c] * z[c];
      if (planes == 2) real += g[grad_plane + c] * z[x_plane + c];
      if (grad_imag != nullptr) imag += g[grad_plane + c] * z[c] - g[c] * z[x_plane + c];
    }
    real = warp_sum(real);
    if (grad_imag != nullptr) imag = warp_sum(imag);
    if (lane > 0) return;
    grad_real[cell] = real;
    if (grad_imag != nullptr) grad_imag[cell] = imag;
  });
}

#define DSNN_INSTANTIATE(T)                                                                       \
  template void spmm(const Gpu&, const SparseRows&, const SparseValues<T>&, const SparseShape&,   \
                     const T*, T*);                                                               \
  template void spmm_adjoint(const Gpu&, const SparseRows&, const SparseRows&,                    \
                             const SparseValues<T>&, const SparseShape&, const T*, T*);           \
  template void spmm_values_backward(const Gpu&, const SparseRows&, const SparseShape&, const T*, \
                                     const T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
