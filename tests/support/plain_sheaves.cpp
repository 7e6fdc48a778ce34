// The sheaf network with a fixed sheaf; sheaf attention and non-linear sheaf diffusion, node by
// node and edge by edge.
#include "support/plain_baselines.h"
#include "support/plain_matrices.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace dsnn::testing {
namespace {

using namespace plain;

/// A complex matrix.
struct Planes {
  at::Tensor re, im;
};

Planes operator+(const Planes& a, const Planes& b) { return {a.re + b.re, a.im + b.im}; }
Planes operator-(const Planes& a, const Planes& b) { return {a.re - b.re, a.im - b.im}; }
/// Real matrix times complex matrix.
Planes operator*(const at::Tensor& m, const Planes& x) {
  return {at::mm(m, x.re), at::mm(m, x.im)};
}
/// By exp(i angle).
Planes turned(const Planes& x, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {c * x.re - s * x.im, s * x.re + c * x.im};
}

at::Tensor activate(const std::string& name, const at::Tensor& x) {
  if (name == "tanh") return at::tanh(x);
  if (name == "elu") return at::elu(x);
  return name == "relu" ? x.relu() : x;
}

Planes activate(const std::string& name, const Planes& x) {
  if (name != "relu") return {activate(name, x.re), activate(name, x.im)};
  const at::Tensor keeps = (x.re >= 0).to(x.re.scalar_type());
  return {x.re * keeps, x.im * keeps};
}

class Network {
 public:
  explicit Network(const PlainPass& pass)
      : pass_(pass),
        arcs_(pass.matrices[0]),
        d_(pass.config.integer("stalk_dim")),
        f_(pass.config.integer("channels")),
        has_phase_(pass.weight("output.weight").size(0) == 2),
        is_attention_(pass.weights.contains("layer0.score")) {}

  at::Tensor logits() const {
    const Config& config = pass_.config;
    at::Tensor first = activate(config.word("input_act"), pass_.linear(pass_.features, "input"));
    const bool copies = has_phase_ && config.word("imag_init") == "copy";
    std::vector<Planes> x;
    for (std::int64_t u = 0; u < n(); ++u) {
      const at::Tensor row = first[u].view({d_, f_});
      x.push_back({row, copies ? row : at::zeros_like(row)});
    }
    for (std::int64_t t = 0; t < config.integer("layers"); ++t) x = layer(t, x);
    const at::Tensor& w = pass_.weight("output.weight");
    return project(x, w) + pass_.weight("output.bias");
  }

 private:
  std::int64_t n() const { return arcs_.size(0); }
  double arc(std::int64_t u, std::int64_t v) const { return arcs_[u][v].item<double>(); }
  bool is_edge(std::int64_t u, std::int64_t v) const { return arc(u, v) != 0 || arc(v, u) != 0; }
  /// w_e
  double weight(std::int64_t u, std::int64_t v) const {
    return (arc(u, v) + arc(v, u)) / ((arc(u, v) != 0) + (arc(v, u) != 0));
  }
  int orientation(std::int64_t u, std::int64_t v) const {
    const double difference = std::abs(arc(u, v)) - std::abs(arc(v, u));
    return (difference > 0) - (difference < 0);
  }
  /// That of T_uv.
  double angle(std::int64_t u, std::int64_t v) const {
    if (!has_phase_) return 0;
    return 2 * std::numbers::pi * pass_.config.number("q") * orientation(u, v);
  }

  /// sum_p x_p W_p for each node, [n, outputs]. w: [planes, d f, outputs].
  at::Tensor project(const std::vector<Planes>& x, const at::Tensor& w) const {
    std::vector<at::Tensor> rows;
    for (const Planes& each : x) {
      at::Tensor sum = at::mm(each.re.reshape({1, d_ * f_}), w[0]);
      if (w.size(0) == 2) sum = sum + at::mm(each.im.reshape({1, d_ * f_}), w[1]);
      rows.push_back(sum);
    }
    return at::cat(rows, 0);
  }

  std::string family() const {
    return is_attention_ ? std::string("orth") : pass_.config.word("family");
  }

  /// F_h from its parameters.
  at::Tensor map_of(const at::Tensor& params) const {
    if (family() == "diag") return at::diag(params);
    if (family() == "gen") return params.view({d_, d_});
    at::Tensor q = at::eye(d_, params.options());
    for (std::int64_t k = 0; k + 1 < d_; ++k) {  // a reflection by a column of a triangle
      std::vector<at::Tensor> column;
      for (std::int64_t i = 0; i < d_; ++i) {
        column.push_back(i < k    ? at::zeros({}, params.options())
                         : i == k ? at::ones({}, params.options())
                                  : params[i * (i - 1) / 2 + k]);
      }
      const at::Tensor v = at::stack(column).view({d_, 1});
      q = at::mm(q, at::eye(d_, params.options()) - 2 * at::mm(v, v.t()) / (v * v).sum());
    }
    return q;
  }

  using Maps = std::map<std::pair<std::int64_t, std::int64_t>, at::Tensor>;

  /// F_h, times the learned weights of the edges.
  Maps learned(const std::vector<Planes>& x, const std::string& name) const {
    const std::int64_t k = family() == "diag"  ? d_
                           : family() == "gen" ? d_ * d_
                                               : d_ * (d_ - 1) / 2;
    const at::Tensor ends = project(x, pass_.weight(name + ".learner"));
    const auto edge_score = [&](std::int64_t u, std::int64_t v) {
      return at::sigmoid(ends[u][2 * k] + ends[v][2 * k + 1]);
    };
    Maps maps;
    for (std::int64_t u = 0; u < n(); ++u) {
      for (std::int64_t v = 0; v < n(); ++v) {
        if (!is_edge(u, v)) continue;
        at::Tensor map = map_of(activate(pass_.config.word("sheaf_act"),
                                         ends[u].narrow(0, 0, k) + ends[v].narrow(0, k, k)));
        if (ends.size(1) > 2 * k) map = map * edge_score(u, v) * edge_score(v, u);
        maps[{u, v}] = map;
      }
    }
    return maps;
  }

  /// G_h, with the augmented normalisation.
  Maps scaled(Maps maps) const {
    for (std::int64_t u = 0; u < n(); ++u) {
      at::Tensor sum = at::eye(d_, arcs_.options());
      for (std::int64_t v = 0; v < n(); ++v) {
        if (!is_edge(u, v)) continue;
        at::Tensor& map = maps.at({u, v});
        map = map * std::sqrt(std::abs(weight(u, v)));
        sum = sum + at::mm(map.t(), map);
      }
      at::Tensor root;  // D^-1/2
      if (family() == "gen") {
        const auto [values, vectors] = at::linalg_eigh(sum);
        root = at::mm(vectors * values.rsqrt(), vectors.t());
      } else {  // diagonal
        root = at::diag(sum.diagonal().rsqrt());
      }
      for (std::int64_t v = 0; v < n(); ++v) {
        if (is_edge(u, v)) maps[{u, v}] = at::mm(maps.at({u, v}), root);
      }
    }
    return maps;
  }

  /// delta* phi(delta z)
  std::vector<Planes> nonlinear(const std::vector<Planes>& z, const Maps& maps,
                                const std::string& name) const {
    const at::Tensor &v1 = pass_.weight(name + ".edge.first"),
                     &v2 = pass_.weight(name + ".edge.second");
    const auto phi = [&](const at::Tensor& y) { return at::mm(at::tanh(at::mm(y, v1)), v2); };
    std::vector<Planes> y(z.size(), Planes{at::zeros_like(z[0].re), at::zeros_like(z[0].re)});
    for (std::int64_t u = 0; u < n(); ++u) {
      for (std::int64_t v = 0; v < n(); ++v) {
        const bool is_first = has_phase_ && orientation(u, v) != 0 ? orientation(u, v) > 0 : u < v;
        if (!is_edge(u, v) || !is_first || weight(u, v) == 0) continue;
        // A negative weight turns the phase by half a turn.
        const double turn = angle(u, v) + (weight(u, v) < 0 ? std::numbers::pi : 0);
        const Planes delta = maps.at({u, v}) * z[u] - turned(maps.at({v, u}) * z[v], turn);
        const Planes sent = {phi(delta.re), phi(delta.im)};
        y[u] = y[u] + maps.at({u, v}).t() * sent;
        y[v] = y[v] - turned(maps.at({v, u}).t() * sent, -turn);
      }
    }
    return y;
  }

  /// A z - z
  std::vector<Planes> attention(const std::vector<Planes>& z, const std::vector<Planes>& x,
                                const Maps& maps, const std::string& name) const {
    const at::Tensor scores = project(x, pass_.weight(name + ".score"));
    std::vector<Planes> y;
    for (std::int64_t u = 0; u < n(); ++u) {
      std::vector<at::Tensor> row;
      std::vector<Planes> sent;
      for (std::int64_t v = 0; v < n(); ++v) {
        if (u != v && !is_edge(u, v)) continue;
        row.push_back(at::leaky_relu(scores[u][0] + scores[v][1], 0.2));
        sent.push_back(
            u == v ? z[u]
                   : turned(at::mm(maps.at({u, v}).t(), maps.at({v, u})) * z[v], angle(u, v)));
      }
      const at::Tensor a = at::softmax(at::stack(row), 0);
      Planes sum = {-z[u].re, -z[u].im};
      for (std::size_t i = 0; i < sent.size(); ++i) {
        const at::Tensor& share = a[static_cast<std::int64_t>(i)];
        sum = sum + Planes{share * sent[i].re, share * sent[i].im};
      }
      y.push_back(sum);
    }
    return y;
  }

  std::vector<Planes> layer(std::int64_t t, const std::vector<Planes>& x) const {
    const std::string name = fmt::format("layer{}", t);
    const std::string& activation = pass_.config.word("activation");
    std::vector<Planes> z;
    for (const Planes& each : x) {
      const Planes left = pass_.weight(name + ".left") * each;
      const at::Tensor& right = pass_.weight(name + ".right");
      z.push_back({at::mm(left.re, right), at::mm(left.im, right)});
    }
    const Maps maps = learned(x, name);
    std::vector<Planes> next;
    if (is_attention_) {
      const std::vector<Planes> y = attention(z, x, maps, name);
      for (std::size_t u = 0; u < x.size(); ++u) next.push_back(x[u] + activate(activation, y[u]));
      return next;
    }
    const std::vector<Planes> y = nonlinear(z, scaled(maps), name);
    const at::Tensor keep = 1 + at::tanh(pass_.weight(name + ".eps")).view({d_, 1});
    for (std::size_t u = 0; u < x.size(); ++u) {
      next.push_back(Planes{keep * x[u].re, keep * x[u].im} - activate(activation, y[u]));
    }
    return next;
  }

  const PlainPass& pass_;
  const at::Tensor& arcs_;
  std::int64_t d_, f_;
  bool has_phase_, is_attention_;
};

Matrices sheafnn_matrices(const at::Tensor& arcs, const Config&) {
  const at::Tensor count = (arcs != 0).to(at::kDouble) + (arcs != 0).t().to(at::kDouble);
  const at::Tensor w = (arcs + arcs.t()) / count.clamp_min(1);
  const at::Tensor root = reciprocal_or_zero(w.abs().sum(1, true)).sqrt();
  return {root * w * root.t()};
}

at::Tensor sheafnn(const PlainPass& pass) {
  at::Tensor h = pass.linear(pass.drop(pass.features, pass.dropout()), "input");
  for (std::int64_t t = 0; t < pass.config.integer("layers"); ++t) {
    // Row-major: the rows of a node's d x f matrix follow each other.
    const at::Tensor both =
        at::kron(pass.weight(fmt::format("layer{}", t) + ".left").t().contiguous(),
                 pass.weight(fmt::format("layer{}", t) + ".weight"));
    h = at::mm(pass.matrices[0], at::mm(pass.drop(h, pass.dropout()), both)).relu();
  }
  return pass.linear(pass.drop(h, pass.dropout()), "output");
}

}  // namespace

std::map<std::string, PlainBaseline> plain_sheaves() {
  const PlainBaseline along_edges = {
      [](const at::Tensor& arcs, const Config&) { return Matrices{arcs}; },
      [](const PlainPass& pass) { return Network(pass).logits(); }};
  return {{"sheafnn", {sheafnn_matrices, sheafnn}},
          {"sheafan", along_edges},
          {"sheafan-phase", along_edges},
          {"nlsd", along_edges},
          {"nlsd-phase", along_edges}};
}

}  // namespace dsnn::testing
