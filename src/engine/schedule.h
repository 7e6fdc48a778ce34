#pragma once

#include "dsnn/engine/plan.h"
#include "dsnn/engine/program.h"

#include "util/internal_api.h"

#include <cstddef>
#include <vector>

namespace dsnn::engine {

/// Which steps of a pass can run at the same time on a GPU: steps of one branch are in order, and a
/// step waits for some of other branches. It keeps every step that writes memory apart from those
/// that use the same memory. A pure function of program and plan.
struct Schedule {
  struct Item {
    int branch = 0;
    std::vector<std::size_t> after;  ///< steps of other branches, counted from the first
    bool is_awaited = false;         ///< by a step of another branch, or by the end of the pass
  };
  std::vector<Item> items;
  int num_branches = 1;
  std::vector<std::size_t> last;  ///< the last steps of branches from 1 on
};

/// Of the steps from `begin` to `end`.
DSNN_INTERNAL_API Schedule schedule(const Program& program, const Plan& plan, std::size_t begin,
                                    std::size_t end);

}  // namespace dsnn::engine
