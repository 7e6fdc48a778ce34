// Sums over the entries of each row of a sparse matrix, or over the half-edges of each node. Rows
// are cut into pieces of a few entries, one warp each, so that a long row takes no longer than a
// short one; the last warp of a row adds up its pieces in order.
#pragma once

#include "kernels/cuda/launch.h"

#include <algorithm>
#include <vector>

namespace dsnn::kernels::cuda {

/// A few entries of a row, from `begin` on.
struct Piece {
  std::int64_t begin;
  std::int32_t row;
  std::int32_t slot;      // of its sum, or -1 if it is the whole row
  std::int32_t long_row;  // the number of its row among those of several pieces, or -1
};
/// A row of several pieces.
struct LongRow {
  std::int32_t row, first_slot, num_slots;
};

/// The pieces of all rows; an empty row has one, too. They depend on the offsets alone.
struct Pieces {
  std::int64_t length = 0;  // entries of a piece, at most: few, where there are few pieces
  std::int64_t count = 0, num_long = 0, num_slots = 0;
  const Piece* pieces = nullptr;
  const LongRow* long_rows = nullptr;
  const std::int64_t* offsets = nullptr;  // in the GPU's memory

  /// `offsets`: of the host.
  Pieces(const Gpu& gpu, std::int64_t num_rows, const std::int64_t* host_offsets,
         const std::int64_t* offsets_on_gpu)
      : offsets(offsets_on_gpu) {
    constexpr std::int64_t kLeast = 8, kMost = 64, kPieces = 4096;
    length = std::clamp(host_offsets[num_rows] / kPieces, kLeast, kMost);
    for (std::int64_t row = 0; row < num_rows; ++row) {
      const std::int64_t size = host_offsets[row + 1] - host_offsets[row];
      const std::int64_t parts = size <= length ? 1 : (size + length - 1) / length;
      count += parts;
      if (parts == 1) continue;
      ++num_long;
      num_slots += parts;
    }
    const auto kept = [&](int kind, std::int64_t size, std::size_t bytes) {
      return gpu.derived(host_offsets, kind, static_cast<std::size_t>(size) * bytes,
                         [&](void* memory) { make(gpu, num_rows, host_offsets, kind, memory); });
    };
    pieces = static_cast<const Piece*>(kept(2, count, sizeof(Piece)));
    if (num_long > 0) {
      long_rows = static_cast<const LongRow*>(kept(3, num_long, sizeof(LongRow)));
    }
  }

  DSNN_GPU_INLINE std::int64_t end(const Piece& piece) const {
    const std::int64_t end = offsets[piece.row + 1];
    return piece.begin + length < end ? piece.begin + length : end;
  }

 private:
  /// Kind 2: all pieces; 3: the rows of several.
  void make(const Gpu& gpu, std::int64_t num_rows, const std::int64_t* host_offsets, int kind,
            void* memory) const {
    std::vector<Piece> all;
    std::vector<LongRow> many;
    all.reserve(static_cast<std::size_t>(count));
    std::int32_t slot = 0;
    for (std::int64_t row = 0; row < num_rows; ++row) {
      const std::int64_t begin = host_offsets[row], end = host_offsets[row + 1];
      const auto index = static_cast<std::int32_t>(row);
      if (end - begin <= length) {
        all.push_back({begin, index, -1, -1});
        continue;
      }
      const std::int32_t first = slot;
      for (std::int64_t e = begin; e < end; e += length) {
        all.push_back({e, index, slot++, static_cast<std::int32_t>(many.size())});
      }
      many.push_back({index, first, slot - first});
    }
    if (kind == 2) {
      gpu.upload(memory, all.data(), all.size() * sizeof(Piece));
    } else {
      gpu.upload(memory, many.data(), many.size() * sizeof(LongRow));
    }
  }
};

/// put(row, c, the sum of term(row, e, c) over the entries e of the row) for every column c.
template <class T, class Term, class Put>
void row_sums(const Gpu& gpu, const Pieces& given, std::int64_t width, const Term& term,
              const Put& put) {
  if (width == 0 || given.count == 0) return;
  const Pieces pieces = given;
  T* partial =
      static_cast<T*>(gpu.scratch(static_cast<std::size_t>(pieces.num_slots * width) * sizeof(T)));
  int lanes = 1;  // for the columns; the others share the entries
  while (lanes < kWarp && lanes < width) lanes *= 2;
  const std::int64_t tiles = (width + lanes - 1) / lanes;
  int* counters = gpu.counters(static_cast<std::size_t>(pieces.num_long * tiles));
  for_warps(gpu, pieces.count * tiles, [=] DSNN_GPU(std::int64_t cell, int lane) {
    const std::int64_t number = divide(cell, tiles), tile = cell - number * tiles;
    const Piece piece = pieces.pieces[number];
    const std::int64_t c = tile * lanes + lane % lanes, end = pieces.end(piece);
    const int groups = kWarp / lanes, group = lane / lanes;
    T sum = 0;
    if (c < width) {
#pragma unroll 4
      for (std::int64_t e = piece.begin + group; e < end; e += groups) {
        sum += term(static_cast<std::int64_t>(piece.row), e, c);
      }
    }
    for (int mask = lanes; mask < kWarp; mask *= 2) sum += of_lane_xor(sum, mask);
    const bool puts = c < width && group == 0;
    if (piece.slot < 0) {
      if (puts) put(static_cast<std::int64_t>(piece.row), c, sum);
      return;
    }
    if (puts) partial[piece.slot * width + c] = sum;
    const LongRow row = pieces.long_rows[piece.long_row];
    if (!is_last_warp(counters + piece.long_row * tiles + tile, row.num_slots, lane)) return;
    sum = 0;
    if (c < width) {
#pragma unroll 8
      for (int k = group; k < row.num_slots; k += groups) {
        sum += partial[(row.first_slot + k) * width + c];
      }
    }
    for (int mask = lanes; mask < kWarp; mask *= 2) sum += of_lane_xor(sum, mask);
    if (puts) put(static_cast<std::int64_t>(row.row), c, sum);
  });
}

}  // namespace dsnn::kernels::cuda
