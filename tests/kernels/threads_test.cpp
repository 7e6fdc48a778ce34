// Every kernel gives the same bits for any number of threads, on graphs of several blocks and of
// none. Correctness is tested elsewhere.
#include "kernels/edges.h"
#include "kernels/kernel_case.h"
#include "kernels/orthogonal.h"
#include "kernels/scaled_maps.h"
#include "kernels/sheaf_diffusion.h"
#include "kernels/sheaf_maps.h"
#include "kernels/sparse.h"
#include "kernels/stalk_update.h"

#include <fmt/format.h>

namespace dsnn::kernels {
namespace {

using testing::expect_same_bits;
using testing::kernel_graphs;
using testing::random_values;
using testing::unwritten;

template <class T>
using Arrays = std::vector<std::vector<T>>;

template <class T>
class KernelThreads : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KernelThreads, Numbers);

TYPED_TEST(KernelThreads, SheafMaps) {
  using T = TypeParam;
  for (const auto& [name, graph] : kernel_graphs()) {
    const HalfEdges edges(graph);
    for (const std::int64_t k : {1, 4, 9, 16, 37}) {
      for (const auto activation : {MapActivation::kIdentity, MapActivation::kTanh,
                                    MapActivation::kElu, MapActivation::kRelu}) {
        SCOPED_TRACE(fmt::format("{}, k = {}, {}", name, k, static_cast<int>(activation)));
        const auto left = random_values<T>(edges.num_nodes * k, 1);
        const auto right = random_values<T>(edges.num_nodes * k, 2);
        const auto grad = random_values<T>(edges.count() * k, 3);
        expect_same_bits([&](const Executor& executor) {
          Arrays<T> out = {unwritten<T>(edges.count() * k), unwritten<T>(edges.num_nodes * k),
                           unwritten<T>(edges.num_nodes * k)};
          sheaf_maps(executor, edges, activation, k, left.data(), right.data(), out[0].data());
          sheaf_maps_backward(executor, edges, activation, k, out[0].data(), grad.data(),
                              out[1].data(), out[2].data());
          return out;
        });
      }
    }
  }
}

TYPED_TEST(KernelThreads, EdgeWeights) {
  using T = TypeParam;
  for (const auto& [name, graph] : kernel_graphs()) {
    SCOPED_TRACE(name);
    const HalfEdges edges(graph);
    const auto left = random_values<T>(edges.num_nodes, 1);
    const auto right = random_values<T>(edges.num_nodes, 2);
    const auto grad = random_values<T>(edges.count(), 3);
    expect_same_bits([&](const Executor& executor) {
      Arrays<T> out = {unwritten<T>(edges.count()), unwritten<T>(edges.num_nodes),
                       unwritten<T>(edges.num_nodes)};
      edge_weights(executor, edges, left.data(), right.data(), out[0].data());
      edge_weights_backward(executor, edges, left.data(), right.data(), grad.data(), out[1].data(),
                            out[2].data());
      return out;
    });
  }
}

/// scale_maps and its gradient, with weights and without.
template <class T>
void check_scale_maps(const DirectedGraph& graph, MapFamily family, bool is_complex,
                      Normalisation normalisation, FixedDims fixed, std::int64_t dim,
                      bool has_weights) {
  SheafMaps<T> sheaf;
  sheaf.graph = HalfEdges(graph);
  sheaf.family = family;
  sheaf.is_complex = is_complex;
  sheaf.normalisation = normalisation;
  sheaf.fixed = fixed;
  sheaf.dim = dim;
  const std::int64_t n = sheaf.graph.num_nodes;
  const std::int64_t count = sheaf.graph.count();
  const std::int64_t planes = is_complex ? 2 : 1;
  const std::int64_t diagonal_planes = sheaf.is_diagonal() ? 1 : planes;
  const auto maps = random_values<T>(planes * count * sheaf.map_size(), 1);
  const auto weights = random_values<T>(count, 2);
  const auto scales = random_values<double>(count, 3);
  sheaf.maps = maps.data();
  if (has_weights) {
    sheaf.weights = weights.data();
    sheaf.graph_scales = scales.data();
  }
  const std::int64_t scaled_size = planes * count * sheaf.full_map_size();
  const std::int64_t diagonal_size = diagonal_planes * n * sheaf.full_map_size();
  const std::int64_t k = sheaf.num_eigenvalues();
  const auto grad_scaled = random_values<T>(scaled_size, 4);
  const auto grad_diagonal = random_values<T>(diagonal_size, 5);
  expect_same_bits([&](const Executor& executor) {
    Arrays<T> out = {unwritten<T>(scaled_size),
                     unwritten<T>(diagonal_size),
                     unwritten<T>(n * k),
                     unwritten<T>(sheaf.has_eigenvectors() ? n * k * k : 0),
                     unwritten<T>(planes * count * sheaf.map_size()),
                     unwritten<T>(has_weights ? count : 0)};
    scale_maps(executor, sheaf, out[0].data(), out[1].data(), out[2].data(), out[3].data());
    scale_maps_backward(executor, sheaf, out[2].data(), out[3].data(), grad_scaled.data(),
                        grad_diagonal.data(), out[4].data(), has_weights ? out[5].data() : nullptr);
    return out;
  });
}

TYPED_TEST(KernelThreads, ScaleMaps) {
  for (const auto& [name, graph] : kernel_graphs()) {
    for (const auto family : {MapFamily::kDiagonal, MapFamily::kOrthogonal, MapFamily::kGeneral}) {
      for (const bool is_complex : {false, true}) {
        for (const auto normalisation : {Normalisation::kNone, Normalisation::kExact,
                                         Normalisation::kAugmented, Normalisation::kDegree}) {
          for (const std::int64_t dim : {1, 2, 3, 5}) {
            const bool odd = dim % 2 == 1;
            SCOPED_TRACE(fmt::format("{}, family {}, complex {}, normalisation {}, d = {}", name,
                                     static_cast<int>(family), is_complex,
                                     static_cast<int>(normalisation), dim));
            check_scale_maps<TypeParam>(graph, family, is_complex, normalisation,
                                        {.low_pass = odd, .high_pass = dim > 2}, dim, odd);
          }
        }
      }
    }
  }
}

template <class T>
void check_diffusion(const DirectedGraph& graph, BlockKind kind, std::int64_t planes, double charge,
                     std::int64_t dim, std::int64_t channels) {
  const bool is_dense = kind == BlockKind::kDense || kind == BlockKind::kComplexDense;
  const bool is_complex = kind == BlockKind::kComplexDiagonal || kind == BlockKind::kComplexDense;
  const std::int64_t size = is_dense ? dim * dim : dim;
  Diffusion<T> op;
  op.graph = HalfEdges(graph);
  op.kind = kind;
  op.dim = dim;
  op.planes = planes;
  op.channels = channels;
  op.charge = charge;
  const std::int64_t n = op.graph.num_nodes;
  const std::int64_t maps_size = (is_complex ? 2 : 1) * op.graph.count() * size;
  const std::int64_t diagonal_size = (is_complex && is_dense ? 2 : 1) * n * size;
  const std::int64_t x_size = planes * n * dim * channels;
  const auto maps = random_values<T>(maps_size, 1);
  const auto diagonal = random_values<T>(diagonal_size, 2);
  const auto x = random_values<T>(x_size, 3);
  const auto grad = random_values<T>(x_size, 4);
  op.maps = maps.data();
  op.diagonal = diagonal.data();
  expect_same_bits([&](const Executor& executor) {
    Arrays<T> out = {unwritten<T>(x_size), unwritten<T>(x_size), unwritten<T>(maps_size),
                     unwritten<T>(diagonal_size), unwritten<T>(1)};
    sheaf_diffusion(executor, op, x.data(), out[0].data());
    sheaf_diffusion_backward(executor, op, x.data(), grad.data(), out[1].data(), out[2].data(),
                             out[3].data(), out[4].data());
    return out;
  });
}

struct Field {
  const char* name;
  BlockKind diagonal;
  BlockKind dense;
  std::int64_t planes;
  double charge;
};

const std::vector<Field> kFields = {
    {"real", BlockKind::kDiagonal, BlockKind::kDense, 1, 0},
    {"real on complex features", BlockKind::kDiagonal, BlockKind::kDense, 2, 0},
    {"phase", BlockKind::kDiagonal, BlockKind::kDense, 2, 0.2},
    {"complex", BlockKind::kComplexDiagonal, BlockKind::kComplexDense, 2, 0},
};

TYPED_TEST(KernelThreads, SheafDiffusion) {
  for (const auto& [name, graph] : kernel_graphs()) {
    for (const Field& field : kFields) {
      for (const BlockKind kind : {field.diagonal, field.dense}) {
        for (const std::int64_t dim : {1, 2, 3, 4, 5, 9}) {
          for (const std::int64_t channels : {1, 7, 16}) {
            SCOPED_TRACE(fmt::format("{}, {}, kind {}, d = {}, {} channels", name, field.name,
                                     static_cast<int>(kind), dim, channels));
            check_diffusion<TypeParam>(graph, kind, field.planes, field.charge, dim, channels);
          }
        }
      }
    }
  }
}

TYPED_TEST(KernelThreads, Orthogonal) {
  using T = TypeParam;
  for (const auto method : {OrthogonalMethod::kHouseholder, OrthogonalMethod::kCayley,
                            OrthogonalMethod::kMatrixExp, OrthogonalMethod::kEuler}) {
    for (const bool is_complex : {false, true}) {
      for (const int dim : {1, 2, 3, 4, 6}) {
        if (method == OrthogonalMethod::kEuler && dim > 3) continue;
        for (const std::int64_t count : {0, 1, 7, 700}) {
          SCOPED_TRACE(fmt::format("method {}, complex {}, d = {}, {} matrices",
                                   static_cast<int>(method), is_complex, dim, count));
          const OrthogonalBatch batch = {method, is_complex, dim, count};
          const std::int64_t planes = is_complex ? 2 : 1;
          const std::int64_t num_params = planes * count * num_orthogonal_params(method, dim);
          const std::int64_t size = planes * count * dim * dim;
          const auto params = random_values<T>(num_params, 1);
          const auto grad = random_values<T>(size, 2);
          expect_same_bits([&](const Executor& executor) {
            Arrays<T> out = {unwritten<T>(size), unwritten<T>(num_params)};
            orthogonal(executor, batch, params.data(), out[0].data());
            orthogonal_backward(executor, batch, params.data(), grad.data(), out[1].data());
            return out;
          });
        }
      }
    }
  }
}

TYPED_TEST(KernelThreads, StalkUpdate) {
  using T = TypeParam;
  for (const auto activation :
       {StalkActivation::kIdentity, StalkActivation::kRelu, StalkActivation::kElu}) {
    for (const std::int64_t planes : {1, 2}) {
      for (const std::int64_t nodes : {0, 1, 9, 3001}) {
        for (const std::int64_t dim : {1, 3, 4}) {
          for (const std::int64_t channels : {1, 5, 16}) {
            SCOPED_TRACE(fmt::format("activation {}, [{}, {}, {}, {}]",
                                     static_cast<int>(activation), planes, nodes, dim, channels));
            const StalkShape shape = {planes, nodes, dim, channels};
            const std::int64_t size = planes * shape.plane_size();
            const auto x = random_values<T>(size, 1);
            const auto y = random_values<T>(size, 2);
            const auto eps = random_values<T>(dim, 3);
            const auto grad = random_values<T>(size, 4);
            expect_same_bits([&](const Executor& executor) {
              Arrays<T> out = {unwritten<T>(size), unwritten<T>(size), unwritten<T>(size),
                               unwritten<T>(dim)};
              stalk_update(executor, shape, activation, x.data(), y.data(), eps.data(),
                           out[0].data());
              stalk_update_backward(executor, shape, activation, x.data(), y.data(), eps.data(),
                                    grad.data(), out[1].data(), out[2].data(), out[3].data());
              return out;
            });
          }
        }
      }
    }
  }
}

/// The positions of the values of the transpose's rows.
std::vector<std::int64_t> reverses(const DirectedGraph& graph) {
  std::vector<std::int64_t> list(at(graph.num_half_edges()));
  for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) list[at(h)] = graph.reverse(h);
  return list;
}

/// The half-edges as entries, with the given positions of their values.
SparseRows rows_of(const DirectedGraph& graph, const std::int64_t* positions) {
  return {graph.num_nodes(), graph.row_offsets().data(), graph.neighbours().data(), positions};
}

TYPED_TEST(KernelThreads, Spmm) {
  using T = TypeParam;
  for (const auto& [name, graph] : kernel_graphs()) {
    const std::int64_t n = graph.num_nodes();
    const std::int64_t count = graph.num_half_edges();
    const std::vector<std::int64_t> positions = reverses(graph);
    const SparseRows rows = rows_of(graph, nullptr);
    const SparseRows transpose = rows_of(graph, positions.data());
    const auto real = random_values<T>(count, 1);
    const auto imag = random_values<T>(count, 2);
    const auto fixed = random_values<double>(count, 3);
    for (const std::int64_t channels : {1, 6, 16, 35}) {
      for (const std::int64_t planes : {1, 2}) {
        SCOPED_TRACE(fmt::format("{}, {} channels, {} planes", name, channels, planes));
        const SparseShape shape = {planes, n, channels};
        const std::int64_t size = planes * n * channels;
        const auto x = random_values<T>(size, 4);
        const auto grad = random_values<T>(size, 5);
        SparseValues<T> learned;
        learned.real = real.data();
        learned.imag = planes == 2 ? imag.data() : nullptr;
        SparseValues<T> conjugate = learned;
        conjugate.conjugate = planes == 2;
        SparseValues<T> given;
        given.fixed = fixed.data();
        given.dropout = {0.3, 17};
        expect_same_bits([&](const Executor& executor) {
          Arrays<T> out(4, unwritten<T>(size));
          spmm(executor, rows, learned, shape, x.data(), out[0].data());
          spmm(executor, transpose, conjugate, shape, x.data(), out[1].data());
          spmm(executor, rows, given, shape, x.data(), out[2].data());
          spmm(executor, rows, SparseValues<T>(), shape, x.data(), out[3].data());
          out.push_back(unwritten<T>(count));
          out.push_back(unwritten<T>(planes == 2 ? count : 0));
          spmm_values_backward(executor, rows, shape, x.data(), grad.data(), out[4].data(),
                               planes == 2 ? out[5].data() : nullptr);
          return out;
        });
      }
    }
  }
}

TYPED_TEST(KernelThreads, Edges) {
  using T = TypeParam;
  for (const auto& [name, graph] : kernel_graphs()) {
    const std::int64_t n = graph.num_nodes();
    const std::int64_t count = graph.num_half_edges();
    const std::vector<std::int64_t> positions = reverses(graph);
    const SparseRows rows = rows_of(graph, nullptr);
    const SparseRows transpose = rows_of(graph, positions.data());
    for (const std::int64_t heads : {1, 3, 8}) {
      for (const std::int64_t channels : {1, 6, 35}) {
        SCOPED_TRACE(fmt::format("{}, {} heads, {} channels", name, heads, channels));
        const SparseShape shape = {1, n, channels, heads};
        const SparseShape wide = {1, n, shape.row_size()};
        const std::int64_t size = n * shape.row_size();
        const auto left = random_values<T>(size, 1);
        const auto right = random_values<T>(size, 2);
        const auto weight = random_values<T>(shape.row_size(), 3);
        const auto grad = random_values<T>(count * heads, 4);
        const auto slope = static_cast<T>(0.2);
        expect_same_bits([&](const Executor& executor) {
          Arrays<T> out;
          const auto room = [&](std::int64_t numbers) {
            return out.emplace_back(unwritten<T>(numbers)).data();
          };
          T* const sums = room(count * shape.row_size());
          edge_sum(executor, rows, shape.row_size(), left.data(), right.data(), sums);
          edge_sum_backward(executor, transpose, shape.row_size(), sums, room(size));
          T* const scores = room(count * heads);
          edge_attention(executor, rows, shape, slope, left.data(), right.data(), weight.data(),
                         scores);
          T* const grad_left = room(size);
          edge_attention_backward(executor, rows, shape, slope, left.data(), right.data(),
                                  weight.data(), grad.data(), grad_left, room(shape.row_size()));
          edge_attention_backward<T>(executor, transpose, shape, slope, right.data(), left.data(),
                                     weight.data(), grad.data(), room(size), nullptr);
          T* const softmax = room(count * heads);
          edge_softmax(executor, rows, heads, scores, softmax);
          edge_softmax_backward(executor, rows, heads, softmax, grad.data(), room(count * heads));
          SparseValues<T> values;
          values.real = softmax;
          spmm(executor, rows, values, shape, right.data(), room(size));
          spmm(executor, transpose, values, shape, left.data(), room(size));
          spmm_values_backward<T>(executor, rows, shape, right.data(), left.data(),
                                  room(count * heads), nullptr);
          neighbour_max(executor, rows, wide, right.data(), room(size));
          neighbour_max_backward(executor, rows, transpose, wide, right.data(), left.data(),
                                 room(size));
          return out;
        });
      }
    }
  }
}

}  // namespace
}  // namespace dsnn::kernels
