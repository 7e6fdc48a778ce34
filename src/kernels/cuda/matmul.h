// Products of matrices whose entries are computed on the way, in tiles. Every sum is in order.
#pragma once

#include "kernels/cuda/launch.h"

namespace dsnn::kernels::cuda {

struct ProductShape {
  std::int64_t m = 0, n = 0, k = 0;
  int splits = 1;  // of k: one product each
};

/// put(split, i, j, sum over a piece of k of a(i, k) b(k, j)). kAlongK: neighbouring entries of a
/// in memory have neighbouring k.
template <bool kAlongK, class T, class A, class B, class Put>
void matmul_pieces(const Gpu& gpu, const ProductShape& shape, const A& a, const B& b,
                   const Put& put) {
  constexpr int kThreads = 128, kM = 64, kN = 32, kK = 32, kPitch = kM + 4;
  constexpr int kEach = 4;  // rows and columns of a thread
  if (shape.m == 0 || shape.n == 0) return;
  const auto [m, n, k, splits] = shape;
  const std::int64_t m_count = m, n_count = n, k_count = k;
  const std::int64_t piece = ((k + splits - 1) / splits + kK - 1) / kK * kK;
  const std::int64_t n_tiles = (n + kN - 1) / kN;
  const Grid grid = {(m + kM - 1) / kM * n_tiles, 1, splits};
  launch_blocks<kThreads>(gpu, grid, [=] DSNN_GPU(const Place& place) {
    T* a_tile = shared_array<T, kK * kPitch, 0>();
    T* b_tile = shared_array<T, kK * kN, 1>();
    const std::int64_t i0 = place.block / n_tiles * kM, j0 = place.block % n_tiles * kN;
    const std::int64_t first = place.layer * piece;
    const std::int64_t last = first + piece < k_count ? first + piece : k_count;
    const int ti = place.thread / (kN / kEach) * kEach, tj = place.thread % (kN / kEach) * kEach;
    T sums[kEach][kEach] = {};
    for (std::int64_t k0 = first; k0 < last; k0 += kK) {
      DSNN_UNROLL
      for (int e = place.thread; e < kM * kK; e += kThreads) {
        const int i = kAlongK ? e / kK : e % kM, kk = kAlongK ? e % kK : e / kM;
        const bool is_in = i0 + i < m_count && k0 + kk < last;
        a_tile[kk * kPitch + i] = is_in ? a(i0 + i, k0 + kk) : T{0};
      }
      DSNN_UNROLL
      for (int e = place.thread; e < kN * kK; e += kThreads) {
        const int j = e % kN, kk = e / kN;
        const bool is_in = j0 + j < n_count && k0 + kk < last;
        b_tile[kk * kN + j] = is_in ? b(k0 + kk, j0 + j) : T{0};
      }
      wait_for_block();
      DSNN_UNROLL
      for (int kk = 0; kk < kK; ++kk) {
        T left[kEach], right[kEach];
        DSNN_UNROLL
        for (int e = 0; e < kEach; ++e) {
          left[e] = a_tile[kk * kPitch + ti + e];
          right[e] = b_tile[kk * kN + tj + e];
        }
        DSNN_UNROLL
        for (int p = 0; p < kEach; ++p) {
          DSNN_UNROLL
          for (int q = 0; q < kEach; ++q) sums[p][q] += left[p] * right[q];
        }
      }
      wait_for_block();
    }
    DSNN_UNROLL
    for (int p = 0; p < kEach; ++p) {
      DSNN_UNROLL
      for (int q = 0; q < kEach; ++q) {
        if (i0 + ti + p < m_count && j0 + tj + q < n_count) {
          put(place.layer, i0 + ti + p, j0 + tj + q, sums[p][q]);
        }
      }
    }
  });
}

/// put(0, i, j, sum_k a(i, k) b(k, j)). Where there are few tiles, k is cut into pieces, so that
/// more of the GPU works; the cuts depend on the sizes alone.
template <bool kAlongK, class T, class A, class B, class Put>
void matmul(const Gpu& gpu, const ProductShape& shape, const A& a, const B& b, const Put& put) {
  constexpr std::int64_t kTileM = 64, kTileN = 32, kLeastPiece = 128, kTiles = 128;
  const std::int64_t m = shape.m, n = shape.n, size = m * n;
  const std::int64_t tiles = (m + kTileM - 1) / kTileM * ((n + kTileN - 1) / kTileN);
  const std::int64_t most = tiles == 0 ? 1 : std::max<std::int64_t>(1, kTiles / tiles);
  const std::int64_t splits =
      std::clamp<std::int64_t>((shape.k + kLeastPiece - 1) / kLeastPiece, 1, most);
  if (splits < 3) return matmul_pieces<kAlongK, T>(gpu, shape, a, b, put);
  T* partial = static_cast<T*>(gpu.scratch(static_cast<std::size_t>(splits * size) * sizeof(T)));
  matmul_pieces<kAlongK, T>(gpu, {m, n, shape.k, static_cast<int>(splits)}, a, b,
                            [=] DSNN_GPU(int split, std::int64_t i, std::int64_t j, T value) {
                              partial[split * size + i * n + j] = value;
                            });
  for_cells(gpu, m, n, [=] DSNN_GPU(std::int64_t i, std::int64_t j) {
    T sum = 0;
#pragma unroll 8
    for (std::int64_t split = 0; split < splits; ++split) sum += partial[split * size + i * n + j];
    put(0, i, j, sum);
  });
}

/// out[i, j] = sum_k a(i, k) b(k, j) for a long k: in pieces, whose sums are added up in order, in
/// double. a(i, k) has neighbouring i in memory, for gradients of weights. out: [m, n].
template <class T, class A, class B>
void long_product(const Gpu& gpu, std::int64_t m, std::int64_t n, std::int64_t k, const A& a,
                  const B& b, T* out) {
  constexpr std::int64_t kPiece = 64, kMostPieces = 256;
  const int splits =
      static_cast<int>(std::clamp<std::int64_t>((k + kPiece - 1) / kPiece, 1, kMostPieces));
  const std::int64_t size = m * n;
  T* partial =
      splits == 1
          ? out
          : static_cast<T*>(gpu.scratch(static_cast<std::size_t>(splits * size) * sizeof(T)));
  matmul_pieces<false, T>(gpu, {m, n, k, splits}, a, b,
                          [=] DSNN_GPU(int split, std::int64_t i, std::int64_t j, T value) {
                            partial[split * size + i * n + j] = value;
                          });
  if (splits == 1) return;
  for_each(gpu, size, [=] DSNN_GPU(std::int64_t i) {
    double sum = 0;
#pragma unroll 8
    for (int split = 0; split < splits; ++split) {
      sum += static_cast<double>(partial[split * size + i]);
    }
    out[i] = static_cast<T>(sum);
  });
}

}  // namespace dsnn::kernels::cuda
