#pragma once

#include "dsnn/export.h"

#include <string>

namespace dsnn {

/// Raised whenever a change alters the bits that a training ends with. Results from before versions
/// were kept have version 1.
inline constexpr int kArithmeticVersion = 2;

/// What the digits of a training depend on besides its configuration and data. Threads, jobs and
/// interruptions do not change them.
struct DSNN_API Arithmetic {
  int version = 1;  ///< 0: of several
  /// "fused" where the machine rounds a product and a sum once, as all do that have AVX2, AVX-512
  /// or NEON, and have the same digits; "separate" on older ones; "several"; empty where it is not
  /// known.
  std::string rounding;

  /// Of this program on this machine.
  static Arithmetic current();
  /// Of something that was made with both.
  Arithmetic joined_with(const Arithmetic& other) const;

  bool operator==(const Arithmetic&) const = default;
};

}  // namespace dsnn
