#include "kernels/stalk_update.h"

#include "kernels/cpu/stalk_tiles.h"
#include "kernels/cuda/dispatch.h"
#include "kernels/scratch.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/stalk_update.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/math-inl.h"
#include "kernels/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

/// sigma of one part y of z; `real` is Re z. Written so that a part that is not a number is kept:
/// who trains shall see it.
template <StalkActivation kActivation, class D, class V>
HWY_INLINE V activate(D d, V real, V y) {
  const V zero = hn::Zero(d);
  if constexpr (kActivation == StalkActivation::kRelu) {
    return hn::IfThenZeroElse(hn::Lt(real, zero), y);
  }
  if constexpr (kActivation == StalkActivation::kElu) {
    return hn::IfThenElse(hn::Lt(y, zero), expm1_of_negative(d, hn::Min(y, zero)), y);
  }
  return y;
}

/// -sigma'(y) grad.
template <StalkActivation kActivation, class D, class V>
HWY_INLINE V minus_slope(D d, V real, V y, V grad) {
  const V zero = hn::Zero(d);
  if constexpr (kActivation == StalkActivation::kRelu) {
    return hn::IfThenZeroElse(hn::Lt(real, zero), hn::Neg(grad));
  }
  if constexpr (kActivation == StalkActivation::kElu) {
    return hn::Neg(hn::Mul(grad, exp_of_negative(d, hn::Min(y, zero))));
  }
  return hn::Neg(grad);
}

/// Entries begin .. end-1 of every plane; begin is where a tile begins.
template <class T, StalkActivation kActivation>
void forward(const StalkTiles& tiles, std::int64_t planes, std::int64_t begin, std::int64_t end,
             const T* x, const T* y, const T* scales, T* out) {
  for (std::int64_t start = begin; start < end; start += tiles.tile_size) {
    for_lanes<T>(std::min(tiles.tile_size, end - start), [&](auto d, std::int64_t i) HWY_ATTR {
      const auto scale = hn::LoadU(d, scales + i);
      const auto real = hn::LoadU(d, y + start + i);
      for (std::int64_t plane = 0; plane < planes; ++plane) {
        const std::int64_t j = plane * tiles.plane_size + start + i;
        const auto sigma = activate<kActivation>(d, real, hn::LoadU(d, y + j));
        hn::StoreU(hn::MulSub(scale, hn::LoadU(d, x + j), sigma), d, out + j);
      }
    });
  }
}

/// sums[i] += grad x for entry i of every tile, besides the gradients of x and y.
template <class T, StalkActivation kActivation>
void backward(const StalkTiles& tiles, std::int64_t planes, std::int64_t begin, std::int64_t end,
              const T* x, const T* y, const T* scales, const StalkGradients<T>& gradients,
              T* sums) {
  for (std::int64_t start = begin; start < end; start += tiles.tile_size) {
    for_lanes<T>(std::min(tiles.tile_size, end - start), [&](auto d, std::int64_t i) HWY_ATTR {
      const auto scale = hn::LoadU(d, scales + i);
      const auto real = hn::LoadU(d, y + start + i);
      auto sum = hn::LoadU(d, sums + i);
      for (std::int64_t plane = 0; plane < planes; ++plane) {
        const std::int64_t j = plane * tiles.plane_size + start + i;
        const auto grad = hn::LoadU(d, gradients.grad + j);
        sum = hn::MulAdd(grad, hn::LoadU(d, x + j), sum);
        hn::StoreU(hn::Mul(scale, grad), d, gradients.grad_x + j);
        hn::StoreU(minus_slope<kActivation>(d, real, hn::LoadU(d, y + j), grad), d,
                   gradients.grad_y + j);
      }
      hn::StoreU(sum, d, sums + i);
    });
  }
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {
namespace {

template <class T>
using Forward = void (*)(const StalkTiles&, std::int64_t, std::int64_t, std::int64_t, const T*,
                         const T*, const T*, T*);
template <class T>
using Backward = void (*)(const StalkTiles&, std::int64_t, std::int64_t, std::int64_t, const T*,
                          const T*, const T*, const StalkGradients<T>&, T*);

template <class T>
Forward<T> forward_of(StalkActivation activation) {
  switch (activation) {
    case StalkActivation::kRelu:
      return DSNN_DISPATCH(forward<T, StalkActivation::kRelu>);
    case StalkActivation::kElu:
      return DSNN_DISPATCH(forward<T, StalkActivation::kElu>);
    case StalkActivation::kIdentity:
      break;
  }
  return DSNN_DISPATCH(forward<T, StalkActivation::kIdentity>);
}

template <class T>
Backward<T> backward_of(StalkActivation activation) {
  switch (activation) {
    case StalkActivation::kRelu:
      return DSNN_DISPATCH(backward<T, StalkActivation::kRelu>);
    case StalkActivation::kElu:
      return DSNN_DISPATCH(backward<T, StalkActivation::kElu>);
    case StalkActivation::kIdentity:
      break;
  }
  return DSNN_DISPATCH(backward<T, StalkActivation::kIdentity>);
}

/// 1 + eps for every entry of a tile.
template <class T>
ScratchVector<T> tile_scales(const StalkTiles& tiles, const StalkShape& shape, const T* eps) {
  ScratchVector<T> scales(static_cast<std::size_t>(tiles.tile_size));
  for (std::size_t i = 0; i < scales.size(); ++i) {
    scales[i] = 1 + eps[static_cast<std::int64_t>(i) / shape.channels % shape.stalk_dim];
  }
  return scales;
}

}  // namespace

template <class T>
void stalk_update(const Executor& executor, const StalkShape& shape, StalkActivation activation,
                  const T* x, const T* y, const T* eps, T* out) {
  DSNN_ON_GPU(stalk_update(*gpu, shape, activation, x, y, eps, out));
  const StalkTiles tiles(shape);
  const ScratchVector<T> scales = tile_scales(tiles, shape, eps);
  const auto kernel = forward_of<T>(activation);
  run_blocks(executor, tiles.num_blocks(), [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      const std::int64_t begin = block * tiles.block_size;
      const std::int64_t end = std::min(begin + tiles.block_size, tiles.plane_size);
      kernel(tiles, shape.planes, begin, end, x, y, scales.data(), out);
    }
  });
}

// The sums of a block are those of its tiles' entries, made in T over a few numbers each; from
// there on in double and in the order of the blocks.
template <class T>
void stalk_update_backward(const Executor& executor, const StalkShape& shape,
                           StalkActivation activation, const T* x, const T* y, const T* eps,
                           const T* grad, T* grad_x, T* grad_y, T* grad_eps) {
  DSNN_ON_GPU(
      stalk_update_backward(*gpu, shape, activation, x, y, eps, grad, grad_x, grad_y, grad_eps));
  const StalkTiles tiles(shape);
  const ScratchVector<T> scales = tile_scales(tiles, shape, eps);
  const StalkGradients<T> gradients = {grad, grad_x, grad_y};
  const auto kernel = backward_of<T>(activation);
  const std::int64_t stalk_dim = shape.stalk_dim;
  ScratchVector<double> partial(static_cast<std::size_t>(tiles.num_blocks() * stalk_dim));
  run_blocks(executor, tiles.num_blocks(), [&](BlockQueue& queue) {
    ScratchVector<T> sums(scales.size());
    for (std::int64_t block; queue.take(block);) {
      const std::int64_t begin = block * tiles.block_size;
      const std::int64_t end = std::min(begin + tiles.block_size, tiles.plane_size);
      std::fill(sums.begin(), sums.end(), T{0});
      kernel(tiles, shape.planes, begin, end, x, y, scales.data(), gradients, sums.data());
      double* own = partial.data() + block * stalk_dim;
      const T* row = sums.data();
      for (std::int64_t i = 0; i < tiles.tile_size / shape.channels; ++i) {
        for (std::int64_t c = 0; c < shape.channels; ++c) own[i % stalk_dim] += *row++;
      }
    }
  });
  for (std::int64_t i = 0; i < stalk_dim; ++i) {
    double total = 0;
    for (std::int64_t block = 0; block < tiles.num_blocks(); ++block) {
      total += partial[static_cast<std::size_t>(block * stalk_dim + i)];
    }
    grad_eps[i] = static_cast<T>(total);
  }
}

#define DSNN_INSTANTIATE(T)                                                                 \
  template void stalk_update(const Executor&, const StalkShape&, StalkActivation, const T*, \
                             const T*, const T*, T*);                                       \
  template void stalk_update_backward(const Executor&, const StalkShape&, StalkActivation,  \
                                      const T*, const T*, const T*, const T*, T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
