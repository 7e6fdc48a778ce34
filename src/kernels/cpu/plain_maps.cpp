#include "kernels/plain_maps.h"

#include "kernels/cpu/known_dim.h"
#include "kernels/inverse_root.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/plain_maps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {
namespace {

// The stalk dimension is known to the compiler, so that a node's sums stay in registers.

template <int kDim>
void forward(const SheafMaps<float>& sheaf, NodeRange nodes, float* HWY_RESTRICT scaled,
             float* diagonal, float* eigenvalues) {
  const HalfEdges& graph = sheaf.graph;
  const InverseRoot root(sheaf.normalisation);
  const float* HWY_RESTRICT maps = sheaf.maps;
  for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
    const std::int64_t begin = graph.row_offsets[u] * kDim, end = graph.row_offsets[u + 1] * kDim;
    // D
    double sum[kDim] = {};
    for (std::int64_t at = begin; at < end; at += kDim) {
      for (int i = 0; i < kDim; ++i) {
        const auto value = static_cast<double>(maps[at + i]);
        sum[i] = fused(value, value, sum[i]);
      }
    }
    // S and N
    float s[kDim];
    for (int i = 0; i < kDim; ++i) {
      s[i] = static_cast<float>(root.s(sum[i]));
      diagonal[u * kDim + i] = static_cast<float>(root.share(sum[i]));
      eigenvalues[u * kDim + i] = static_cast<float>(sum[i]);
    }
    // G
    for (std::int64_t at = begin; at < end; at += kDim) {
      for (int i = 0; i < kDim; ++i) scaled[at + i] = s[i] * maps[at + i];
    }
  }
}

template <int kDim>
void backward(const SheafMaps<float>& sheaf, NodeRange nodes, const float* eigenvalues,
              const float* HWY_RESTRICT grad_scaled, const float* grad_diagonal,
              float* HWY_RESTRICT grad_maps) {
  const HalfEdges& graph = sheaf.graph;
  const InverseRoot root(sheaf.normalisation);
  const float* HWY_RESTRICT maps = sheaf.maps;
  for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
    const std::int64_t begin = graph.row_offsets[u] * kDim, end = graph.row_offsets[u + 1] * kDim;
    double grad_s[kDim] = {};
    for (std::int64_t at = begin; at < end; at += kDim) {
      for (int i = 0; i < kDim; ++i) {
        grad_s[i] += static_cast<double>(maps[at + i] * grad_scaled[at + i]);
      }
    }
    // [eq:scaled-map-gradients] gD = s'(D) gs + share'(D) gN, gF = s gG + 2 F gD
    float s[kDim], twice_grad_d[kDim];
    for (int i = 0; i < kDim; ++i) {
      const auto l = static_cast<double>(eigenvalues[u * kDim + i]);
      const auto grad_n = static_cast<double>(grad_diagonal[u * kDim + i]);
      double grad_d = root.share_difference(l, l) * grad_n;
      grad_d += root.s_difference(l, l) * grad_s[i];
      s[i] = static_cast<float>(root.s(l));
      twice_grad_d[i] = static_cast<float>(2 * grad_d);
    }
    for (std::int64_t at = begin; at < end; at += kDim) {
      for (int i = 0; i < kDim; ++i) {
        grad_maps[at + i] = fused(s[i], grad_scaled[at + i], twice_grad_d[i] * maps[at + i]);
      }
    }
  }
}

/// run.operator()<kDim>() with the stalk dimension.
template <class Run>
void with_dim(std::int64_t dim, const Run& run) {
  with_known_dim<kMostPlainDim>(dim, [&]<int kDim>() {
    if constexpr (kDim > 0) run.template operator()<kDim>();
  });
}

void forward_any(const SheafMaps<float>& sheaf, NodeRange nodes, float* scaled, float* diagonal,
                 float* eigenvalues) {
  with_dim(sheaf.dim,
           [&]<int kDim>() { forward<kDim>(sheaf, nodes, scaled, diagonal, eigenvalues); });
}

void backward_any(const SheafMaps<float>& sheaf, NodeRange nodes, const float* eigenvalues,
                  const float* grad_scaled, const float* grad_diagonal, float* grad_maps) {
  with_dim(sheaf.dim, [&]<int kDim>() {
    backward<kDim>(sheaf, nodes, eigenvalues, grad_scaled, grad_diagonal, grad_maps);
  });
}

}  // namespace
}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

void scale_plain_maps(const Executor& executor, const SheafMaps<float>& sheaf, float* scaled,
                      float* diagonal, float* eigenvalues) {
  const auto kernel = DSNN_DISPATCH(forward_any);
  for_node_blocks(executor, sheaf.graph,
                  [&](NodeRange nodes) { kernel(sheaf, nodes, scaled, diagonal, eigenvalues); });
}

void scale_plain_maps_backward(const Executor& executor, const SheafMaps<float>& sheaf,
                               const float* eigenvalues, const float* grad_scaled,
                               const float* grad_diagonal, float* grad_maps) {
  const auto kernel = DSNN_DISPATCH(backward_any);
  for_node_blocks(executor, sheaf.graph, [&](NodeRange nodes) {
    kernel(sheaf, nodes, eigenvalues, grad_scaled, grad_diagonal, grad_maps);
  });
}

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
