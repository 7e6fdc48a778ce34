#include "engine/operator_cases.h"

#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/edges.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/engine/operators/sheaf.h"
#include "dsnn/engine/operators/sparse.h"
#include "dsnn/util/random.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

namespace dsnn::testing {
namespace {

using namespace engine;

class Cases {
 public:
  explicit Cases(std::int64_t num_nodes, int num_arcs)
      : random_(7), n_(num_nodes), graph_(make_graph(num_arcs)) {}

  std::vector<OperatorCase> make() {
    arithmetic();
    columns();
    dense();
    sparse();
    along_edges();
    sheaves();
    pairs();
    return std::move(cases_);
  }

  std::vector<OperatorCase> make_shapes() {
    for (const std::int64_t channels : {1, 2, 3, 7, 8, 9, 15, 16, 17, 20, 33, 40}) rows(channels);
    for (const std::int64_t dim : {1, 2, 3, 4, 5, 6, 9}) {
      maps(dim);
      for (const std::int64_t channels : {1, 3, 8, 9, 16, 20, 33}) stalks(dim, channels);
    }
    make_hermitian();
    for (const std::int64_t channels : {1, 7, 16, 33}) products(channels);
    return std::move(cases_);
  }

  std::vector<OperatorCase> make_gpu_shapes() {
    for (const std::int64_t channels : {31, 32, 63, 64, 65, 127, 129, 255, 257}) rows(channels);
    for (const auto& [dim, channels] : std::initializer_list<std::pair<std::int64_t, std::int64_t>>{
             {2, 31}, {2, 32}, {2, 64}, {3, 32}, {3, 64}, {4, 31}, {4, 32}, {4, 33}, {5, 32}}) {
      stalks(dim, channels);
      const std::int64_t half_edges = graph_.directed().num_half_edges();
      add(scaled_diffusion_operator(graph_),
          {{1, n_, dim, channels}, {half_edges, dim}, {n_, dim}, {-1}},
          fmt::format("dimension {}, {} channels, one plane", dim, channels));
    }
    for (const std::int64_t inputs : {31, 33, 64, 300, 1025}) {
      add(linear_operator(), {{n_, inputs}, {inputs, 33}, {33}}, fmt::format("{} inputs", inputs));
      add(linear_operator(), {{2, n_, inputs}, {2, inputs, 5}, {-1}},
          fmt::format("{} inputs in two planes", inputs));
    }
    make_hermitian();
    return std::move(cases_);
  }

 private:
  /// Operators on rows of channels.
  void rows(std::int64_t channels) {
    const std::string what = fmt::format("{} channels", channels);
    const SparseMatrix matrix = make_matrix(n_, n_);
    const std::int64_t entries = matrix.num_entries();
    for (const Function f : {Function::kElu, Function::kTanh, Function::kSoftplus}) {
      add(function_operator(f), {{n_, channels}}, what);
    }
    add(combine_operator(0.3, -2, 0.5), {{n_, channels}, {n_, channels}}, what);
    add(times_number_operator(1), {{n_, channels}, {2}}, what);
    add(softmax_operator(), {{channels}}, what);
    if (channels > 1) add(unit_rows_operator(), {{n_, channels}}, what);
    add(head_dot_operator(), {{n_, 2 * channels}, {2, channels}}, what);
    add(linear_operator(), {{n_, channels}, {channels, 7}, {7}}, what + " in");
    add(linear_operator(), {{n_, 7}, {7, channels}, {channels}}, what + " out");
    add(bias_activation_operator(StalkActivation::kElu, {0.5, 3}), {{n_, channels}, {channels}},
        what);
    add(spmm_operator(matrix), {{2, entries}, {2, n_, channels}}, what);
    add(edge_dot_operator(matrix, 2), {{n_, 2 * channels}, {n_, 2 * channels}}, what);
    add(edge_attention_operator(matrix, 0.2),
        {{n_, 2 * channels}, {n_, 2 * channels}, {2, channels}}, what);
    add(edge_softmax_operator(matrix), {{entries, channels}}, what);
    add(neighbour_max_operator(matrix), {{n_, channels}}, what);
  }

  /// Operators on restriction maps.
  void maps(std::int64_t dim) {
    const std::string what = fmt::format("dimension {}", dim);
    const std::int64_t half_edges = graph_.directed().num_half_edges();
    add(sheaf_maps_operator(graph_, MapActivation::kTanh), {{n_, dim}, {n_, dim}}, what);
    for (const OrthogonalMethod m : {OrthogonalMethod::kHouseholder, OrthogonalMethod::kCayley,
                                     OrthogonalMethod::kMatrixExp, OrthogonalMethod::kEuler}) {
      if (m == OrthogonalMethod::kEuler && dim > 3) continue;
      const std::int64_t p = num_orthogonal_params(m, dim);
      const std::string method = fmt::format("{} {}", static_cast<int>(m), what);
      add(orthogonal_operator(dim, m), {{half_edges, p}}, method);
      add(orthogonal_operator(dim, m), {{2, half_edges, p}}, method + " unitary");
    }
    for (const Normalisation norm : {Normalisation::kExact, Normalisation::kDegree}) {
      const auto scaled = [&](MapFamily family) {
        return scaled_maps_operator(graph_, {family, norm, {}});
      };
      const std::string of = fmt::format("{} normalisation {}", what, static_cast<int>(norm));
      add(scaled(MapFamily::kDiagonal), {{half_edges, dim}, {half_edges}}, of + " diagonal");
      add(scaled(MapFamily::kGeneral), {{half_edges, dim, dim}, {half_edges}}, of + " general");
      add(scaled(MapFamily::kGeneral), {{2, half_edges, dim, dim}, {half_edges}},
          of + " complex general");
      add(scaled(MapFamily::kOrthogonal), {{half_edges, dim, dim}, {half_edges}},
          of + " orthogonal");
    }
  }

  /// Operators on stalks of channels.
  void stalks(std::int64_t d, std::int64_t channels) {
    const std::string what = fmt::format("dimension {}, {} channels", d, channels);
    const std::int64_t half_edges = graph_.directed().num_half_edges();
    add(stalk_linear_operator({0.5, 3}), {{2, n_, d, channels}, {d, d}, {channels, channels}},
        what);
    add(stalk_update_operator(StalkActivation::kElu),
        {{2, n_, d, channels}, {2, n_, d, channels}, {d}}, what);
    const OperatorPtr diffusion = scaled_diffusion_operator(graph_);
    const Shape x = {2, n_, d, channels};
    add(diffusion, {x, {half_edges, d}, {n_, d}, {}}, what + " diagonal");
    add(diffusion, {x, {2, half_edges, d}, {n_, d}, {-1}}, what + " complex diagonal");
    add(diffusion, {x, {half_edges, d, d}, {n_, d, d}, {}}, what + " dense");
    add(diffusion, {x, {2, half_edges, d, d}, {2, n_, d, d}, {-1}}, what + " complex dense");
  }

  Graph make_graph(int num_arcs) {
    std::vector<Arc> arcs;
    std::vector<double> weights;
    for (int i = 0; i < num_arcs; ++i) {
      // The last node has no edges.
      arcs.push_back({static_cast<NodeId>(random_.below(static_cast<std::uint64_t>(n_ - 1))),
                      static_cast<NodeId>(random_.below(static_cast<std::uint64_t>(n_ - 1)))});
      weights.push_back((random_.below(2) == 0 ? -1 : 1) * random_.uniform(0.5, 2));
    }
    return Graph(DirectedGraph::from_arcs(static_cast<NodeId>(n_), arcs, weights));
  }

  SparseMatrix make_matrix(std::int64_t rows, std::int64_t cols) {
    std::vector<std::int64_t> offsets = {0};
    std::vector<std::int32_t> columns;
    std::vector<double> values;
    for (std::int64_t r = 0; r < rows; ++r) {
      for (int e = 0; e < static_cast<int>(random_.below(5)); ++e) {
        columns.push_back(
            static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(cols))));
        values.push_back(random_.uniform(-1, 1));
      }
      offsets.push_back(std::ssize(columns));
    }
    return SparseMatrix(offsets, columns, values, cols);
  }

  /// Adds a case; {-1} stands for an omitted argument.
  void add(OperatorPtr op, const std::vector<Shape>& shapes, const std::string& what = "",
           std::vector<int> not_free = {}) {
    OperatorCase made;
    made.name = op->name() + (what.empty() ? "" : " " + what);
    made.op = std::move(op);
    made.not_free = std::move(not_free);
    for (const Shape& shape : shapes) {
      const bool is_there = shape != Shape{-1};
      made.shapes.add(is_there ? std::optional(shape) : std::nullopt);
      std::vector<double>& numbers = made.numbers.emplace_back();
      for (std::int64_t i = 0; is_there && i < num_numbers(shape); ++i) {
        // Away from 0, where activations have kinks.
        const double size = random_.uniform(0.1, 1);
        numbers.push_back(random_.below(2) == 0 ? -size : size);
      }
    }
    cases_.push_back(std::move(made));
  }

  void arithmetic() {
    add(combine_operator(1, 1, 0), {{n_, 5}, {n_, 5}});
    add(combine_operator(0.3, -2, 0.5), {{n_, 5}, {n_, 5}}, "with factors");
    add(combine_operator(-1, 0, 1), {{n_, 5}, {-1}}, "of one");
    add(multiply_operator(), {{n_, 5}, {n_, 5}});
    add(times_number_operator(2), {{n_, 5}, {4}});
    for (const Function f : {Function::kRelu, Function::kLeakyRelu, Function::kElu, Function::kTanh,
                             Function::kSoftplus}) {
      add(function_operator(f), {{n_, 5}});
    }
    add(maximum_operator(), {{n_, 5}, {n_, 5}, {n_, 5}});
    add(softmax_operator(), {{4}});
  }

  void columns() {
    add(concat_operator(), {{n_, 2}, {n_, 3}, {n_, 1}});
    add(split_operator({2, 1, 3}), {{n_, 6}});
    add(complex_planes_operator(false), {{n_, 2, 3}});
    add(complex_planes_operator(true), {{n_, 2, 3}}, "copied");
    add(halves_operator(), {{n_, 6}});
    add(unit_rows_operator(), {{n_, 5}});
    add(sum_middle_operator(0.5), {{n_, 3, 2}});
    add(head_dot_operator(), {{n_, 6}, {3, 2}});
    add(complex_bias_relu_operator(), {{2, n_, 5}, {5}});
  }

  void dense() {
    const Dropout half = {0.5, 3};
    add(dropout_operator(half), {{n_, 5}});
    add(dropout_operator({0.3, 1, true}), {{2, n_, 5}}, "of merged planes");
    add(linear_operator(), {{n_, 4}, {4, 3}, {3}});
    add(linear_operator(), {{n_, 4}, {4, 3}, {-1}}, "without bias");
    add(linear_operator(), {{2, n_, 4}, {2, 4, 3}, {3}}, "of planes");
    for (const StalkActivation a :
         {StalkActivation::kIdentity, StalkActivation::kRelu, StalkActivation::kElu}) {
      const std::string what = fmt::format("activation {}", static_cast<int>(a));
      add(bias_activation_operator(a, {}), {{n_, 5}, {5}}, what);
      add(stalk_update_operator(a), {{2, n_, 3, 4}, {2, n_, 3, 4}, {3}}, what);
    }
    add(bias_activation_operator(StalkActivation::kElu, half), {{n_, 5}, {-1}}, "with dropout");
    add(stalk_update_operator(StalkActivation::kRelu), {{1, n_, 2, 3}, {1, n_, 2, 3}, {2}},
        "of one plane");
    add(stalk_linear_operator(half), {{2, n_, 3, 4}, {3, 3}, {4, 4}});
    add(stalk_linear_operator({}), {{2, n_, 3, 4}, {2, 3, 3}, {2, 4, 4}}, "of planes");
    add(stalk_linear_operator({}), {{1, n_, 3, 4}, {-1}, {4, 4}}, "without left");
    add(stalk_linear_operator({}), {{1, n_, 3, 4}, {3, 3}, {-1}}, "without right");
    std::vector<std::int64_t> labels, nodes;
    for (std::int64_t u = 0; u < n_; ++u) {
      labels.push_back(u % 3);
      if (u % 2 == 0) nodes.push_back(u);
    }
    add(cross_entropy_operator(labels, nodes), {{n_, 3}});
  }

  void sparse() {
    const SparseMatrix matrix = make_matrix(n_, n_ + 1);
    const std::int64_t entries = matrix.num_entries();
    add(spmm_operator(matrix), {{-1}, {n_ + 1, 3}});
    add(spmm_operator(matrix), {{-1}, {2, n_ + 1, 3}}, "of planes");
    add(spmm_operator(matrix), {{entries}, {n_ + 1, 3}}, "with values");
    add(spmm_operator(matrix), {{2, entries}, {2, n_ + 1, 3}}, "with complex values");
    add(sparse_linear_operator(matrix), {{n_ + 1, 4}});
    add(sparse_linear_operator(matrix, {0.4, 2}), {{n_ + 1, 4}}, "with dropout");
  }

  void along_edges() {
    const SparseMatrix matrix = make_matrix(n_, n_);
    const std::int64_t entries = matrix.num_entries();
    add(edge_sum_operator(matrix), {{n_, 2}, {n_, 2}});
    add(edge_dot_operator(matrix, 2), {{n_, 6}, {n_, 6}});
    add(edge_attention_operator(matrix, 0.2), {{n_, 6}, {n_, 6}, {2, 3}});
    add(edge_softmax_operator(matrix), {{entries, 2}});
    add(edge_spmm_operator(matrix), {{entries, 2}, {n_, 6}});
    add(neighbour_max_operator(matrix), {{n_, 4}});
  }

  /// Products of pairs and the loss of their scores.
  void pairs() {
    products(3);
    std::vector<std::int64_t> labels;
    for (std::int64_t i = 0; i < 5000; ++i) labels.push_back(i * i % 3 == 0 ? 1 : 0);
    add(binary_cross_entropy_operator(labels), {{std::ssize(labels), 1}});
    add(centre_columns_operator(), {{n_, 5}});
    add(centre_columns_operator(), {{n_, 5}, {5}}, "with a shift");
    add(centre_columns_operator(), {{2, n_, 5}, {2, 5}}, "of planes");
  }
  void products(std::int64_t channels) {
    add(edge_hermitian_operator(make_matrix(n_, n_ + 1)),
        {{2, n_, channels}, {2, n_ + 1, channels}}, fmt::format("{} channels", channels));
  }

  void sheaves() {
    const std::int64_t half_edges = graph_.directed().num_half_edges();
    for (const MapActivation a : {MapActivation::kIdentity, MapActivation::kTanh,
                                  MapActivation::kElu, MapActivation::kRelu}) {
      add(sheaf_maps_operator(graph_, a), {{n_, 3}, {n_, 3}},
          fmt::format("activation {}", static_cast<int>(a)));
    }
    add(edge_weights_operator(graph_), {{n_}, {n_}});
    for (const OrthogonalMethod m : {OrthogonalMethod::kHouseholder, OrthogonalMethod::kCayley,
                                     OrthogonalMethod::kMatrixExp, OrthogonalMethod::kEuler}) {
      const std::int64_t p = num_orthogonal_params(m, 3);
      add(orthogonal_operator(3, m), {{half_edges, p}}, fmt::format("{}", static_cast<int>(m)));
      add(orthogonal_operator(3, m), {{2, half_edges, p}},
          fmt::format("{} unitary", static_cast<int>(m)));
    }
    for (const Normalisation norm : {Normalisation::kNone, Normalisation::kExact,
                                     Normalisation::kAugmented, Normalisation::kDegree}) {
      const std::string what = fmt::format("normalisation {}", static_cast<int>(norm));
      const FixedDims fixed = {.low_pass = norm == Normalisation::kAugmented, .high_pass = false};
      const auto maps = [&](MapFamily family) {
        return scaled_maps_operator(graph_, {family, norm, fixed});
      };
      add(maps(MapFamily::kDiagonal), {{half_edges, 2}, {-1}}, "diagonal " + what);
      add(maps(MapFamily::kDiagonal), {{2, half_edges, 2}, {half_edges}},
          "complex diagonal " + what);
      add(maps(MapFamily::kGeneral), {{half_edges, 2, 2}, {half_edges}}, "general " + what);
      add(maps(MapFamily::kGeneral), {{2, half_edges, 2, 2}, {-1}}, "complex general " + what);
      add(maps(MapFamily::kOrthogonal), {{half_edges, 2, 2}, {half_edges}}, "orthogonal " + what,
          {0, 1});
    }
    const OperatorPtr diffusion = scaled_diffusion_operator(graph_);
    add(diffusion, {{1, n_, 2, 3}, {half_edges, 2}, {n_, 2}, {-1}}, "diagonal, real");
    add(diffusion, {{2, n_, 2, 3}, {half_edges, 2}, {n_, 2}, {}}, "diagonal, phase");
    add(diffusion, {{2, n_, 2, 3}, {half_edges, 2, 2}, {n_, 2, 2}, {}}, "dense, phase");
    add(diffusion, {{2, n_, 2, 3}, {2, half_edges, 2}, {n_, 2}, {-1}}, "complex diagonal");
    add(diffusion, {{2, n_, 2, 3}, {2, half_edges, 2, 2}, {2, n_, 2, 2}, {-1}}, "complex dense",
        {2});
    make_hermitian();
  }

  /// The diagonal blocks of a dense Laplacian are Hermitian, which the diffusion assumes.
  void make_hermitian() {
    for (OperatorCase& each : cases_) {
      if (each.op->name() != "scaled_diffusion" || each.shapes[2].size() < 3) continue;
      std::vector<double>& blocks = each.numbers[2];
      const auto d = static_cast<std::size_t>(each.shapes[2].back());
      const std::size_t size = static_cast<std::size_t>(n_) * d * d;  // of a plane
      for (std::size_t at = 0; at < size; at += d * d) {
        for (std::size_t i = 0; i < d; ++i) {
          for (std::size_t j = 0; j <= i; ++j) {
            blocks[at + i * d + j] = blocks[at + j * d + i];
            if (blocks.size() == size) continue;
            double& entry = blocks[size + at + i * d + j];
            entry = i == j ? 0 : -blocks[size + at + j * d + i];
          }
        }
      }
    }
  }

  Random random_;
  std::int64_t n_;
  Graph graph_;
  std::vector<OperatorCase> cases_;
};

}  // namespace

std::vector<OperatorCase> operator_cases(bool is_large) {
  return is_large ? Cases(700, 6000).make() : Cases(6, 9).make();
}

std::vector<OperatorCase> shape_cases() { return Cases(30, 100).make_shapes(); }
std::vector<OperatorCase> gpu_shape_cases() { return Cases(33, 400).make_gpu_shapes(); }

}  // namespace dsnn::testing
