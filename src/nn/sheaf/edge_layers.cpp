#include "nn/sheaf/edge_layers.h"

#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/edges.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"

#include <memory>
#include <vector>

namespace dsnn::nn {

using namespace engine;

SheafAttention::SheafAttention(const NetworkOptions& options, const std::string& name,
                               Weights& weights, Random& random) {
  const std::int64_t planes = options.planes(), size = options.node_size();
  score_ = weights.add(name + ".score", {planes, size, 2},
                       linear_init(planes * size * 2, 2 * planes * size, random));
}

Value SheafAttention::times(Value z, Value x, Value maps, const Input& input,
                            const EdgeSpace& space) const {
  Program& program = z.program();
  const std::int64_t n = z.size(1), d = z.size(2), f = z.size(3);
  const SparseMatrix& neighbours = adjacency(input, {Neighbours::kAll, true, Scaling::kNone});
  const Value scores = linear(program.reshape(x, {x.size(0), n, d * f}), score_);
  const std::vector<Value> ends = split(scores, {1, 1});
  const Value attention =
      edge_softmax(leaky_relu(edge_sum(ends[0], ends[1], neighbours)), neighbours);

  const std::shared_ptr<const Transport> edges = transport(input, space);
  const Value sent = edges->send.times(edges->send.values(maps), z);
  const Value of_half_edges = spmm(attention, edges->of_half_edge);
  const Value received = edges->receive.times(edges->receive.values(maps, of_half_edges), sent);
  // The part of a node itself: a diagonal matrix.
  std::vector<std::int64_t> offsets;
  std::vector<std::int32_t> cols;
  for (std::int64_t i = 0; i < n * d; ++i) {
    offsets.push_back(i);
    cols.push_back(static_cast<std::int32_t>(i));
  }
  offsets.push_back(n * d);
  const SparseMatrix diagonal(std::move(offsets), std::move(cols), {}, n * d);
  const Value share = program.reshape(spmm(attention, edges->of_node), {n * d});
  const Value own = spmm(share, program.reshape(z, {z.size(0), n * d, f}), diagonal);
  const Value sum = received + program.reshape(own, z.shape());
  return z - sum;
}

NonlinearLaplacian::NonlinearLaplacian(const NetworkOptions& options, const std::string& name,
                                       Weights& weights, Random& random) {
  const std::int64_t f = options.channels;
  first_ = weights.add(name + ".edge.first", {f, f}, linear_init(f * f, f, random));
  second_ = weights.add(name + ".edge.second", {f, f}, linear_init(f * f, f, random));
}

Value NonlinearLaplacian::times(Value z, Value maps, const Input& input,
                                const EdgeSpace& space) const {
  const std::shared_ptr<const Coboundary> delta = coboundary(input, space);
  const Value y = delta->apply.times(delta->apply.values(maps), z);
  const std::int64_t f = z.size(3);
  const Value rows = z.program().reshape(y, {num_numbers(y.shape()) / f, f});
  const Value phi = linear(tanh(linear(rows, first_)), second_);
  return delta->adjoint.times(delta->adjoint.values(maps), z.program().reshape(phi, y.shape()));
}

}  // namespace dsnn::nn
