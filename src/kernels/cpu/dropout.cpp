#include "kernels/dropout.h"

#include "kernels/cuda/dispatch.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/dropout.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/dropout-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

template <class T>
void drop_numbers(const Dropout& dropout, std::int64_t begin, std::int64_t count, const T* from,
                  T* to) {
  drop(dropout, begin, count, from, to);
}

template <class T>
void drop_pieces(std::span<const DropoutPiece> pieces, const Dropout& dropout, const T* x, T* y) {
  for (const DropoutPiece& piece : pieces) {
    drop(dropout, piece.position, piece.count, x + piece.begin, y + piece.begin);
  }
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

// Blocks restart where the positions restart.
template <class T>
void dropout(const Executor& executor, std::int64_t size, const Dropout& options, const T* x,
             T* y) {
  DSNN_ON_GPU(dropout(*gpu, size, options, x, y));
  constexpr std::int64_t kBlock = 8192;
  const std::int64_t period = options.period > 0 ? options.period : std::max<std::int64_t>(size, 1);
  const std::int64_t blocks_each = (period + kBlock - 1) / kBlock;
  const std::int64_t periods = (size + period - 1) / period;
  const auto kernel = DSNN_DISPATCH(drop_numbers<T>);
  run_blocks(executor, periods * blocks_each, [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      const std::int64_t position = block % blocks_each * kBlock;
      const std::int64_t begin = block / blocks_each * period + position;
      const std::int64_t count = std::min({kBlock, period - position, size - begin});
      if (count > 0) kernel(options, position, count, x + begin, y + begin);
    }
  });
}

template <class T>
void dropout_pieces(const Executor& executor, std::span<const DropoutPiece> pieces,
                    const Dropout& options, const T* x, T* y) {
  constexpr std::size_t kBlock = 64;
  const auto kernel = DSNN_DISPATCH(drop_pieces<T>);
  const std::size_t blocks = (pieces.size() + kBlock - 1) / kBlock;
  run_blocks(executor, static_cast<std::int64_t>(blocks), [&](BlockQueue& queue) {
    for (std::int64_t block; queue.take(block);) {
      const std::size_t begin = static_cast<std::size_t>(block) * kBlock;
      kernel(pieces.subspan(begin, std::min(kBlock, pieces.size() - begin)), options, x, y);
    }
  });
}

template void dropout(const Executor&, std::int64_t, const Dropout&, const float*, float*);
template void dropout(const Executor&, std::int64_t, const Dropout&, const double*, double*);
template void dropout_pieces(const Executor&, std::span<const DropoutPiece>, const Dropout&,
                             const float*, float*);
template void dropout_pieces(const Executor&, std::span<const DropoutPiece>, const Dropout&,
                             const double*, double*);

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
