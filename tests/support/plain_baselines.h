#pragma once

#include "dsnn/config/config.h"
#include "dsnn/graph/directed_graph.h"

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

// The models of src/nn/baselines written as their equations, using only LibTorch and for small
// graphs only: what the fast ones are tested against, and, with sparse matrices, what they are
// timed against.

namespace dsnn::testing {

using PlainWeights = std::map<std::string, at::Tensor>;
/// Dropout on a tensor with a probability.
using PlainDropout = std::function<at::Tensor(const at::Tensor&, double)>;

/// The input of a plain model.
struct PlainPass {
  const std::vector<at::Tensor>& matrices;
  const at::Tensor& features;
  const PlainWeights& weights;
  const Config& config;
  PlainDropout drop = [](const at::Tensor& x, double) { return x; };

  const at::Tensor& weight(const std::string& name) const { return weights.at(name); }
  /// x W + b with the weights of that name; b is optional.
  at::Tensor linear(const at::Tensor& x, const std::string& name) const;
  double dropout() const { return config.number("dropout"); }
};

struct PlainBaseline {
  /// Matrices of the graph, made once: [n, n] of numbers, or pairs [2, entries] of whole ones.
  /// `arcs` is A, [n, n].
  std::function<std::vector<at::Tensor>(const at::Tensor& arcs, const Config&)> prepare;
  std::function<at::Tensor(const PlainPass&)> logits;
};

/// A as a dense matrix of doubles.
at::Tensor dense_arcs(const DirectedGraph& graph);

// Parts of the next.
std::map<std::string, PlainBaseline> plain_directed();
std::map<std::string, PlainBaseline> plain_sheaves();

/// By the names of the models.
const std::map<std::string, PlainBaseline>& plain_baselines();

}  // namespace dsnn::testing
