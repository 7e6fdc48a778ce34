#include "verify/formulas.h"

#include "dsnn/util/error.h"
#include "dsnn/util/progress.h"

#include "util/index.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <utility>
#include <vector>

namespace dsnn {
namespace {

using Index = std::pair<std::int32_t, std::int32_t>;
using Entries = std::map<Index, Complex>;  // row, column -> value, in row order

BlockSparseMatrix to_matrix(std::int64_t rows, std::int64_t cols, const Entries& entries) {
  BlockSparseMatrix matrix;
  matrix.num_block_cols = cols;
  matrix.row_offsets.assign(at(rows) + 1, 0);
  for (const auto& [index, value] : entries) {
    ++matrix.row_offsets[at(index.first) + 1];
    matrix.cols.push_back(index.second);
    matrix.values.push_back(value);
  }
  for (std::int64_t i = 0; i < rows; ++i)
    matrix.row_offsets[at(i) + 1] += matrix.row_offsets[at(i)];
  return matrix;
}

/// The adjacency matrix A and the pattern of A + A^T.
struct Adjacency {
  explicit Adjacency(const DirectedGraph& graph) {
    const std::vector<Arc> arcs = graph.arcs();
    const std::vector<double> weights = graph.arc_weights();
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      if (i % (1U << 16) == 0) {
        report_progress("formulas", static_cast<std::int64_t>(i), graph.num_arcs());
      }
      const auto [u, v] = arcs[i];
      values[{u, v}] = weights.empty() ? 1 : weights[i];
      pairs.insert({u, v});
      pairs.insert({v, u});
    }
  }
  double operator()(NodeId u, NodeId v) const {
    const auto found = values.find({u, v});
    return found == values.end() ? 0 : found->second;
  }
  std::map<Index, double> values;
  std::set<Index> pairs;
};

/// D - H with D the row sums of |A_s| and H = A_s o factor(A_uv, A_vu).
template <class Factor>
BlockSparseMatrix hermitian_laplacian(const DirectedGraph& graph, Factor factor) {
  const Adjacency a(graph);
  Entries entries;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) entries[{u, u}] = 0;
  for (const auto& [u, v] : a.pairs) {
    const double symmetric = (a(u, v) + a(v, u)) / 2;  // A_s
    entries[{u, u}] += std::abs(symmetric);
    entries[{u, v}] = -symmetric * factor(a(u, v), a(v, u));
  }
  return to_matrix(graph.num_nodes(), graph.num_nodes(), entries);
}

/// Whole turns are removed first: 2 pi times a large number has no digits left for the fraction.
Complex exp_turns(double turns) {
  return std::exp(Complex(0, 2 * std::numbers::pi * (turns - std::round(turns))));
}

double sign(double x) { return static_cast<double>((x > 0) - (x < 0)); }

}  // namespace

BlockSparseMatrix graph_laplacian_formula(const DirectedGraph& graph) {
  Entries entries;
  for (NodeId u = 0; u < graph.num_nodes(); ++u) entries[{u, u}] = 0;
  for (const auto& [u, v] : Adjacency(graph).pairs) {
    entries[{u, u}] += 1;
    entries[{u, v}] = -1;
  }
  return to_matrix(graph.num_nodes(), graph.num_nodes(), entries);
}

BlockSparseMatrix magnetic_laplacian_formula(const DirectedGraph& graph, double charge) {
  return hermitian_laplacian(
      graph, [charge](double uv, double vu) { return exp_turns(charge * (uv - vu)); });
}

BlockSparseMatrix sign_magnetic_laplacian_formula(const DirectedGraph& graph) {
  return hermitian_laplacian(graph, [](double uv, double vu) {
    return Complex(1 - sign(std::abs(uv - vu)), sign(std::abs(uv) - std::abs(vu)));
  });
}

BlockSparseMatrix incidence_formula(const DirectedGraph& graph, double charge) {
  if (graph.num_edges() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(
        fmt::format("incidence matrix: {} edges, expected fewer than 2^31", graph.num_edges()));
  }
  const Adjacency a(graph);
  Entries entries;
  std::int32_t e = 0;
  for (const auto& [u, v] : a.pairs) {
    if (u > v) continue;
    const double uv = a(u, v);
    const double vu = a(v, u);
    if (uv != 0 && vu != 0) {
      entries[{u, e}] = 1;
      entries[{v, e}] = -1;
    } else {
      const auto [tail, head] = uv != 0 ? std::pair(u, v) : std::pair(v, u);
      entries[{tail, e}] = 1;
      entries[{head, e}] =
          -exp_turns(-charge);  // -T_(head,tail): A_(head,tail) - A_(tail,head) = -1
    }
    ++e;
  }
  return to_matrix(graph.num_nodes(), e, entries);
}

BlockSparseMatrix scalar_product(const BlockSparseMatrix& a, const BlockSparseMatrix& b) {
  Entries entries;
  for (std::int64_t i = 0; i < a.num_block_rows(); ++i) {
    if (i % (1 << 14) == 0) report_progress("formulas: B B*", i, a.num_block_rows());
    for (std::int64_t p = a.row_offsets[at(i)]; p < a.row_offsets[at(i) + 1]; ++p) {
      const std::int64_t k = a.cols[at(p)];
      for (std::int64_t q = b.row_offsets[at(k)]; q < b.row_offsets[at(k) + 1]; ++q) {
        entries[{static_cast<std::int32_t>(i), b.cols[at(q)]}] += a.values[at(p)] * b.values[at(q)];
      }
    }
  }
  return to_matrix(a.num_block_rows(), b.num_block_cols, entries);
}

}  // namespace dsnn
