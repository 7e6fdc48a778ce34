#pragma once

#include "dsnn/engine/program.h"
#include "dsnn/export.h"
#include "dsnn/parts/halo.h"

#include <memory>
#include <vector>

namespace dsnn {

/// Makes what a model appends to a program the program of a part of a graph (docs/scale.md). Rows
/// of ghosts are fetched from their owners before an operator that reads them, and only where they
/// are not computed here anyway; in the backward pass their gradients are returned and added.
/// Dropout is that of the whole graph. The other operators are those of the whole.
///
/// Gradients of weights, and losses (cross_entropy with a total), are shares of the part: their
/// sums over all ranks are those of the whole graph. Operators without a PartRule are refused with
/// an Error.
DSNN_API std::shared_ptr<engine::Rewriter> part_rewriter(std::shared_ptr<const Halo> halo);

/// An exchange in a program.
struct Fetch {
  engine::RowKind kind;
  std::int64_t numbers;  ///< of each row
  bool is_backward;
};
/// The exchanges of a program in order: they depend on the model, not on the graph.
DSNN_API std::vector<Fetch> fetches(const engine::Program& program);

/// The bytes that a part sends in the passes of a program.
DSNN_API std::int64_t bytes_sent(const std::vector<Fetch>& fetches, const Halo& halo,
                                 std::int64_t bytes_per_number);

}  // namespace dsnn
