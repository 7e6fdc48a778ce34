#include "kernels/cpu/general_maps.h"
#include "kernels/inverse_root.h"
#include "kernels/scratch.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/general_maps_backward.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After foreach_target: these are compiled once for each instruction set.
#include "kernels/cpu/dispatch.h"
#include "kernels/cpu/general_maps-inl.h"

HWY_BEFORE_NAMESPACE();
namespace dsnn::kernels::HWY_NAMESPACE {

// With f = w r F and W the gradient of G = f S: gS = sum_h f* W, then gD from gS and gN through the
// divided differences, and gf = W S + 2 f gD.
template <class T, int kDim, bool kIsComplex>
void backward_general(const SheafMaps<T>& sheaf, NodeRange nodes, const T* eigenvalues,
                      const T* eigenvectors, const T* grad_scaled, const T* grad_diagonal,
                      T* grad_maps, T* grad_weights) {
  using Block = Matrix<double, kDim, kIsComplex>;
  using Product = Matrix<T, kDim, kIsComplex>;
  const HalfEdges& graph = sheaf.graph;
  const Scales<T> scales{sheaf};
  const InverseRoot root(sheaf.normalisation);
  const std::int64_t d = kDim > 0 ? kDim : sheaf.dim;
  const std::int64_t k = kIsComplex ? 2 * d : d;
  const auto [full_dim, size, full, stride, planes, map_plane, scaled_plane, node_plane] =
      Layout(sheaf);
  Block s(d), grad_s(d), grad_n(d), grad_d(d);
  Product map(d), grad(d), product(d), root_s(d), twice_grad_d(d);
  Spectrum<kDim, kIsComplex> spectrum(k);
  for (std::int64_t u = nodes.begin; u < nodes.end; ++u) {
    const HalfEdgeId begin = graph.row_offsets[u];
    const HalfEdgeId end = graph.row_offsets[u + 1];
    grad_n.load(grad_diagonal + u * full, node_plane, full_dim);
    if (sheaf.is_learned()) {
      grad_s.clear();
      for (HalfEdgeId h = begin; h < end; ++h) {
        map.load(sheaf.maps + h * size, map_plane, d);
        grad.load(grad_scaled + h * full, scaled_plane, full_dim);
        product.clear();
        add_product<true>(map, grad, product);
        const double scale = scales.both(h);
        for (std::int64_t i = 0; i < d * d; ++i) {
          grad_s.real()[i] = fused(scale, static_cast<double>(product.real()[i]), grad_s.real()[i]);
          if (kIsComplex) {
            grad_s.imaginary()[i] =
                fused(scale, static_cast<double>(product.imaginary()[i]), grad_s.imaginary()[i]);
          }
        }
      }
      std::copy(eigenvalues + u * k, eigenvalues + (u + 1) * k, spectrum.l.begin());
      spectrum.v.load(eigenvectors + u * k * k, 0, k);
      spectrum.update();
      spectrum.apply([&](double l) { return root.s(l); }, s);
      spectrum.divided_differences(root, grad_s, grad_n, grad_d);
    } else {
      const double constant = fixed_root(sheaf, scales.degree(u));
      s.clear();
      for (std::int64_t i = 0; i < d; ++i) {
        s.real()[i * d + i] = constant;
        for (std::int64_t j = 0; j < d; ++j) {
          const double square = constant * constant / 2;
          grad_d.real()[i * d + j] = square * (grad_n.real()[i * d + j] + grad_n.real()[j * d + i]);
          if (kIsComplex) {
            grad_d.imaginary()[i * d + j] =
                square * (grad_n.imaginary()[i * d + j] - grad_n.imaginary()[j * d + i]);
          }
        }
      }
    }
    root_s.set_scaled(1, s);
    twice_grad_d.set_scaled(2, grad_d);
    for (HalfEdgeId h = begin; h < end; ++h) {
      const auto scale = static_cast<T>(scales.both(h));
      map.load(sheaf.maps + h * size, map_plane, d);
      grad.load(grad_scaled + h * full, scaled_plane, full_dim);
      product.clear();
      add_product<false>(map, twice_grad_d, product);
      product.scale(scale);
      add_product<false>(grad, root_s, product);
      product.store(grad_maps + h * size, map_plane, d, scale);
      if (grad_weights != nullptr) {
        T dot = 0;
        for (std::int64_t i = 0; i < d * d; ++i) {
          dot = fused(map.real()[i], product.real()[i], dot);
          if (kIsComplex) dot = fused(map.imaginary()[i], product.imaginary()[i], dot);
        }
        grad_weights[h] = static_cast<T>(scales.graph(h)) * dot;
      }
    }
  }
}

template <class T>
void backward_any(const SheafMaps<T>& sheaf, NodeRange nodes, const T* eigenvalues,
                  const T* eigenvectors, const T* grad_scaled, const T* grad_diagonal, T* grad_maps,
                  T* grad_weights) {
  with_dim(sheaf, [&]<int kDim, bool kIsComplex>() {
    backward_general<T, kDim, kIsComplex>(sheaf, nodes, eigenvalues, eigenvectors, grad_scaled,
                                          grad_diagonal, grad_maps, grad_weights);
  });
}

}  // namespace dsnn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace dsnn::kernels {

template <class T>
GeneralMapsBackward<T> general_maps_backward() {
  return DSNN_DISPATCH(backward_any<T>);
}

template GeneralMapsBackward<float> general_maps_backward();
template GeneralMapsBackward<double> general_maps_backward();

}  // namespace dsnn::kernels
#endif  // HWY_ONCE
