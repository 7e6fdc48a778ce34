// Products of matrices whose entries are computed on the way, in tiles. Every sum is in order.
#pragma once

#include "kernels/cuda/launch.h"

namespace dsnn::kernels::cuda {

struct ProductShape {
  std::int64_t m = 0, n = 0, k = 0;
};

/// How a product is cut: into tiles of the result and pieces of k. It depends on the sizes alone.
struct ProductCuts {
  static constexpr std::int64_t kWide = 32, kTall = 64, kLow = 16;  // columns, rows of a tile
  static constexpr std::int64_t kStep = 32;                         // of k
  bool is_low = false;
  std::int64_t splits = 1;

  /// Enough tiles to keep a GPU busy, if there are any.
  ProductCuts(const ProductShape& shape, std::int64_t least_piece, std::int64_t most_splits) {
    constexpr std::int64_t kBusy = 128, kBlocks = 1024;
    const std::int64_t wide = (shape.n + kWide - 1) / kWide;
    is_low = (shape.m + kTall - 1) / kTall * wide < kBusy;
    const std::int64_t rows = is_low ? kLow : kTall;
    const std::int64_t tiles = std::max<std::int64_t>(1, (shape.m + rows - 1) / rows * wide);
    const std::int64_t most = std::max<std::int64_t>(1, std::min(most_splits, kBlocks / tiles));
    splits = std::clamp<std::int64_t>((shape.k + least_piece - 1) / least_piece, 1, most);
  }
};

/// put(i, j, sum_k a(i, k) b(k, j)). Where k is cut, the pieces are put together in order by the
/// last block of a tile, or, where there are many, by another kernel. kAlongK: neighbouring entries
/// of a in memory have neighbouring k. Sum: the type of the sum over pieces.
template <bool kAlongK, int kM, class T, class Sum, class A, class B, class Put>
void matmul_tiles(const Gpu& gpu, const ProductShape& shape, std::int64_t splits, const A& a,
                  const B& b, const Put& put) {
  constexpr int kThreads = 128, kN = ProductCuts::kWide, kK = ProductCuts::kStep;
  constexpr int kEach = kM == ProductCuts::kTall ? 4 : 2;  // rows and columns of a thread
  constexpr int kPitch = kM + 4;
  constexpr int kLoadsA = kM * kK / kThreads, kLoadsB = kN * kK / kThreads;
  constexpr std::int64_t kMostInBlock = 8;  // pieces that the last block adds up
  static_assert(kM / kEach * (kN / kEach) == kThreads);
  const std::int64_t m = shape.m, n = shape.n, k_count = shape.k, size = m * n;
  const std::int64_t piece = ((k_count + splits - 1) / splits + kK - 1) / kK * kK;
  const std::int64_t n_tiles = (n + kN - 1) / kN, tiles = (m + kM - 1) / kM * n_tiles;
  const bool is_joined = splits > 1 && splits <= kMostInBlock;
  T* partial =
      splits == 1
          ? nullptr
          : static_cast<T*>(gpu.scratch(static_cast<std::size_t>(splits * size) * sizeof(T)));
  int* counters = is_joined ? gpu.counters(static_cast<std::size_t>(tiles)) : nullptr;
  const Grid grid = {tiles, 1, static_cast<int>(splits)};
  launch_blocks<kThreads>(gpu, grid, [=] DSNN_GPU(const Place& place) {
    T* a_tile = shared_array<T, kK * kPitch, 0>();
    T* b_tile = shared_array<T, kK * kN, 1>();
    const std::int64_t i0 = place.block / n_tiles * kM, j0 = place.block % n_tiles * kN;
    const std::int64_t first = place.layer * piece;
    const std::int64_t last = first + piece < k_count ? first + piece : k_count;
    const int ti = place.thread / (kN / kEach) * kEach, tj = place.thread % (kN / kEach) * kEach;
    T sums[kEach][kEach] = {};
    T next_a[kLoadsA], next_b[kLoadsB];  // of the following step, while this one is computed
    const auto load = [&](std::int64_t k0) {
      DSNN_UNROLL
      for (int l = 0; l < kLoadsA; ++l) {
        const int e = place.thread + l * kThreads;
        const int i = kAlongK ? e / kK : e % kM, kk = kAlongK ? e % kK : e / kM;
        const bool is_in = i0 + i < m && k0 + kk < last;
        next_a[l] = is_in ? a(i0 + i, k0 + kk) : T{0};
      }
      DSNN_UNROLL
      for (int l = 0; l < kLoadsB; ++l) {
        const int e = place.thread + l * kThreads, j = e % kN, kk = e / kN;
        const bool is_in = j0 + j < n && k0 + kk < last;
        next_b[l] = is_in ? b(k0 + kk, j0 + j) : T{0};
      }
    };
    if (first < last) load(first);
    for (std::int64_t k0 = first; k0 < last; k0 += kK) {
      DSNN_UNROLL
      for (int l = 0; l < kLoadsA; ++l) {
        const int e = place.thread + l * kThreads;
        const int i = kAlongK ? e / kK : e % kM, kk = kAlongK ? e % kK : e / kM;
        a_tile[kk * kPitch + i] = next_a[l];
      }
      DSNN_UNROLL
      for (int l = 0; l < kLoadsB; ++l) b_tile[place.thread + l * kThreads] = next_b[l];
      wait_for_block();
      if (k0 + kK < last) load(k0 + kK);
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
        const std::int64_t i = i0 + ti + p, j = j0 + tj + q;
        if (i >= m || j >= n) continue;
        if (partial == nullptr) {
          put(i, j, sums[p][q]);
        } else {
          partial[place.layer * size + i * n + j] = sums[p][q];
        }
      }
    }
    if (!is_joined || !is_last_block(counters + place.block, splits, place.thread)) return;
    const std::int64_t width = n - j0 < kN ? n - j0 : kN, height = m - i0 < kM ? m - i0 : kM;
    for (std::int64_t e = place.thread; e < width * height; e += kThreads) {
      const std::int64_t i = i0 + e / width, j = j0 + e % width;
      Sum sum = 0;
#pragma unroll 8
      for (std::int64_t split = 0; split < splits; ++split) {
        sum += static_cast<Sum>(partial[split * size + i * n + j]);
      }
      put(i, j, static_cast<T>(sum));
    }
  });
  if (splits == 1 || is_joined) return;
  for_cells(gpu, m, n, [=] DSNN_GPU(std::int64_t i, std::int64_t j) {
    Sum sum = 0;
#pragma unroll 8
    for (std::int64_t split = 0; split < splits; ++split) {
      sum += static_cast<Sum>(partial[split * size + i * n + j]);
    }
    put(i, j, static_cast<T>(sum));
  });
}

template <bool kAlongK, class T, class Sum, class A, class B, class Put>
void matmul_cut(const Gpu& gpu, const ProductShape& shape, const ProductCuts& cuts, const A& a,
                const B& b, const Put& put) {
  if (shape.m == 0 || shape.n == 0) return;
  if (cuts.is_low) {
    matmul_tiles<kAlongK, ProductCuts::kLow, T, Sum>(gpu, shape, cuts.splits, a, b, put);
  } else {
    matmul_tiles<kAlongK, ProductCuts::kTall, T, Sum>(gpu, shape, cuts.splits, a, b, put);
  }
}

/// put(i, j, sum_k a(i, k) b(k, j)).
template <bool kAlongK, class T, class A, class B, class Put>
void matmul(const Gpu& gpu, const ProductShape& shape, const A& a, const B& b, const Put& put) {
  constexpr std::int64_t kLeastPiece = 32, kMostPieces = 128;
  matmul_cut<kAlongK, T, T>(gpu, shape, ProductCuts(shape, kLeastPiece, kMostPieces), a, b, put);
}

/// out[i, j] = sum_k a(i, k) b(k, j) for a long k: in pieces, whose sums are added up in order, in
/// double. a(i, k) has neighbouring i in memory, for gradients of weights. out: [m, n].
template <class T, class A, class B>
void long_product(const Gpu& gpu, std::int64_t m, std::int64_t n, std::int64_t k, const A& a,
                  const B& b, T* out) {
  constexpr std::int64_t kLeastPiece = 64, kMostPieces = 256;
  const ProductShape shape = {m, n, k};
  matmul_cut<false, T, double>(
      gpu, shape, ProductCuts(shape, kLeastPiece, kMostPieces), a, b,
      [=] DSNN_GPU(std::int64_t i, std::int64_t j, T value) { out[i * n + j] = value; });
}

}  // namespace dsnn::kernels::cuda
