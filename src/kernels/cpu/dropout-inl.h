// The factors of dropout. Compiled once for each instruction set.
#if defined(DSNN_KERNELS_CPU_DROPOUT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef DSNN_KERNELS_CPU_DROPOUT_INL_H_
#undef DSNN_KERNELS_CPU_DROPOUT_INL_H_
#else
#define DSNN_KERNELS_CPU_DROPOUT_INL_H_
#endif

#include "kernels/cpu/vector-inl.h"
#include "kernels/dropout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

/// drop() for positions that differ only in their last 32 bits.
template <class T>
HWY_INLINE void drop_alike(const Dropout& dropout, std::int64_t begin, std::int64_t count,
                           const T* from, T* to) {
  const auto mix = [](std::uint64_t z) {  // SplitMix64
    z += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  };
  // The position bits beyond 32 are mixed into the keys.
  const auto position = static_cast<std::uint64_t>(begin);
  const std::uint64_t keys = mix(dropout.seed ^ mix(position >> 32));
  const auto first_key = static_cast<std::uint32_t>(keys);
  const auto second_key = static_cast<std::uint32_t>(keys >> 32);
  const auto threshold =
      static_cast<std::uint32_t>(std::min(dropout.probability * 0x1p32, 0x1p32 - 1));
  const T scale = static_cast<T>(1 / (1 - dropout.probability));
  const auto start = static_cast<std::uint32_t>(position);
  for_lanes<float>(count, [&](auto d, std::int64_t j) HWY_ATTR {
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto first = hn::Set(du, start + static_cast<std::uint32_t>(j));
    auto h = hn::Add(hn::Iota(du, 0), first);
    h = hn::Add(hn::Mul(h, hn::Set(du, 0x9e3779b9u)), hn::Set(du, first_key));
    h = hn::Xor(h, hn::ShiftRight<16>(h));
    h = hn::Mul(h, hn::Set(du, 0x85ebca6bu));
    h = hn::Xor(h, hn::ShiftRight<13>(h));
    h = hn::Add(hn::Mul(h, hn::Set(du, 0xc2b2ae35u)), hn::Set(du, second_key));
    h = hn::Xor(h, hn::ShiftRight<16>(h));
    const auto is_kept = hn::Not(hn::Lt(h, hn::Set(du, threshold)));
    if constexpr (sizeof(T) == sizeof(float)) {
      const auto kept = hn::IfThenElseZero(hn::RebindMask(d, is_kept), hn::LoadU(d, from + j));
      hn::StoreU(hn::Mul(kept, hn::Set(d, scale)), d, to + j);
    } else {
      HWY_ALIGN std::uint32_t kept[hn::MaxLanes(decltype(du)())];
      hn::Store(hn::IfThenElseZero(is_kept, hn::Set(du, 1)), du, kept);
      for (std::size_t lane = 0; lane < hn::MaxLanes(decltype(du)()); ++lane) {
        to[j + static_cast<std::int64_t>(lane)] =
            kept[lane] != 0 ? from[j + static_cast<std::int64_t>(lane)] * scale : T{0};
      }
    }
  });
}

/// to[j] = from[j] m_i for the positions i = begin + j, j < count. The hash is MurmurHash3's
/// finaliser on 32 bits, between two keys derived from the seed; equal for every instruction set. A
/// factor depends only on i, not on where a piece begins or ends.
template <class T>
HWY_INLINE void drop(const Dropout& dropout, std::int64_t begin, std::int64_t count, const T* from,
                     T* to) {
  constexpr std::int64_t kPeriod = std::int64_t{1} << 32;
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t part = std::min(count - done, kPeriod - (begin + done) % kPeriod);
    drop_alike(dropout, begin + done, part, from + done, to + done);
    done += part;
  }
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
