// H(t+1) = relu(H(t) W_0 + L_1 H(t) W_1 + ... + L_K H(t) W_K + b), an inception block; the last
// without relu. P = R^-1 (A + I) walks along arcs, and pi = (1 - alpha) P^T pi + alpha / n is its
// PageRank with teleport probability alpha. L_1 = (Pi^1/2 P Pi^-1/2 + Pi^-1/2 P^T Pi^1/2) / 2, Pi
// the diagonal matrix of pi. L_k, k > 1: S = (P^{k-1} P^{T k-1} + P^{T k-1} P^{k-1}) / 2 where both
// terms have an entry, which are nodes that meet after k - 1 steps forwards and backwards, scaled
// by the sums of its rows, D^-1/2 S D^-1/2.
//
// Deviation: as in the paper, but unlike the authors' program, L_1 is not also scaled by the sums
// of its rows, and blocks are joined by relu; the program has no activation at all, a bias for
// every hop, and dropout on the logits.
#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/nn/adjacency.h"
#include "dsnn/nn/layers.h"

#include "nn/sparse_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

namespace dsnn::nn {
namespace {

using namespace engine;

/// By power iteration, whose error falls by 1 - alpha in each step, until rounding ends it.
std::vector<double> page_rank(const SparseRows& p, double alpha) {
  const auto n = static_cast<std::size_t>(p.num_rows());
  std::vector<double> rank(n, 1 / static_cast<double>(n)), next(n);
  constexpr double kTolerance = 1e-15;
  const double most_steps = 40 / alpha;
  double change = 1;
  for (int step = 0; change > kTolerance && step < most_steps; ++step) {
    std::ranges::fill(next, alpha / static_cast<double>(n));
    for (std::size_t u = 0; u < n; ++u) {
      p.for_row(static_cast<std::int64_t>(u), [&](std::int32_t v, double value) {
        next[static_cast<std::size_t>(v)] += (1 - alpha) * value * rank[u];
      });
    }
    change = 0;
    for (std::size_t u = 0; u < n; ++u) change += std::abs(next[u] - rank[u]);
    std::swap(rank, next);
  }
  return rank;
}

/// L_1
SparseMatrix personalised(const SparseRows& p, const SparseRows& back, double alpha) {
  const std::vector<double> rank = page_rank(p, alpha);
  const auto ratio = [&](std::int64_t u, std::int64_t v) {
    return std::sqrt(rank[static_cast<std::size_t>(u)] / rank[static_cast<std::size_t>(v)]) / 2;
  };
  SparseRows rows;
  for (std::int64_t u = 0; u < p.num_rows(); ++u) {
    std::map<std::int32_t, double> row;
    p.for_row(u, [&](std::int32_t v, double value) { row[v] += ratio(u, v) * value; });
    back.for_row(u, [&](std::int32_t v, double value) { row[v] += ratio(v, u) * value; });
    for (const auto& [v, value] : row) rows.add(v, value);
    rows.end_row();
  }
  return scaled(std::move(rows), Scaling::kNone);
}

/// The mean of two matrices where both have an entry, scaled; their columns ascend.
SparseMatrix intersection(const SparseRows& a, const SparseRows& b) {
  SparseRows rows;
  std::vector<double> values(static_cast<std::size_t>(a.num_rows()));
  std::vector<std::int64_t> seen_by(values.size(), -1);
  for (std::int64_t u = 0; u < a.num_rows(); ++u) {
    a.for_row(u, [&](std::int32_t v, double value) {
      values[static_cast<std::size_t>(v)] = value;
      seen_by[static_cast<std::size_t>(v)] = u;
    });
    b.for_row(u, [&](std::int32_t v, double value) {
      const auto place = static_cast<std::size_t>(v);
      if (seen_by[place] == u) rows.add(v, (values[place] + value) / 2);
    });
    rows.end_row();
  }
  return scaled(std::move(rows), Scaling::kSymmetric);
}

using Matrices = std::vector<SparseMatrix>;

Matrices make_matrices(const Input& input, double alpha, std::int64_t hops) {
  const SparseRows p(adjacency(input, {Neighbours::kOut, true, Scaling::kRows}));
  const SparseRows back = transposed(p);
  Matrices matrices = {personalised(p, back, alpha)};
  SparseRows forwards = p, backwards = back;  // P^{k-1} and its transpose
  for (std::int64_t k = 2; k <= hops; ++k) {
    if (k > 2) {
      forwards = product(forwards, p);
      backwards = transposed(forwards);
    }
    matrices.push_back(intersection(product(forwards, backwards), product(backwards, forwards)));
  }
  return matrices;
}

class DiGcn final : public Model {
 public:
  explicit DiGcn(const ModelSetup& setup)
      : dropout_(setup.config.number("dropout")),
        alpha_(setup.config.number("alpha")),
        hops_(setup.config.integer("hops")) {
    const LayerSizes sizes(setup);
    for (std::int64_t t = 0; t < sizes.layers; ++t) {
      const std::string name = fmt::format("layer{}", t);
      Block& block = blocks_.emplace_back();
      for (std::int64_t k = 0; k <= hops_; ++k) {
        block.hops.push_back(make_linear(weights(), fmt::format("{}.hop{}", name, k),
                                         sizes.inputs(t), sizes.outputs(t), setup.random, false)
                                 .weight);
      }
      block.bias = weights().add(name + ".bias", {sizes.outputs(t)}, zero_init(sizes.outputs(t)));
    }
  }

  Value forward(const Input& input, const Pass& pass) const override {
    // A search tries few of these numbers.
    const auto& matrices = input.memo<Matrices>(fmt::format("digcn {} {}", alpha_, hops_), [&] {
      return make_matrices(input, alpha_, hops_);
    });
    Dropouts drop(pass);
    LayerInput h(input, pass, drop.next(dropout_));
    Value next;
    for (std::size_t t = 0; t < blocks_.size(); ++t) {
      next = h.times(blocks_[t].hops[0]);
      for (std::size_t k = 1; k < blocks_[t].hops.size(); ++k) {
        const Value part = spmm(h.times(blocks_[t].hops[k]), matrices[k - 1]);
        next = next + part;
      }
      const bool is_last = t + 1 == blocks_.size();
      next = bias_activation(next, blocks_[t].bias,
                             is_last ? StalkActivation::kIdentity : StalkActivation::kRelu,
                             drop.next(is_last ? 0 : dropout_));
      pass.show(fmt::format("layer {}", t + 1), next);
      h = LayerInput(next);
    }
    return next;
  }

 private:
  struct Block {
    std::vector<Weight> hops;  // W_k
    Weight bias;
  };
  double dropout_, alpha_;
  std::int64_t hops_;
  std::vector<Block> blocks_;
};

}  // namespace

ModelDefinition digcn_model() {
  std::vector<Parameter> parameters = common_parameters(3, 32, 0.5);
  parameters.push_back({"alpha", 0.1, "Teleport probability of PageRank", {}, 1e-3, 1});
  parameters.push_back({"hops", std::int64_t{2}, "Largest k of an inception block", {}, 1, 10});
  return {{.name = "digcn",
           .family = "directed",
           .title = "DiGCN: inception blocks of PageRank and k-hop proximities",
           .reference = "Tong et al., Digraph Inception Convolutional Networks",
           .year = 2020,
           .uses_direction = true,
           .parameters = parameters,
           .needs_whole_graph = "it sums over nodes several steps apart, and ranks all nodes"},
          maker<DiGcn>()};
}

}  // namespace dsnn::nn
