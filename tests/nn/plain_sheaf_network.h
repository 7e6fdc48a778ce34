#pragma once

#include "dsnn/config/config.h"
#include "dsnn/sheaf/laplacian.h"
#include "dsnn/sheaf/sheaf.h"

#include <cmath>
#include <complex>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

// The sheaf network written from its definition, with complex doubles and loops, on the reference
// Laplacian of src/sheaf, without planes, half-edge kernels or LibTorch.

namespace dsnn::testing {

using Numbers = std::vector<double>;
using Complexes = std::vector<Complex>;

struct PlainSheafNetwork {
  /// Restriction maps, and edge weights if they are learned.
  struct Maps {
    MapFamily family;
    Complexes maps;
    Numbers edge_weights;
  };

  MapFamily family;
  MapField field;
  const DirectedGraph& graph;
  const Config& config;
  std::map<std::string, Numbers> weights;  // by their names in the model
  std::int64_t num_features, num_classes;
  std::vector<Maps> given = {};  // those of the layers, which are then not learned

  std::int64_t n() const { return graph.num_nodes(); }
  std::int64_t d() const { return config.integer("stalk_dim"); }
  std::int64_t f() const { return config.integer("channels"); }
  std::int64_t total() const { return d() + config.flag("low_pass") + config.flag("high_pass"); }
  int planes() const { return field == MapField::kReal ? 1 : 2; }

  static double activate(const std::string& name, double x) {
    if (name == "tanh") return std::tanh(x);
    if (name == "elu") return x < 0 ? std::expm1(x) : x;
    if (name == "relu") return std::max(x, 0.0);
    return x;
  }

  /// X(0), [n, D, f].
  Complexes embed(const Numbers& features) const {
    const std::int64_t size = total() * f();
    Complexes x(n() * size);
    for (std::int64_t u = 0; u < n(); ++u) {
      Numbers row(size);
      for (std::int64_t j = 0; j < size; ++j) {
        double sum = weights.at("input.bias")[j];
        for (std::int64_t k = 0; k < num_features; ++k) {
          sum += features[u * num_features + k] * weights.at("input.weight")[k * size + j];
        }
        row[j] = activate(config.word("input_act"), sum);
      }
      if (config.flag("second_linear")) {
        Numbers second = weights.at("second.bias");
        for (std::int64_t k = 0; k < size; ++k) {
          for (std::int64_t j = 0; j < size; ++j) {
            second[j] += row[k] * weights.at("second.weight")[k * size + j];
          }
        }
        row = second;
      }
      const bool copies = config.word("imag_init") == "copy" && planes() == 2;
      for (std::int64_t j = 0; j < size; ++j) x[u * size + j] = {row[j], copies ? row[j] : 0};
    }
    return x;
  }

  /// The node features seen by the learner: real || imag.
  Numbers seen(const Complexes& x, std::int64_t u) const {
    Numbers result;
    for (int p = 0; p < planes(); ++p) {
      const bool pooled = config.word("learner") == "pooled";
      Numbers part(pooled ? f() : total() * f(), 0);
      for (std::int64_t j = 0; j < total() * f(); ++j) {
        const Complex z = x[u * total() * f() + j];
        part[pooled ? j % f() : j] += p == 0 ? z.real() : z.imag();
      }
      result.insert(result.end(), part.begin(), part.end());
    }
    return result;
  }

  /// Q = H_1 ... H_{d-1} of [eq:orthogonal-householder].
  Complexes householder(const Complexes& params) const {
    Complexes q(d() * d(), 0);
    for (std::int64_t i = 0; i < d(); ++i) q[i * d() + i] = 1;
    for (std::int64_t k = 0; k + 1 < d(); ++k) {
      Complexes v(d(), 0);
      v[k] = 1;
      for (std::int64_t i = k + 1; i < d(); ++i) v[i] = params[i * (i - 1) / 2 + k];
      double square = 0;
      for (const Complex z : v) square += std::norm(z);
      Complexes next = q;  // q H_k
      for (std::int64_t i = 0; i < d(); ++i) {
        Complex dot = 0;
        for (std::int64_t j = 0; j < d(); ++j) dot += q[i * d() + j] * v[j];
        for (std::int64_t j = 0; j < d(); ++j) {
          next[i * d() + j] -= 2 / square * dot * std::conj(v[j]);
        }
      }
      q = next;
    }
    return q;
  }

  Maps identity_maps() const {
    return {MapFamily::kDiagonal, Complexes(graph.num_half_edges() * d(), 1), {}};
  }

  /// Those that `layer` learns from `from`.
  Maps learn(const std::string& layer, const Complexes& from) const {
    const Numbers& w = weights.at(layer + ".learner");
    const bool is_complex = field == MapField::kComplex;
    const std::int64_t per_map = family == MapFamily::kDiagonal     ? d()
                                 : family == MapFamily::kOrthogonal ? d() * (d() - 1) / 2
                                                                    : d() * d();
    const std::int64_t k = per_map * (is_complex ? 2 : 1);
    const bool has_weights = config.flag("edge_weights");
    const std::int64_t outputs = 2 * (k + has_weights);
    const auto project = [&](std::int64_t u, std::int64_t column) {
      const Numbers z = seen(from, u);
      double sum = 0;
      for (std::size_t i = 0; i < z.size(); ++i) sum += z[i] * w[i * outputs + column];
      return sum;
    };
    const std::vector<NodeId> owners = graph.owners();
    Complexes maps;
    Numbers edge_weights;
    const auto sigmoid = [](double a) { return 1 / (1 + std::exp(-a)); };
    for (HalfEdgeId h = 0; h < graph.num_half_edges(); ++h) {
      const NodeId u = owners[h], v = graph.neighbour(h);
      Complexes params(per_map);
      for (std::int64_t i = 0; i < k; ++i) {
        const double value = activate(config.word("sheaf_act"), project(u, i) + project(v, k + i));
        if (i < per_map) {
          params[i] += value;
        } else {
          params[i - per_map] += Complex(0, value);
        }
      }
      const Complexes map = family == MapFamily::kOrthogonal ? householder(params) : params;
      maps.insert(maps.end(), map.begin(), map.end());
      if (has_weights) {
        edge_weights.push_back(sigmoid(project(u, 2 * k) + project(v, 2 * k + 1)) *
                               sigmoid(project(v, 2 * k) + project(u, 2 * k + 1)));
      }
    }
    return {family, maps, edge_weights};
  }

  /// y = p(L_N) x for these maps and the coefficients of `layer`.
  Complexes diffuse(const std::string& layer, const Maps& maps, const Complexes& x) const {
    SheafOptions options;
    options.family = maps.family;
    options.field = field;
    options.stalk_dim = static_cast<int>(d());
    if (field == MapField::kPhase) {
      options.charge = config.is_word("q") ? weights.at("charge")[0] : config.number("q");
    }
    options.fixed = {config.flag("low_pass"), config.flag("high_pass")};
    const Sheaf sheaf = Sheaf::from_maps(graph, options, maps.maps, maps.edge_weights);
    const std::string& name = config.word("normalise");
    const LaplacianOperator laplacian(sheaf, name == "exact"    ? Normalisation::kExact
                                             : name == "degree" ? Normalisation::kDegree
                                                                : Normalisation::kAugmented);
    const bool keeps = config.word("diagonal") == "keep";
    const std::int64_t size = total() * f();
    const auto times = [&](const Complexes& z) {
      Complexes y = laplacian.apply(z, f());
      if (keeps) return y;
      for (std::int64_t u = 0; u < n(); ++u) {  // the contribution of a node's own features
        Complexes own(z.size(), 0);
        std::copy_n(z.begin() + u * size, size, own.begin() + u * size);
        const Complexes of_own = laplacian.apply(own, f());
        for (std::int64_t j = u * size; j < (u + 1) * size; ++j) y[j] -= of_own[j];
      }
      return y;
    };
    if (!weights.contains(layer + ".coefficients")) return times(x);
    const Numbers& c = weights.at(layer + ".coefficients");
    // T_0 x, T_1 x, ... of L - I, or of L without its diagonal.
    const auto shifted = [&](const Complexes& z) {
      Complexes y = times(z);
      for (std::size_t j = 0; keeps && j < y.size(); ++j) y[j] -= z[j];
      return y;
    };
    std::vector<Complexes> t = {x, shifted(x)};
    while (t.size() < c.size()) {
      Complexes next = shifted(t.back());
      for (std::size_t j = 0; j < next.size(); ++j) next[j] = 2.0 * next[j] - t[t.size() - 2][j];
      t.push_back(next);
    }
    Complexes sum(x.size(), 0);
    for (std::size_t k = 0; k < c.size(); ++k) {
      for (std::size_t j = 0; j < x.size(); ++j) sum[j] += c[k] * t[k][j];
    }
    return sum;
  }

  Maps maps_of(std::int64_t t, const Complexes& learn_from) const {
    if (!given.empty()) return given[t];
    if (config.word("maps") == "identity") return identity_maps();
    return learn(config.flag("share_sheaf") ? "layer0" : "layer" + std::to_string(t), learn_from);
  }

  /// X(t+1).
  Complexes layer(std::int64_t t, const Complexes& x, const Maps& maps) const {
    const std::string name = "layer" + std::to_string(t);
    Complexes mixed(x.size(), 0);
    const bool separate = config.flag("separate_imag_weights") && planes() == 2;
    const auto weight = [&](const char* which, std::int64_t size, int plane, std::int64_t i,
                            std::int64_t j) {
      if (!weights.contains(name + which)) return i == j ? 1.0 : 0.0;
      return weights.at(name + which)[(separate ? plane * size * size : 0) + i * size + j];
    };
    for (std::int64_t u = 0; u < n(); ++u) {
      for (std::int64_t i = 0; i < total(); ++i) {
        for (std::int64_t c = 0; c < f(); ++c) {
          double parts[2] = {0, 0};
          for (int p = 0; p < planes(); ++p) {
            for (std::int64_t j = 0; j < total(); ++j) {
              for (std::int64_t e = 0; e < f(); ++e) {
                const Complex z = x[(u * total() + j) * f() + e];
                parts[p] += weight(".left", total(), p, i, j) * (p == 0 ? z.real() : z.imag()) *
                            weight(".right", f(), p, e, c);
              }
            }
          }
          mixed[(u * total() + i) * f() + c] = {parts[0], parts[1]};
        }
      }
    }
    const Complexes y = diffuse(name, maps, mixed);
    Complexes next(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double eps = std::tanh(weights.at(name + ".eps")[j / f() % total()]);
      Complex sigma = y[j];
      if (config.word("activation") == "relu" && y[j].real() < 0) sigma = 0;
      if (config.word("activation") == "elu") {
        sigma = {activate("elu", y[j].real()), activate("elu", y[j].imag())};
      }
      next[j] = (1 + eps) * x[j] - sigma;
    }
    return next;
  }

  /// The maps of each layer, if `maps` is there, and the logits.
  Numbers logits(const Numbers& features, std::vector<Maps>* maps = nullptr) const {
    Complexes x = embed(features);
    const Complexes first = x;
    for (std::int64_t t = 0; t < config.integer("layers"); ++t) {
      const Maps of_layer = maps_of(t, config.flag("share_sheaf") ? first : x);
      if (maps != nullptr) maps->push_back(of_layer);
      x = layer(t, x, of_layer);
    }
    const std::int64_t size = total() * f();
    Numbers result;
    for (std::int64_t u = 0; u < n(); ++u) {
      for (std::int64_t c = 0; c < num_classes; ++c) {
        double sum = weights.at("output.bias")[c];
        for (int p = 0; p < planes(); ++p) {
          for (std::int64_t j = 0; j < size; ++j) {
            const Complex z = x[u * size + j];
            sum += (p == 0 ? z.real() : z.imag()) *
                   weights.at("output.weight")[(p * size + j) * num_classes + c];
          }
        }
        result.push_back(sum);
      }
    }
    return result;
  }
};

}  // namespace dsnn::testing
