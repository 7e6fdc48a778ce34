// Dense complex blocks (NSD-Compl); the real ones are in sheaf_blocks-inl.h. Compiled once for each
// instruction set.
#if defined(DSNN_KERNELS_CPU_COMPLEX_BLOCK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_COMPLEX_BLOCK_INL_H_
#undef DSNN_KERNELS_CPU_COMPLEX_BLOCK_INL_H_
#else
#define DSNN_KERNELS_CPU_COMPLEX_BLOCK_INL_H_
#endif

#include "kernels/cpu/sheaf_blocks-inl.h"
#include "kernels/scratch.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// d x d complex blocks, which act on the rows of both planes. kDim is d, known to the compiler, or
/// 0. D is the tag of the vectors of channels.
template <class D, int kDim>
class ComplexDenseBlock {
 public:
  using Tag = D;
  using T = hn::TFromD<D>;
  ComplexDenseBlock(const Diffusion<T>& op, const Shape<D>& shape)
      : op_(op), shape_(shape), block_(static_cast<std::size_t>(2 * dim() * pitch())) {}

  static constexpr bool is_complex() { return true; }
  std::int64_t map_size() const { return dim() * dim(); }

  /// B = G_h* G_h'
  HWY_INLINE void load(HalfEdgeId h, HalfEdgeId back) {
    const std::int64_t d = dim();
    const std::int64_t imaginary = op_.graph.count() * d * d;
    const T* HWY_RESTRICT a = op_.maps + h * d * d;
    const T* HWY_RESTRICT b = op_.maps + back * d * d;
    if constexpr (kIsPadded) {
      const RowTag<kDim, T> tag;
      using Row = hn::Vec<decltype(tag)>;
      for_complex_product_rows<kDim, true>(tag, ComplexRows<T>{a, a + imaginary},
                                           ComplexRows<T>{b, b + imaginary},
                                           [&](int i, int piece, Row re, Row im) HWY_ATTR {
                                             hn::StoreU(re, tag, real() + i * pitch() + piece);
                                             hn::StoreU(im, tag, imag() + i * pitch() + piece);
                                           });
    } else {
      for (std::int64_t i = 0; i < d; ++i) {
        for (std::int64_t j = 0; j < d; ++j) {
          T re = 0, im = 0;
          for (std::int64_t k = 0; k < d; ++k) {  // as for_complex_product_rows
            const T ar = a[k * d + i], ai = a[imaginary + k * d + i];
            const T br = b[k * d + j], bi = b[imaginary + k * d + j];
            re = fused(ai, bi, fused(ar, br, re));
            im = fused(-ai, br, fused(ar, bi, im));
          }
          real()[i * pitch() + j] = re;
          imag()[i * pitch() + j] = im;
        }
      }
    }
  }

  /// B = N_u
  HWY_INLINE void load_diagonal(std::int64_t u) {
    const std::int64_t d = dim();
    const T* block = op_.diagonal + u * d * d;
    for (std::int64_t i = 0; i < d; ++i) {
      for (std::int64_t j = 0; j < d; ++j) {
        real()[i * pitch() + j] = block[i * d + j];
        imag()[i * pitch() + j] = block[shape_.n * d * d + i * d + j];
      }
    }
  }

  /// sum += B x_v, or sum = B x_v.
  template <bool kAssign>
  HWY_INLINE void accumulate(const T* x, std::int64_t v, T* HWY_RESTRICT sum) const {
    const D tag;
    using V = hn::Vec<D>;
    const std::int64_t d = dim();
    const T* HWY_RESTRICT re = block_.data();
    const T* HWY_RESTRICT im = re + d * pitch();
    const T* re_rows = shape_.row(x, v, 0);
    const T* im_rows = shape_.row(x, v, d);
    for_channels(tag, shape_.f, [&](std::int64_t c, const auto& load) HWY_ATTR {
      V a[kCount], b[kCount];  // of the neighbour, if it fits into registers
#pragma GCC unroll 8
      for (int j = 0; j < kDim; ++j) {
        a[j] = load(re_rows + j * shape_.f + c);
        b[j] = load(im_rows + j * shape_.f + c);
      }
#pragma GCC unroll 8
      for (std::int64_t i = 0; i < d; ++i) {
        T* HWY_RESTRICT out = sum + i * shape_.fp + c;
        T* HWY_RESTRICT out_im = out + d * shape_.fp;
        V total = kAssign ? hn::Zero(tag) : hn::Load(tag, out);
        V total_im = kAssign ? hn::Zero(tag) : hn::Load(tag, out_im);
#pragma GCC unroll 8
        for (std::int64_t j = 0; j < d; ++j) {
          if constexpr (kDim == 0) {
            a[0] = load(re_rows + j * shape_.f + c);
            b[0] = load(im_rows + j * shape_.f + c);
          }
          const V& xr = a[kDim == 0 ? 0 : j];
          const V& xi = b[kDim == 0 ? 0 : j];
          const V br = hn::Set(tag, re[i * pitch() + j]);
          const V bi = hn::Set(tag, im[i * pitch() + j]);
          total = hn::NegMulAdd(bi, xi, hn::MulAdd(br, xr, total));
          total_im = hn::MulAdd(bi, xr, hn::MulAdd(br, xi, total_im));
        }
        hn::Store(total, tag, out);
        hn::Store(total_im, tag, out_im);
      }
    });
  }

  /// out[j][i] = sum over channels of own_j conj(x_v,i). own: scratch rows. out: the block in a
  /// [2m] or [n] array of maps, whose imaginary plane is `plane` further.
  HWY_INLINE void correlate(const T* HWY_RESTRICT own, const T* x, std::int64_t v,
                            T* HWY_RESTRICT out, std::int64_t plane) const {
    // As many rows at a time as have their sums in registers.
    constexpr int kSums = HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SCALAR ? 8 : 16;
    constexpr int kRows = HWY_MAX(1, kSums / (2 * kCount));
    std::int64_t j = 0;
    for (; j + kRows <= dim(); j += kRows) correlate_rows<kRows>(own, x, v, j, out, plane);
    for (; j < dim(); ++j) correlate_rows<1>(own, x, v, j, out, plane);
  }

 private:
  /// Rows of a block are padded to whole vectors, as those of real blocks.
  static constexpr bool kIsPadded = rows_are_vectors<kDim, T>();
  static constexpr int kCount = kDim > 0 ? kDim : 1;  // columns per step
  HWY_INLINE std::int64_t dim() const { return kDim > 0 ? kDim : shape_.dim; }
  HWY_INLINE std::int64_t pitch() const { return kIsPadded ? row_lanes(kDim) : dim(); }
  HWY_INLINE T* real() { return block_.data(); }
  HWY_INLINE T* imag() { return block_.data() + dim() * pitch(); }

  /// Rows j to j + kRows of the above.
  template <int kRows>
  HWY_INLINE void correlate_rows(const T* HWY_RESTRICT own, const T* x, std::int64_t v,
                                 std::int64_t j, T* HWY_RESTRICT out, std::int64_t plane) const {
    const D tag;
    using V = hn::Vec<D>;
    const std::int64_t d = dim();
    const T* HWY_RESTRICT mine = own + j * shape_.fp;
    const T* HWY_RESTRICT mine_im = mine + d * shape_.fp;
    for (std::int64_t i = 0; i < d; i += kCount) {
      const T* re_rows = shape_.row(x, v, i);
      const T* im_rows = shape_.row(x, v, d + i);
      T numbers[2 * kRows * kCount];  // per row: real parts, then imaginary parts
      sum_in_parts<2 * kRows * kCount>(tag, shape_.f, numbers, [&](int part, V* result) HWY_ATTR {
        V sums[2 * kRows * kCount];
#pragma GCC unroll 16
        for (V& sum : sums) sum = hn::Zero(tag);
        for_part(tag, shape_.f, part, [&](std::int64_t c, const auto& load) HWY_ATTR {
          V a[kCount], b[kCount];
#pragma GCC unroll 8
          for (int k = 0; k < kCount; ++k) {
            a[k] = load(re_rows + k * shape_.f + c);
            b[k] = load(im_rows + k * shape_.f + c);
          }
#pragma GCC unroll 8
          for (int row = 0; row < kRows; ++row) {
            const V re = hn::Load(tag, mine + row * shape_.fp + c);
            const V im = hn::Load(tag, mine_im + row * shape_.fp + c);
            V* re_sums = sums + 2 * row * kCount;
            V* im_sums = re_sums + kCount;
#pragma GCC unroll 8
            for (int k = 0; k < kCount; ++k) {
              re_sums[k] = hn::MulAdd(im, b[k], hn::MulAdd(re, a[k], re_sums[k]));
              im_sums[k] = hn::NegMulAdd(re, b[k], hn::MulAdd(im, a[k], im_sums[k]));
            }
          }
        });
#pragma GCC unroll 16
        for (int k = 0; k < 2 * kRows * kCount; ++k) result[k] = sums[k];
      });
      for (int row = 0; row < kRows; ++row) {
        for (int k = 0; k < kCount; ++k) {
          out[(j + row) * d + i + k] = numbers[2 * row * kCount + k];
          out[plane + (j + row) * d + i + k] = numbers[(2 * row + 1) * kCount + k];
        }
      }
    }
  }

  const Diffusion<T>& op_;
  const Shape<D>& shape_;
  ScratchVector<T> block_;
};

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
