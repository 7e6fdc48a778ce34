// Sums over the entries of each row of a sparse matrix, or over the half-edges of each node. Rows
// are cut into pieces of a few entries, one warp each, so that a long row takes no longer than a
// short one; the pieces of a row are then added up in order.
#pragma once

#include "kernels/cuda/launch.h"

#include <algorithm>
#include <vector>

namespace dsnn::kernels::cuda {

/// A few entries of a row, from `begin` on.
struct Piece {
  std::int64_t begin;
  std::int32_t row;
  std::int32_t slot;  // of its sum, or -1 if it is the whole row
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
    std::vector<Piece> all;
    std::vector<LongRow> many;
    all.reserve(static_cast<std::size_t>(num_rows));
    for (std::int64_t row = 0; row < num_rows; ++row) {
      const std::int64_t begin = host_offsets[row], end = host_offsets[row + 1];
      const auto index = static_cast<std::int32_t>(row);
      if (end - begin <= length) {
        all.push_back({begin, index, -1});
        continue;
      }
      const auto first = static_cast<std::int32_t>(num_slots);
      for (std::int64_t e = begin; e < end; e += length) {
        all.push_back({e, index, static_cast<std::int32_t>(num_slots++)});
      }
      many.push_back({index, first, static_cast<std::int32_t>(num_slots) - first});
    }
    count = std::ssize(all);
    num_long = std::ssize(many);
    pieces = keep(gpu, host_offsets, 2, all);
    if (num_long > 0) long_rows = keep(gpu, host_offsets, 3, many);
  }

  DSNN_GPU_INLINE std::int64_t end(const Piece& piece) const {
    const std::int64_t end = offsets[piece.row + 1];
    return piece.begin + length < end ? piece.begin + length : end;
  }

 private:
  template <class T>
  static const T* keep(const Gpu& gpu, const void* host, int kind, const std::vector<T>& values) {
    const std::size_t bytes = values.size() * sizeof(T);
    return static_cast<const T*>(gpu.derived(
        host, kind, bytes, [&](void* memory) { gpu.upload(memory, values.data(), bytes); }));
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
  for_warps(gpu, pieces.count * tiles, [=] DSNN_GPU(std::int64_t cell, int lane) {
    const Piece piece = pieces.pieces[cell / tiles];
    const std::int64_t c = cell % tiles * lanes + lane % lanes, end = pieces.end(piece);
    const int groups = kWarp / lanes;
    T sum = 0;
    if (c < width) {
#pragma unroll 4
      for (std::int64_t e = piece.begin + lane / lanes; e < end; e += groups) {
        sum += term(static_cast<std::int64_t>(piece.row), e, c);
      }
    }
    for (int mask = lanes; mask < kWarp; mask *= 2) sum += of_lane_xor(sum, mask);
    if (c >= width || lane >= lanes) return;
    if (piece.slot < 0) {
      put(static_cast<std::int64_t>(piece.row), c, sum);
    } else {
      partial[piece.slot * width + c] = sum;
    }
  });
  for_cells(gpu, pieces.num_long, width, [=] DSNN_GPU(std::int64_t i, std::int64_t c) {
    const LongRow row = pieces.long_rows[i];
    T sum = 0;
#pragma unroll 8
    for (int k = 0; k < row.num_slots; ++k) sum += partial[(row.first_slot + k) * width + c];
    put(static_cast<std::int64_t>(row.row), c, sum);
  });
}

}  // namespace dsnn::kernels::cuda
