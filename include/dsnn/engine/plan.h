#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/export.h"

#include <cstdint>
#include <vector>

namespace dsnn::engine {

/// The memory layout of a program's values in one arena. Values that are never live at the same
/// time may share memory.
struct Plan {
  /// The offset of each value, in elements, or -1 if it is stored elsewhere (weights, constants).
  std::vector<std::int64_t> offsets;
  std::int64_t size = 0;     ///< of the arena, in elements
  std::int64_t scratch = 0;  ///< the largest scratch memory of a step, in elements

  /// The first and last step in which the memory of a value is in use.
  struct Lifetime {
    std::int64_t begin = -1, end = -1;
  };
  std::vector<Lifetime> lifetimes;  ///< of each value that is its own root
};

/// A pure function of the program. It always checks that simultaneously live values do not overlap.
DSNN_API Plan plan(const Program& program);

/// The plan on a GPU for values of this size. In a small program no values share memory, so that
/// steps can run at the same time.
DSNN_API Plan gpu_plan(const Program& program, std::int64_t bytes_per_number);

/// Throws std::logic_error if two live values of a plan overlap.
DSNN_API void check_plan(const Program& program, const Plan& plan);

/// The program as text: one line per step with operator, shapes, bytes, operations and offsets.
DSNN_API std::string program_text(const Program& program, const Plan& plan,
                                  std::int64_t bytes_per_number);

}  // namespace dsnn::engine
