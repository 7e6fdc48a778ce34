#pragma once

#include <cstdint>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace dsnn::kernels {

/// During its lifetime, denormal numbers (below 1e-38, or 1e-308 in double precision) are treated
/// as 0 and flushed to 0 in this thread. Networks that learn nothing contain many of them, as
/// weights decay and gates close, and each costs many times as much as a normal number.
class FlushDenormals {
 public:
  FlushDenormals() { set(before_ | kFlush); }
  ~FlushDenormals() { set(before_); }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__SSE__)
  using Control = unsigned;
  static constexpr Control kFlush = 0x8040;  // results (FTZ) and arguments (DAZ)
  static Control get() { return _mm_getcsr(); }
  static void set(Control control) { _mm_setcsr(control); }
#elif defined(__aarch64__)
  using Control = std::uint64_t;
  static constexpr Control kFlush = 1u << 24;  // FZ, both of them
  static Control get() {
    Control control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
  }
  static void set(Control control) { __asm__ volatile("msr fpcr, %0" : : "r"(control)); }
#else
  using Control = unsigned;
  static constexpr Control kFlush = 0;
  static Control get() { return 0; }
  static void set(Control) {}
#endif

  Control before_ = get();
};

}  // namespace dsnn::kernels
