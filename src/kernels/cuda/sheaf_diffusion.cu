// y_u = N_u x_u - sum_h T_h G_h* G_h' x_v [eq:diffusion], and its gradients
// [eq:diffusion-gradients], for any stalk dimension: one thread per entry of y.
#include "kernels/cuda/diffusion_rows.h"
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/reduce.h"
#include "kernels/sheaf_diffusion.h"

namespace dsnn::kernels::cuda {
namespace {

/// y, and, if charges is not null, the parts of the sum of s Im(conj(x) T_h B_h z_v) over the
/// half-edges of orientation s, for y = L z.
template <class T>
void gather(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* z, T* y, const T* x,
            double* charges) {
  const std::int64_t d = blocks.dim, f = blocks.channels, size = d * f;
  const std::int64_t plane = blocks.graph.num_nodes * size;
  const bool has_planes = blocks.planes == 2;
  for_cells(gpu, blocks.graph.num_nodes, size, [=] DSNN_GPU(std::int64_t u, std::int64_t e) {
    const std::int64_t i = e / f, c = e - i * f;
    const Phase<T> phase(blocks.charge);
    const std::int64_t first = blocks.is_diagonal() ? i : 0;
    const std::int64_t last = blocks.is_diagonal() ? i + 1 : d;
    // One row of a block times the rows of a node.
    const auto row_times = [&](std::int64_t node, const auto& entry) {
      Pair<T> sum;
      for (std::int64_t j = first; j < last; ++j) {
        const T* at = z + node * size + j * f + c;
        sum.add_product(entry(j), at[0], has_planes ? at[plane] : T{0});
      }
      return sum;
    };
    Pair<T> total = row_times(u, [&](std::int64_t j) { return blocks.diagonal_entry(u, i, j); });
    double charge = 0;
    HalfEdgeId h = blocks.graph.row_offsets[u];
    const HalfEdgeId end = blocks.graph.row_offsets[u + 1];
    while (h < end) {
      const HalfEdgeId stop = h + kRun < end ? h + kRun : end;
      Pair<T> run;
      for (; h < stop; ++h) {
        const HalfEdgeId back = blocks.graph.reverse(h);
        const int orientation = blocks.graph.orientations[h];
        const Pair<T> turned = phase.turn(
            orientation, row_times(blocks.graph.neighbours[h],
                                   [&](std::int64_t j) { return blocks.entry(h, back, i, j); }));
        run.re += turned.re;
        run.im += turned.im;
        if (charges != nullptr) {
          const T* own = x + u * size + e;
          charge += static_cast<double>(orientation) *
                    static_cast<double>(own[0] * turned.im - own[plane] * turned.re);
        }
      }
      total.re -= run.re;
      total.im -= run.im;
    }
    y[u * size + e] = total.re;
    if (has_planes) y[plane + u * size + e] = total.im;
    if (charges != nullptr) charges[u * size + e] = charge;
  });
}

/// Sums over channels of a_j conj(b_i), for the entries (j, i) of a block, by the lanes of a warp.
/// a is turned back by T.
template <class T>
DSNN_GPU_INLINE Pair<T> correlate(const GpuBlocks<T>& blocks, int lane, std::int64_t entry,
                                  const T* a, const T* b, const Phase<T>& phase, int orientation) {
  const std::int64_t f = blocks.channels, d = blocks.dim;
  const std::int64_t plane = blocks.graph.num_nodes * d * f;
  const std::int64_t j = blocks.is_diagonal() ? entry : entry / d;
  const std::int64_t i = blocks.is_diagonal() ? entry : entry % d;
  const bool has_planes = blocks.planes == 2;
  Pair<T> sum;
  for (std::int64_t c = lane; c < f; c += kWarp) {
    const T* left = a + j * f + c;
    const T* right = b + i * f + c;
    if (!has_planes) {
      sum.re += left[0] * right[0];
      continue;
    }
    const Pair<T> own = phase.turn_back(orientation, {left[0], left[plane]});
    sum.re += own.re * right[0] + own.im * right[plane];
    sum.im += own.im * right[0] - own.re * right[plane];
  }
  sum.re = warp_sum(sum.re);
  if (blocks.is_complex()) sum.im = warp_sum(sum.im);
  return sum;
}

template <class T>
void correlate_edges(const Gpu& gpu, const GpuBlocks<T>& given, const T* x, const T* grad,
                     T* halves) {
  const GpuBlocks<T> blocks = given;
  const std::int64_t size = blocks.map_size(), count = blocks.graph.count;
  const std::int64_t node_size = blocks.dim * blocks.channels;
  for_warps(gpu, count * size, [=] DSNN_GPU(std::int64_t cell, int lane) {
    const std::int64_t h = cell / size, entry = cell - h * size;
    const Phase<T> phase(blocks.charge);
    const Pair<T> sum = correlate(blocks, lane, entry, x + blocks.graph.nodes[h] * node_size,
                                  grad + blocks.graph.neighbours[h] * node_size, phase,
                                  blocks.graph.orientations[h]);
    if (lane > 0) return;
    halves[cell] = sum.re;
    if (blocks.is_complex()) halves[count * size + cell] = sum.im;
  });
}

template <class T>
void correlate_nodes(const Gpu& gpu, const GpuBlocks<T>& given, const T* x, const T* grad,
                     T* grad_diagonal) {
  const GpuBlocks<T> blocks = given;
  const std::int64_t size = blocks.map_size(), nodes = blocks.graph.num_nodes;
  const std::int64_t node_size = blocks.dim * blocks.channels;
  for_warps(gpu, nodes * size, [=] DSNN_GPU(std::int64_t cell, int lane) {
    const std::int64_t u = cell / size, entry = cell - u * size;
    const Pair<T> sum = correlate(blocks, lane, entry, grad + u * node_size, x + u * node_size,
                                  Phase<T>(nullptr), 0);
    if (lane > 0) return;
    grad_diagonal[cell] = sum.re;
    if (blocks.kind == BlockKind::kComplexDense) grad_diagonal[nodes * size + cell] = sum.im;
  });
}

/// The gradients of the maps from the halves C of the gradients of the blocks: with E = C_h +
/// C_h'*, that of G_h is -G_h' E*.
template <class T>
void join(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* halves, T* grad_maps) {
  const std::int64_t d = blocks.dim, size = blocks.map_size(), count = blocks.graph.count;
  const std::int64_t plane = count * size;
  const bool is_complex = blocks.is_complex();
  for_cells(gpu, count, size, [=] DSNN_GPU(std::int64_t h, std::int64_t e) {
    const HalfEdgeId back = blocks.graph.reverse(h);
    // Entry (k, j) of E*.
    const auto adjoint = [&](std::int64_t k, std::int64_t j) {
      const std::int64_t forth = h * size + (blocks.is_diagonal() ? k : j * d + k);
      const std::int64_t other = back * size + (blocks.is_diagonal() ? k : k * d + j);
      Pair<T> sum;
      sum.re = halves[forth] + halves[other];
      if (is_complex) sum.im = halves[plane + other] - halves[plane + forth];
      return sum;
    };
    Pair<T> total;
    if (blocks.is_diagonal()) {
      total = blocks.map(back, e);
      total = total.times(adjoint(e, e));
    } else {
      const std::int64_t i = divide(e, d), j = e - i * d;
      for (std::int64_t k = 0; k < d; ++k) {
        const Pair<T> product = blocks.map(back, i * d + k).times(adjoint(k, j));
        total.re += product.re;
        total.im += product.im;
      }
    }
    grad_maps[h * size + e] = -total.re;
    if (is_complex) grad_maps[plane + h * size + e] = -total.im;
  });
}

/// The same for real dense blocks of known dimension: a row in each thread.
template <int kDim, class T>
void join_known(const Gpu& gpu, const GpuBlocks<T>& given, const T* halves, T* grad_maps) {
  const GpuBlocks<T> blocks = given;
  for_cells(gpu, blocks.graph.count, kDim, [=] DSNN_GPU(std::int64_t h, std::int64_t i) {
    constexpr std::int64_t kSize = kDim * kDim;
    const HalfEdgeId back = blocks.graph.reverse(h);
    const T* forth = halves + h * kSize;
    const T* other = halves + back * kSize;
    T row[kDim];
    DSNN_UNROLL
    for (int k = 0; k < kDim; ++k) row[k] = blocks.maps[back * kSize + i * kDim + k];
    DSNN_UNROLL
    for (int j = 0; j < kDim; ++j) {
      T sum = 0;
      DSNN_UNROLL
      for (int k = 0; k < kDim; ++k) sum += row[k] * (forth[j * kDim + k] + other[k * kDim + j]);
      grad_maps[h * kSize + i * kDim + j] = -sum;
    }
  });
}

template <class T>
void join_any(const Gpu& gpu, const GpuBlocks<T>& blocks, const T* halves, T* grad_maps) {
  const std::int64_t dim = blocks.kind == BlockKind::kDense ? blocks.dim : 0;
  switch (dim) {
    case 2:
      return join_known<2>(gpu, blocks, halves, grad_maps);
    case 3:
      return join_known<3>(gpu, blocks, halves, grad_maps);
    case 4:
      return join_known<4>(gpu, blocks, halves, grad_maps);
    case 5:
      return join_known<5>(gpu, blocks, halves, grad_maps);
    default:
      return join(gpu, blocks, halves, grad_maps);
  }
}

}  // namespace

template <class T>
void sheaf_diffusion(const Gpu& gpu, const Diffusion<T>& operation, const T* x, T* y) {
  const GpuBlocks<T> blocks(gpu, operation);
  if (gather_quad_rows<T>(gpu, blocks, x, y, nullptr, nullptr)) return;
  if (gather_rows<T>(gpu, blocks, x, y, nullptr, nullptr)) return;
  gather<T>(gpu, blocks, x, y, nullptr, nullptr);
}

// L_N is self-adjoint, so grad_x is the gather on grad.
template <class T>
void sheaf_diffusion_backward(const Gpu& gpu, const Diffusion<T>& operation, const T* x,
                              const T* grad, T* grad_x, T* grad_maps, T* grad_diagonal,
                              T* grad_charge) {
  const GpuBlocks<T> blocks(gpu, operation);
  const auto of_x = [&] {
    const std::int64_t nodes = blocks.graph.num_nodes, node_size = blocks.dim * blocks.channels;
    double* charges = nullptr;
    if (grad_charge != nullptr) {
      const auto bytes = static_cast<std::size_t>(nodes * node_size) * sizeof(double);
      charges = static_cast<double*>(gpu.scratch(bytes));
    }
    std::int64_t terms = nodes;  // of the charge's gradient
    if (!gather_quad_rows(gpu, blocks, grad, grad_x, x, charges) &&
        !gather_rows(gpu, blocks, grad, grad_x, x, charges)) {
      gather(gpu, blocks, grad, grad_x, x, charges);
      terms = nodes * node_size;
    }
    if (grad_charge == nullptr) return;
    constexpr double kTwoPi = 6.283185307179586;
    sum_all(
        gpu, terms, [=] DSNN_GPU(std::int64_t i) { return charges[i]; }, grad_charge, kTwoPi);
  };
  const auto of_maps = [&] {
    const std::int64_t size =
        (blocks.is_complex() ? 2 : 1) * blocks.graph.count * blocks.map_size();
    T* halves = static_cast<T*>(gpu.scratch(static_cast<std::size_t>(size) * sizeof(T)));
    if (!correlate_quad_rows(gpu, blocks, x, grad, halves, grad_diagonal) &&
        !correlate_rows(gpu, blocks, x, grad, halves, grad_diagonal)) {
      in_parallel(
          gpu, [&] { correlate_edges(gpu, blocks, x, grad, halves); },
          [&] { correlate_nodes(gpu, blocks, x, grad, grad_diagonal); });
    }
    join_any(gpu, blocks, halves, grad_maps);
  };
  in_parallel(gpu, of_maps, of_x);
}

#define DSNN_INSTANTIATE(T)                                                                       \
  template void sheaf_diffusion(const Gpu&, const Diffusion<T>&, const T*, T*);                   \
  template void sheaf_diffusion_backward(const Gpu&, const Diffusion<T>&, const T*, const T*, T*, \
                                         T*, T*, T*);
DSNN_INSTANTIATE(float)
DSNN_INSTANTIATE(double)
#undef DSNN_INSTANTIATE

}  // namespace dsnn::kernels::cuda
