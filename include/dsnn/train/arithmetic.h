#pragma once

#include "dsnn/export.h"

#include <string>

namespace dsnn {

/// Increased whenever a change alters the bits of training results. Results that were stored
/// without a version have version 1.
inline constexpr int kArithmeticVersion = 2;

/// What the digits of training results depend on besides configuration and data. Threads, jobs and
/// interruptions do not change them.
struct DSNN_API Arithmetic {
  int version = 1;  ///< 0: several versions
  /// "fused" on machines with fused multiply-add (AVX2, AVX-512, NEON), which all give the same
  /// digits; "separate" on older machines; "cuda" on GPUs; "several" if mixed; empty if unknown.
  std::string rounding;

  /// The arithmetic of this program on this machine.
  static Arithmetic current();
  /// The same, or that of a GPU.
  static Arithmetic of(bool is_gpu);
  /// The arithmetic of a result that was computed with both.
  Arithmetic joined_with(const Arithmetic& other) const;

  bool operator==(const Arithmetic&) const = default;
};

}  // namespace dsnn
