#include "dsnn/sheaf/sheaf.h"
#include "dsnn/util/random.h"

#include "util/index.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace dsnn {
namespace {

/// Replaces A = QR [d, d] by Q, with Householder reflections: H_k = I - t v v*, with v_k = 1 and
/// zeros before it, maps the rest of column k to a multiple of e_k.
void take_orthogonal_factor(Complex* a, std::int64_t d) {
  std::vector<Complex> q(at(d * d), Complex(0)), factors, v(at(d * d), Complex(0));
  for (std::int64_t k = 0; k < d; ++k) {
    const Complex head = a[k * d + k];
    double tail = 0;
    for (std::int64_t i = k + 1; i < d; ++i) tail += std::norm(a[i * d + k]);
    const double length = std::sqrt(std::norm(head) + tail);
    const double image = head.real() >= 0 ? -length : length;
    const bool is_done = tail == 0 && head.imag() == 0;
    factors.push_back(is_done ? Complex(0) : std::conj((image - head) / image));
    v[at(k * d + k)] = 1;
    for (std::int64_t i = k + 1; i < d; ++i) {
      v[at(k * d + i)] = is_done ? Complex(0) : a[i * d + k] / (head - image);
    }
    for (std::int64_t j = k + 1; j < d; ++j) {
      Complex product = 0;
      for (std::int64_t i = k; i < d; ++i) product += std::conj(v[at(k * d + i)]) * a[i * d + j];
      for (std::int64_t i = k; i < d; ++i)
        a[i * d + j] -= factors.back() * product * v[at(k * d + i)];
    }
  }
  // Q = H_0* ... H_{d-1}*
  for (std::int64_t i = 0; i < d; ++i) q[at(i * d + i)] = 1;
  for (std::int64_t k = d - 1; k >= 0; --k) {
    for (std::int64_t j = k; j < d; ++j) {
      Complex product = 0;
      for (std::int64_t i = k; i < d; ++i)
        product += std::conj(v[at(k * d + i)]) * q[at(i * d + j)];
      product *= std::conj(factors[at(k)]);
      for (std::int64_t i = k; i < d; ++i) q[at(i * d + j)] -= product * v[at(k * d + i)];
    }
  }
  std::copy(q.begin(), q.end(), a);
}

}  // namespace

Sheaf random_sheaf(const DirectedGraph& graph, const SheafOptions& options, std::uint64_t seed) {
  Random random(seed);
  const int d = options.stalk_dim;
  const int map_size = options.family == MapFamily::kDiagonal ? d : d * d;
  std::vector<Complex> maps(static_cast<std::size_t>(graph.num_half_edges() * map_size));
  for (Complex& entry : maps) {
    entry = random.uniform(-1, 1);
    if (options.field == MapField::kComplex) entry.imag(random.uniform(-1, 1));
  }
  if (options.family == MapFamily::kOrthogonal) {
    for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) {
      Complex* map = maps.data() + h * map_size;
      take_orthogonal_factor(map, d);
      if (random.uniform() < 0.5) {  // both reflections and rotations
        for (int i = 0; i < d; ++i) map[i * d] *= -1;
      }
    }
  }
  return Sheaf::from_maps(graph, options, maps);
}

}  // namespace dsnn
