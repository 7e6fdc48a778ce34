#include "kernels/cpu/general_maps.h"

#include "kernels/inverse_root.h"
#include "kernels/scratch.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/general_maps.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/general_maps-inl.h"
#include "kernels/cpu/jacobi-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

template <class T, int kDim, bool kIsComplex>
void forward_general(const SheafMaps<T>& sheaf, NodeRange nodes, T* scaled, T* diagonal,
                     T* eigenvalues, T* eigenvectors) {
  using Block = Matrix<double, kDim, kIsComplex>;
  constexpr std::int64_t kLanes = max_lanes<double>();
  const HalfEdges& graph = sheaf.graph;
  const Scales<T> scales{sheaf};
  const InverseRoot root(sheaf.normalisation);
  const std::int64_t d = kDim > 0 ? kDim : sheaf.dim;
  const std::int64_t k = kIsComplex ? 2 * d : d;
  const auto [full_dim, size, full, stride, planes, map_plane, scaled_plane, node_plane] =
      Layout(sheaf);
  Block map(d), s(d), share(d), product(d);
  ScratchVector<Block> blocks(static_cast<std::size_t>(kLanes), Block(d));
  Spectrum<kDim, kIsComplex> spectrum(k);
  ScratchVector<double> a(static_cast<std::size_t>(k * k * kLanes)), v(a.size());
  for (std::int64_t first = nodes.begin; first < nodes.end; first += kLanes) {
    const std::int64_t count = std::min(kLanes, nodes.end - first);
    // [eq:diagonal-blocks] D_u = sum_h F_h* F_h
    std::fill(a.data(), a.data() + k * k * kLanes, 0.0);
    for (std::int64_t lane = 0; lane < count; ++lane) {
      Block& block = blocks[static_cast<std::size_t>(lane)];
      block.clear();
      const std::int64_t u = first + lane;
      for (HalfEdgeId h = graph.row_offsets[u]; h < graph.row_offsets[u + 1]; ++h) {
        map.load(sheaf.maps + h * size, map_plane, d);
        map.scale(scales.both(h));
        add_product<true>(map, map, block);
      }
      for (std::int64_t i = 0; i < d; ++i) {
        for (std::int64_t j = 0; j < d; ++j) {
          a[static_cast<std::size_t>((i * k + j) * kLanes + lane)] = block.real()[i * d + j];
          if (kIsComplex) {
            const double im = block.imaginary()[i * d + j];
            a[static_cast<std::size_t>(((i + d) * k + j + d) * kLanes + lane)] =
                block.real()[i * d + j];
            a[static_cast<std::size_t>(((i + d) * k + j) * kLanes + lane)] = im;
            a[static_cast<std::size_t>((i * k + j + d) * kLanes + lane)] = -im;
          }
        }
      }
    }
    if (sheaf.is_learned()) jacobi<kIsComplex ? 2 * kDim : kDim>(k, a.data(), v.data());
    for (std::int64_t lane = 0; lane < count; ++lane) {
      const std::int64_t u = first + lane;
      const double degree = scales.degree(u);
      if (sheaf.is_learned()) {
        double largest = 0;
        for (std::int64_t i = 0; i < k; ++i) {
          double& l = spectrum.l[static_cast<std::size_t>(i)];
          l = a[static_cast<std::size_t>((i * k + i) * kLanes + lane)];
          largest = std::max(largest, l);
        }
        const double zero =
            std::numeric_limits<double>::epsilon() * static_cast<double>(k) * largest;
        for (std::int64_t i = 0; i < k; ++i) {
          double& l = spectrum.l[static_cast<std::size_t>(i)];
          if (l <= zero) l = 0;
          eigenvalues[u * k + i] = static_cast<T>(l);
        }
        for (std::int64_t i = 0; i < k * k; ++i) {
          const double value = v[static_cast<std::size_t>(i * kLanes + lane)];
          spectrum.v.real()[i] = value;
          eigenvectors[u * k * k + i] = static_cast<T>(value);
        }
        spectrum.update();
        spectrum.apply([&](double l) { return root.s(l); }, s);
        spectrum.apply([&](double l) { return root.share(l); }, share);
      } else {
        const double constant = fixed_root(sheaf, degree);
        s.clear();
        for (std::int64_t i = 0; i < d; ++i) s.real()[i * d + i] = constant;
        share = blocks[static_cast<std::size_t>(lane)];
        share.scale(constant * constant);
      }
      if (full_dim != d) {
        for (std::int64_t plane = 0; plane < planes; ++plane) {
          T* node = diagonal + plane * node_plane + u * full;
          std::fill(node, node + full, T{0});
          T* row = scaled + plane * scaled_plane;
          std::fill(row + graph.row_offsets[u] * full, row + graph.row_offsets[u + 1] * full, T{0});
        }
      }
      share.store(diagonal + u * full, node_plane, full_dim, 1.0);
      // G_h = F_h S_u
      for (HalfEdgeId h = graph.row_offsets[u]; h < graph.row_offsets[u + 1]; ++h) {
        map.load(sheaf.maps + h * size, map_plane, d);
        product.clear();
        add_product<false>(map, s, product);
        product.store(scaled + h * full, scaled_plane, full_dim, scales.both(h));
      }
      add_fixed_dims(sheaf, u, degree, stride, scaled, diagonal);
    }
  }
}

template <class T>
void forward_any(const SheafMaps<T>& sheaf, NodeRange nodes, T* scaled, T* diagonal, T* eigenvalues,
                 T* eigenvectors) {
  with_dim(sheaf, [&]<int kDim, bool kIsComplex>() {
    forward_general<T, kDim, kIsComplex>(sheaf, nodes, scaled, diagonal, eigenvalues, eigenvectors);
  });
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

template <class T>
GeneralMaps<T> general_maps() {
  return DSNN_DISPATCH(forward_any<T>);
}

template GeneralMaps<float> general_maps();
template GeneralMaps<double> general_maps();

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
