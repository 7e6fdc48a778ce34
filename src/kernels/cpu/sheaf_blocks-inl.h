// The blocks of the sheaf Laplacian for the gather of sheaf_diffusion.cpp: each kind can compute
// L_uv from two scaled maps, apply it to a neighbour's features, and correlate the features of two
// nodes, which is the block's gradient. Compiled once for each instruction
// set.
#if defined(DSNN_KERNELS_CPU_SHEAF_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_SHEAF_BLOCKS_INL_H_
#undef DSNN_KERNELS_CPU_SHEAF_BLOCKS_INL_H_
#else
#define DSNN_KERNELS_CPU_SHEAF_BLOCKS_INL_H_
#endif

#include "kernels/cpu/vector-inl.h"
#include "kernels/scratch.h"
#include "kernels/sheaf_diffusion.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// Channels of a row of scratch memory: the same on every machine, because sums over all rows of a
/// node depend on it. The padding is zero.
template <class T>
constexpr std::int64_t padded_channels(std::int64_t f) {
  const std::int64_t lanes = f <= folded_lanes<T>() ? folded_lanes<T>() : virtual_lanes<T>();
  return (f + lanes - 1) / lanes * lanes;
}

/// Sizes of a node's features: rows = planes * dim rows of f channels each. D is the tag of the
/// vectors of channels.
template <class D>
struct Shape {
  using T = hn::TFromD<D>;
  std::int64_t n, dim, planes, f, fp, rows;
  std::int64_t plane_stride;  // from a row to the same row of the next plane
  explicit Shape(const Diffusion<T>& op)
      : n(op.graph.num_nodes),
        dim(op.dim),
        planes(op.planes),
        f(op.channels),
        fp(padded_channels<T>(op.channels)),
        rows(op.planes * op.dim),
        plane_stride(op.graph.num_nodes * op.dim * op.channels) {}
  /// Row r of node u in a feature array.
  template <class Pointer>
  HWY_INLINE Pointer row(Pointer features, std::int64_t u, std::int64_t r) const {
    const bool is_imaginary = r >= dim;
    return features + (is_imaginary ? plane_stride - dim * f : 0) + (u * dim + r) * f;
  }
};

/// Calls body(c, load) for each vector of channels, where load(p) is p's vector, zero-padded.
template <class D, class T = hn::TFromD<D>, class Body>
HWY_INLINE void for_channels(D d, std::int64_t f, const Body& body) {
  constexpr std::int64_t kLanes = lanes_of<D>();
  std::int64_t c = 0;
  for (; c + kLanes <= f; c += kLanes) {
    body(c, [&](const T* p) HWY_ATTR { return hn::LoadU(d, p); });
  }
  if (c < f) {
    body(c, [&](const T* p) HWY_ATTR { return load_first(d, f - c, p); });
  }
}

/// Real d x d blocks, which act on each plane separately (complex ones: complex_block-inl.h). kDim
/// is d, known at compile time, or 0. D is the tag of the vectors of channels.
template <class D, int kDim>
class DenseBlock {
 public:
  using Tag = D;
  using T = hn::TFromD<D>;
  DenseBlock(const Diffusion<T>& op, const Shape<D>& shape)
      : op_(op), shape_(shape), block_(static_cast<std::size_t>(dim() * pitch())) {}

  static constexpr bool is_complex() { return false; }
  /// Elements of a block.
  std::int64_t map_size() const { return shape_.dim * shape_.dim; }

  /// B = G_h* G_h'
  HWY_INLINE void load(HalfEdgeId h, HalfEdgeId back) {
    const std::int64_t d = dim();
    const T* HWY_RESTRICT a = op_.maps + h * d * d;
    const T* HWY_RESTRICT b = op_.maps + back * d * d;
    if constexpr (kIsPadded) {
      const RowTag<kDim, T> tag;
      using Row = hn::Vec<decltype(tag)>;
      for_product_rows<kDim, true>(
          tag, a, b, [&](int, int) HWY_ATTR { return hn::Zero(tag); },
          [&](int i, int piece, Row row)
              HWY_ATTR { hn::StoreU(row, tag, block_.data() + i * pitch() + piece); });
    } else {
      std::fill(block_.begin(), block_.end(), T{0});
      add_small_product<kDim, true>(d, a, b, block_.data());
    }
  }

  /// B = N_u
  HWY_INLINE void load_diagonal(std::int64_t u) {
    const std::int64_t d = dim();
    const T* block = op_.diagonal + u * d * d;
    for (std::int64_t i = 0; i < d; ++i) {
      for (std::int64_t j = 0; j < d; ++j) {
        block_[static_cast<std::size_t>(i * pitch() + j)] = block[i * d + j];
      }
    }
  }

  /// sum += B x_v, or sum = B x_v.
  template <bool kAssign>
  HWY_INLINE void accumulate(const T* x, std::int64_t v, T* HWY_RESTRICT sum) const {
    const D d;
    using V = hn::Vec<D>;
    const T* HWY_RESTRICT b = block_.data();
    for (std::int64_t plane = 0; plane < shape_.planes; ++plane) {
      const T* rows[kDim > 0 ? kDim : 1];
      if constexpr (kDim > 0) {
        for (int j = 0; j < kDim; ++j) rows[j] = shape_.row(x, v, plane * kDim + j);
      }
      T* HWY_RESTRICT out = sum + plane * dim() * shape_.fp;
      for_channels(d, shape_.f, [&](std::int64_t c, const auto& load) HWY_ATTR {
        if constexpr (kDim > 0) {
          V in[kDim];
#pragma GCC unroll 8
          for (int j = 0; j < kDim; ++j) in[j] = load(rows[j] + c);
#pragma GCC unroll 8
          for (int i = 0; i < kDim; ++i) {
            V total = kAssign ? hn::Zero(d) : hn::Load(d, out + i * shape_.fp + c);
#pragma GCC unroll 8
            for (int j = 0; j < kDim; ++j) {
              total = hn::MulAdd(hn::Set(d, b[i * pitch() + j]), in[j], total);
            }
            hn::Store(total, d, out + i * shape_.fp + c);
          }
        } else {
          for (std::int64_t i = 0; i < dim(); ++i) {
            V total = kAssign ? hn::Zero(d) : hn::Load(d, out + i * shape_.fp + c);
            for (std::int64_t j = 0; j < dim(); ++j) {
              const V in = load(shape_.row(x, v, plane * dim() + j) + c);
              total = hn::MulAdd(hn::Set(d, b[i * dim() + j]), in, total);
            }
            hn::Store(total, d, out + i * shape_.fp + c);
          }
        }
      });
    }
  }

  /// out[j][i] = the real part of the sum over channels of own_j conj(x_v,i). own: scratch rows.
  /// out: the block in a [2m] or [n] array of maps.
  HWY_INLINE void correlate(const T* HWY_RESTRICT own, const T* x, std::int64_t v,
                            T* HWY_RESTRICT out, [[maybe_unused]] std::int64_t plane) const {
    std::int64_t j = 0;
    if constexpr (kDim > 0) {
      // As many rows at a time as have their sums in registers.
      constexpr int kSums = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SCALAR ? 8 : 16;
      constexpr int kRows = HWY_MAX(1, kSums / HWY_MAX(kDim, 1));
      for (; j + kRows <= kDim; j += kRows) correlate_rows<kRows>(own, x, v, j, out);
    }
    for (; j < dim(); ++j) correlate_rows<1>(own, x, v, j, out);
  }

 private:
  HWY_INLINE std::int64_t dim() const { return kDim > 0 ? kDim : shape_.dim; }
  /// Rows of a block are padded to whole vectors: these are stored without a mask, so that the
  /// processor can forward them to the next load.
  static constexpr bool kIsPadded = rows_are_vectors<kDim, T>();
  HWY_INLINE std::int64_t pitch() const { return kIsPadded ? row_lanes(kDim) : dim(); }

  template <int kRows>
  HWY_INLINE void correlate_rows(const T* HWY_RESTRICT own, const T* x, std::int64_t v,
                                 std::int64_t j, T* HWY_RESTRICT out) const {
    const D d;
    using V = hn::Vec<D>;
    if constexpr (kDim > 0) {
      sum_in_parts<kRows * kDim>(d, shape_.f, out + j * kDim, [&](int part, V* result) HWY_ATTR {
        V sums[kRows * kDim];
#pragma GCC unroll 16
        for (int k = 0; k < kRows * kDim; ++k) sums[k] = hn::Zero(d);
        for (std::int64_t plane = 0; plane < shape_.planes; ++plane) {
          const T* rows[kDim];
          for (int i = 0; i < kDim; ++i) rows[i] = shape_.row(x, v, plane * kDim + i);
          const T* HWY_RESTRICT mine = own + (plane * kDim + j) * shape_.fp;
          for_part(d, shape_.f, part, [&](std::int64_t c, const auto& load) HWY_ATTR {
            V other[kDim];
#pragma GCC unroll 8
            for (int i = 0; i < kDim; ++i) other[i] = load(rows[i] + c);
#pragma GCC unroll 16
            for (int k = 0; k < kRows; ++k) {
              const V a = hn::Load(d, mine + k * shape_.fp + c);
#pragma GCC unroll 8
              for (int i = 0; i < kDim; ++i) {
                sums[k * kDim + i] = hn::MulAdd(a, other[i], sums[k * kDim + i]);
              }
            }
          });
        }
#pragma GCC unroll 16
        for (int k = 0; k < kRows * kDim; ++k) result[k] = sums[k];
      });
    } else {
      for (std::int64_t i = 0; i < dim(); ++i) {
        sum_in_parts<1>(d, shape_.f, out + j * dim() + i, [&](int part, V* result) HWY_ATTR {
          V sum = hn::Zero(d);
          for (std::int64_t plane = 0; plane < shape_.planes; ++plane) {
            const T* row = shape_.row(x, v, plane * dim() + i);
            const T* mine = own + (plane * dim() + j) * shape_.fp;
            for_part(d, shape_.f, part, [&](std::int64_t c, const auto& load) HWY_ATTR {
              sum = hn::MulAdd(hn::Load(d, mine + c), load(row + c), sum);
            });
          }
          *result = sum;
        });
      }
    }
  }

  const Diffusion<T>& op_;
  const Shape<D>& shape_;
  ScratchVector<T> block_;
};

/// Diagonal blocks: every row separately, or, if complex, with its row in the other plane.
template <class D, bool kIsComplex>
class DiagonalBlock {
 public:
  using Tag = D;
  using T = hn::TFromD<D>;
  DiagonalBlock(const Diffusion<T>& op, const Shape<D>& shape)
      : op_(op), shape_(shape), block_(static_cast<std::size_t>(2 * shape.dim)) {}

  static constexpr bool is_complex() { return kIsComplex; }
  std::int64_t map_size() const { return shape_.dim; }

  HWY_INLINE void load(HalfEdgeId h, HalfEdgeId back) {
    const std::int64_t d = shape_.dim;
    const T* a = op_.maps + h * d;
    const T* b = op_.maps + back * d;
    for (std::int64_t i = 0; i < d; ++i) {
      if constexpr (kIsComplex) {
        const std::int64_t im = op_.graph.count() * d;
        real()[i] = a[i] * b[i] + a[im + i] * b[im + i];
        imaginary()[i] = a[i] * b[im + i] - a[im + i] * b[i];
      } else {
        real()[i] = a[i] * b[i];
      }
    }
  }

  HWY_INLINE void load_diagonal(std::int64_t u) {
    for (std::int64_t i = 0; i < shape_.dim; ++i) {
      real()[i] = op_.diagonal[u * shape_.dim + i];
      imaginary()[i] = 0;
    }
  }

  template <bool kAssign>
  HWY_INLINE void accumulate(const T* x, std::int64_t v, T* HWY_RESTRICT sum) const {
    const D d;
    const auto before = [&](const T* p) HWY_ATTR { return kAssign ? hn::Zero(d) : hn::Load(d, p); };
    for (std::int64_t i = 0; i < shape_.dim; ++i) {
      const auto re = hn::Set(d, block_[static_cast<std::size_t>(i)]);
      T* HWY_RESTRICT out = sum + i * shape_.fp;
      T* HWY_RESTRICT out_im = out + shape_.dim * shape_.fp;
      const T* row = shape_.row(x, v, i);
      const T* row_im = row + shape_.plane_stride;
      if constexpr (kIsComplex) {
        const auto im = hn::Set(d, block_[static_cast<std::size_t>(shape_.dim + i)]);
        for_channels(d, shape_.f, [&](std::int64_t c, const auto& load) HWY_ATTR {
          const auto a = load(row + c);
          const auto b = load(row_im + c);
          hn::Store(hn::MulAdd(re, a, hn::NegMulAdd(im, b, before(out + c))), d, out + c);
          hn::Store(hn::MulAdd(re, b, hn::MulAdd(im, a, before(out_im + c))), d, out_im + c);
        });
      } else if (shape_.planes == 2) {
        for_channels(d, shape_.f, [&](std::int64_t c, const auto& load) HWY_ATTR {
          hn::Store(hn::MulAdd(re, load(row + c), before(out + c)), d, out + c);
          hn::Store(hn::MulAdd(re, load(row_im + c), before(out_im + c)), d, out_im + c);
        });
      } else {
        for_channels(d, shape_.f, [&](std::int64_t c, const auto& load) HWY_ATTR {
          hn::Store(hn::MulAdd(re, load(row + c), before(out + c)), d, out + c);
        });
      }
    }
  }

  HWY_INLINE void correlate(const T* HWY_RESTRICT own, const T* x, std::int64_t v, T* out,
                            std::int64_t plane) const {
    const D d;
    using V = hn::Vec<D>;
    constexpr int kSums = kIsComplex ? 2 : 1;  // the real part, and the imaginary one
    for (std::int64_t i = 0; i < shape_.dim; ++i) {
      const T* HWY_RESTRICT mine = own + i * shape_.fp;
      const T* HWY_RESTRICT mine_im = mine + shape_.dim * shape_.fp;
      const T* row = shape_.row(x, v, i);
      const T* row_im = row + shape_.plane_stride;
      T sums[kSums];
      sum_in_parts<kSums>(d, shape_.f, sums, [&](int part, V* result) HWY_ATTR {
        V re = hn::Zero(d), im = hn::Zero(d);
        for_part(d, shape_.f, part, [&](std::int64_t c, const auto& load) HWY_ATTR {
          re = hn::MulAdd(hn::Load(d, mine + c), load(row + c), re);
          if (kIsComplex || shape_.planes == 2) {
            re = hn::MulAdd(hn::Load(d, mine_im + c), load(row_im + c), re);
          }
          if constexpr (kIsComplex) {
            im = hn::MulAdd(hn::Load(d, mine_im + c), load(row + c), im);
            im = hn::NegMulAdd(hn::Load(d, mine + c), load(row_im + c), im);
          }
        });
        result[0] = re;
        if constexpr (kIsComplex) result[1] = im;
      });
      out[i] = sums[0];
      if (kIsComplex && plane != 0) out[plane + i] = sums[kSums - 1];
    }
  }

 private:
  HWY_INLINE T* real() { return block_.data(); }
  HWY_INLINE T* imaginary() { return block_.data() + shape_.dim; }

  const Diffusion<T>& op_;
  const Shape<D>& shape_;
  ScratchVector<T> block_;
};

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
