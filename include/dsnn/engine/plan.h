#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/export.h"

#include <cstdint>
#include <vector>

namespace dsnn::engine {

/// Where every value of a program lies in one arena. Values that are never there at the same time
/// may share memory.
struct Plan {
  /// Of each value: its place in numbers, or -1 if it lies elsewhere (weights, constants).
  std::vector<std::int64_t> offsets;
  std::int64_t size = 0;     ///< of the arena, in numbers
  std::int64_t scratch = 0;  ///< the most that a step needs besides, in numbers

  /// From which step to which a value's memory is in use, both included.
  struct Lifetime {
    std::int64_t begin = -1, end = -1;
  };
  std::vector<Lifetime> lifetimes;  ///< of each value that is its own root
};

/// A pure function of the program. Checks, always, that no two values that live at the same time
/// overlap.
DSNN_API Plan plan(const Program& program);

/// Throws std::logic_error if two live values of a plan overlap.
DSNN_API void check_plan(const Program& program, const Plan& plan);

/// The program as text: a line for each step with operator, shapes, bytes, operations and places.
DSNN_API std::string program_text(const Program& program, const Plan& plan,
                                  std::int64_t bytes_per_number);

}  // namespace dsnn::engine
