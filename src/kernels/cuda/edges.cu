#include "kernels/cuda/graph.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/math.h"
#include "kernels/cuda/reduce.h"
#include "kernels/edges.h"

namespace dsnn::kernels::cuda {
namespace {

/// The slope of the leaky ReLU at t, whose value there is t times it.
template <class T>
DSNN_GPU_INLINE T slope_at(T t, T slope) {
  return t > 0 ? T{1} : slope;
}

/// The first entry of a row with its largest value in a column of x, or -1. NaN counts as the
/// largest.
template <class T>
DSNN_GPU_INLINE std::int64_t largest_entry(const GpuRows& rows, std::int64_t row, std::int64_t f,
                                           std::int64_t c, const T* x) {
  std::int64_t best = -1;
  T largest = 0;
  for (std::int64_t e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e) {
    const T value = x[rows.cols[e] * f + c];
    if (best >= 0 && (value <= largest || largest != largest)) continue;
    best = e;
    largest = value;
  }
  return best;
}

}  // namespace

template <class T>
void edge_sum(const Gpu& gpu, const SparseRows& matrix, std::int64_t width, const T* own,
              const T* other, T* out) {
  const GpuRows rows(gpu, matrix);
  for_cells(gpu, rows.count, width, [=] DSNN_GPU(std::int64_t e, std::int64_t i) {
    out[e * width + i] = own[rows.rows[e] * width + i] + other[rows.cols[e] * width + i];
  });
}

template <class T>
void edge_sum_backward(const Gpu& gpu, const SparseRows& matrix, std::int64_t width, const T* grad,
                       T* grad_own) {
  const GpuRows rows(gpu, matrix);
  row_sums<T>(
      gpu, rows.pieces, width,
      [=] DSNN_GPU(std::int64_t, std::int64_t e, std::int64_t i) {
        return grad[rows.position(e) * width + i];
      },
      [=] DSNN_GPU(std::int64_t r, std::int64_t i, T sum) { grad_own[r * width + i] = sum; });
}

template <class T>
void edge_attention(const Gpu& gpu, const SparseRows& matrix, const SparseShape& shape, T slope,
                    const T* own, const T* other, const T* weight, T* scores) {
  const GpuRows rows(gpu, matrix);
  const std::int64_t heads = shape.heads, channels = shape.channels, size = shape.row_size();
  for_warps(gpu, rows.count * heads, [=] DSNN_GPU(std::int64_t cell, int lane) {
    const std::int64_t e = cell / heads, first = cell % heads * channels;
    const T* left = own + rows.rows[e] * size + first;
    const T* right = other + rows.cols[e] * size + first;
    T sum = 0;
    for (std::int64_t c = lane; c < channels; c += kWarp) {
      const T t = left[c] + right[c];
      sum += weight[first + c] * (t * slope_at(t, slope));
    }
    sum = warp_sum(sum);
    if (lane == 0) scores[cell] = sum;
  });
}

// With S_u = sum_e grad_e act'(t_e), t_e = own_u + other_v: grad_own_u = weight S_u, and weight's
// gradient is the sum of grad_e act(t_e): first over each row, then over the rows.
template <class T>
void edge_attention_backward(const Gpu& gpu, const SparseRows& matrix, const SparseShape& shape,
                             T slope, const T* own, const T* other, const T* weight, const T* grad,
                             T* grad_own, T* grad_weight) {
  const GpuRows rows(gpu, matrix);
  const std::int64_t heads = shape.heads, channels = shape.channels, size = shape.row_size();
  const auto bytes = static_cast<std::size_t>(rows.num_rows * size) * sizeof(T);
  T* row_sums_of_weight = grad_weight == nullptr ? nullptr : static_cast<T*>(gpu.scratch(bytes));
  // The sums of both, in neighbouring columns.
  row_sums<T>(
      gpu, rows.pieces, row_sums_of_weight == nullptr ? size : 2 * size,
      [=] DSNN_GPU(std::int64_t r, std::int64_t e, std::int64_t k) {
        const std::int64_t c = k < size ? k : k - size;
        const T t = own[r * size + c] + other[rows.cols[e] * size + c];
        const T change = grad[rows.position(e) * heads + c / channels] * slope_at(t, slope);
        return k < size ? change : change * t;
      },
      [=] DSNN_GPU(std::int64_t r, std::int64_t k, T sum) {
        if (k < size) {
          grad_own[r * size + k] = weight[k] * sum;
        } else {
          row_sums_of_weight[r * size + k - size] = sum;
        }
      });
  if (grad_weight == nullptr) return;
  column_sums(
      gpu, rows.num_rows, size, 1,
      [=] DSNN_GPU(std::int64_t r, std::int64_t c) { return row_sums_of_weight[r * size + c]; },
      grad_weight);
}

template <class T>
void edge_softmax(const Gpu& gpu, const SparseRows& matrix, std::int64_t heads, const T* scores,
                  T* out) {
  const GpuRows rows(gpu, matrix);
  for_warps(gpu, rows.num_rows * heads, [=] DSNN_GPU(std::int64_t cell, int lane) {
    const std::int64_t r = divide(cell, heads), head = cell - r * heads;
    const std::int64_t begin = rows.offsets[r], end = rows.offsets[r + 1];
    if (begin == end) return;
    T largest = scores[begin * heads + head];
    for (std::int64_t e = begin + lane; e < end; e += kWarp) {
      const T value = scores[e * heads + head];
      largest = value <= largest || largest != largest ? largest : value;
    }
    largest = warp_max(largest);
    T sum = 0;
    for (std::int64_t e = begin + lane; e < end; e += kWarp) {
      const T value = exp_of(scores[e * heads + head] - largest);
      out[e * heads + head] = value;
      sum += value;
    }
    sum = warp_sum(sum);
    for (std::int64_t e = begin + lane; e < end; e += kWarp) out[e * heads + head] /= sum;
  });
}

template <class T>
void edge_softmax_backward(const Gpu& gpu, const SparseRows& matrix, std::int64_t heads,
                           const T* out, const T* grad, T* grad_scores) {
  const GpuRows rows(gpu, matrix);
  for_warps(gpu, rows.num_rows * heads, [=] DSNN_GPU(std::int64_t cell, int lane) {
    const std::int64_t r = divide(cell, heads), head = cell - r * heads;
    const std::int64_t begin = rows.offsets[r], end = rows.offsets[r + 1];
    T sum = 0;
    for (std::int64_t e = begin + lane; e < end; e += kWarp) {
      sum += out[e * heads + head] * grad[e * heads + head];
    }
    sum = warp_sum(sum);
    for (std::int64_t e = begin + lane; e < end; e += kWarp) {
      const std::int64_t at = e * heads + head;
      grad_scores[at] = out[at] * (grad[at] - sum);
    }
  });
}

template <class T>
void neighbour_max(const Gpu& gpu, const SparseRows& matrix, const SparseShape& shape, const T* x,
                   T* y) {
  const GpuRows rows(gpu, matrix);
  const std::int64_t f = shape.channels;
  for_cells(gpu, rows.num_rows, f, [=] DSNN_GPU(std::int64_t r, std::int64_t c) {
    const std::int64_t best = largest_entry(rows, r, f, c, x);
    y[r * f + c] = best < 0 ? T{0} : x[rows.cols[best] * f + c];
  });
}

template <class T>
void neighbour_max_backward(const Gpu& gpu, const SparseRows& matrix, const SparseRows& transpose,
                            const SparseShape& shape, const T* x, const T* grad, T* grad_x) {
  const GpuRows rows(gpu, matrix), columns(gpu, transpose);
  const std::int64_t f = shape.channels;
  const auto bytes = static_cast<std::size_t>(rows.num_rows * f) * sizeof(std::int32_t);
  auto* largest = static_cast<std::int32_t*>(gpu.scratch(bytes));
  for_cells(gpu, rows.num_rows, f, [=] DSNN_GPU(std::int64_t r, std::int64_t c) {
    const std::int64_t best = largest_entry(rows, r, f, c, x);
    largest[r * f + c] = best < 0 ? -1 : rows.cols[best];
  });
  row_sums<T>(
      gpu, columns.pieces, f,
      [=] DSNN_GPU(std::int64_t v, std::int64_t e, std::int64_t c) {
        const std::int64_t row = columns.cols[e];
        // Of entries of the same place, only one has the gradient.
        if (e > columns.offsets[v] && columns.cols[e - 1] == row) return T{0};
        return largest[row * f + c] == v ? grad[row * f + c] : T{0};
      },
      [=] DSNN_GPU(std::int64_t v, std::int64_t c, T sum) { grad_x[v * f + c] = sum; });
}

#define DSNN_INSTANTIATE(T)                                                                     \
  template void edge_sum(const Gpu&, const SparseRows&, std::int64_t, const T*, const T*, T*);  \
  template void edge_sum_backward(const Gpu&, const SparseRows&, std::int64_t, const T*, T*);   \
  template void edge_attention(const Gpu&, const SparseRows&, const SparseShape&, T, const T*,  \
                               const T*, const T*, T*);                                         \
  template void edge_attention_backward(const Gpu&, const SparseRows&, const SparseShape&, T,   \
                                        const T*, const T*, const T*, const T*, T*, T*);        \
  template void edge_softmax(const Gpu&, const SparseRows&, std::int64_t, const T*, T*);        \
  template void edge_softmax_backward(const Gpu&, const SparseRows&, std::int64_t, const T*,    \
                                      const T*, T*);                                            \
  template void neighbour_max(const Gpu&, const SparseRows&, const SparseShape&, const T*, T*); \
  template void neighbour_max_backward(const Gpu&, const SparseRows&, const SparseRows&,        \
                                       const SparseShape&, const T*, const T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
