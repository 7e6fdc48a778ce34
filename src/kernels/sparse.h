#pragma once

#include "kernels/executor.h"
#include "util/internal_api.h"

#include <cstdint>

namespace dsnn::kernels {

/// The entries of a sparse matrix, row by row. A matrix and its transpose are two of these.
struct SparseRows {
  std::int64_t num_rows = 0;
  const std::int64_t* offsets = nullptr;    // [num_rows + 1]
  const std::int32_t* cols = nullptr;       // [entries]
  const std::int64_t* positions = nullptr;  // [entries], index of the value of each; null: in order

  std::int64_t position(std::int64_t e) const { return positions == nullptr ? e : positions[e]; }
};

/// Drops each entry with this probability and divides the others by 1 - probability, as a function
/// of the seed and the index of the entry's value.
struct EntryDropout {
  double probability = 0;
  std::uint64_t seed = 0;
};

/// Values of the entries: `real` [entries, heads] and, for complex ones, `imag`; without these the
/// fixed ones [entries], and without any, 1.
template <class T>
struct SparseValues {
  const double* fixed = nullptr;
  const T* real = nullptr;
  const T* imag = nullptr;
  bool conjugate = false;
  EntryDropout dropout;
};

/// Dense factors: [planes, num_cols, heads, channels] on the right, [planes, num_rows, heads,
/// channels] on the left. Each head has its own values.
struct SparseShape {
  std::int64_t planes = 1;
  std::int64_t num_cols = 0;
  std::int64_t channels = 1;
  std::int64_t heads = 1;

  std::int64_t row_size() const { return heads * channels; }
};

/// Dense factors of more bytes than this do not fit into the cache (about second level).
inline constexpr std::int64_t kCacheBytes = 1 << 20;

/// y = A x for every head [eq:spmm] [eq:edge-spmm]. Complex values need two planes. T is float or
/// double.
template <class T>
DSNN_INTERNAL_API void spmm(const Executor& executor, const SparseRows& rows,
                            const SparseValues<T>& values, const SparseShape& shape, const T* x,
                            T* y);

/// y = A* x, of a matrix with these rows and columns, which is the transpose's rows.
template <class T>
DSNN_INTERNAL_API void spmm_adjoint(const Executor& executor, const SparseRows& rows,
                                    const SparseRows& columns, const SparseValues<T>& values,
                                    const SparseShape& shape, const T* x, T* y);

/// With an entry in row r and column c: grad_real = sum grad_r x_c over planes and channels, for
/// every head: [entries, heads] [eq:edge-dot]. grad_imag, if not null and then with two planes: the
/// imaginary part of sum grad_r conj(x_c), of which the other is the real part. The values of
/// `rows` are in order.
template <class T>
DSNN_INTERNAL_API void spmm_values_backward(const Executor& executor, const SparseRows& rows,
                                            const SparseShape& shape, const T* x, const T* grad,
                                            T* grad_real, T* grad_imag);

}  // namespace dsnn::kernels
