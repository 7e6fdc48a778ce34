#include "support/plain_baselines.h"

#include "support/plain_matrices.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace dsnn::testing {

at::Tensor PlainPass::linear(const at::Tensor& x, const std::string& name) const {
  const at::Tensor y = at::mm(x, weight(name + ".weight"));
  const auto bias = weights.find(name + ".bias");
  return bias == weights.end() ? y : y + bias->second;
}

at::Tensor dense_arcs(const DirectedGraph& graph) {
  at::Tensor arcs = at::zeros({graph.num_nodes(), graph.num_nodes()}, at::kDouble);
  auto entries = arcs.accessor<double, 2>();
  const std::vector<Arc> list = graph.arcs();
  const std::vector<double> weights = graph.arc_weights();
  for (std::size_t i = 0; i < list.size(); ++i) {
    entries[list[i].source][list[i].target] = weights.empty() ? 1 : weights[i];
  }
  return arcs;
}

namespace {

using namespace plain;

// --- along pairs (u, v) ---

at::Tensor sum_over_rows(const at::Tensor& of_pairs, const at::Tensor& at_pairs, std::int64_t n) {
  std::vector<std::int64_t> shape = of_pairs.sizes().vec();
  shape[0] = n;
  return at::zeros(shape, of_pairs.options()).index_add(0, at_pairs[0], of_pairs);
}

/// [entries, heads]
at::Tensor softmax_over_rows(const at::Tensor& scores, const at::Tensor& at_pairs, std::int64_t n) {
  const at::Tensor e = (scores - scores.max().detach()).exp();
  return e / sum_over_rows(e, at_pairs, n).index_select(0, at_pairs[0]);
}

at::Tensor heads_of(const at::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), heads, -1});
}

/// Attention with scores [entries, heads].
at::Tensor attend(const PlainPass& pass, const at::Tensor& scores, const at::Tensor& x,
                  const at::Tensor& at_pairs, double dropout) {
  const std::int64_t n = x.size(0);
  const at::Tensor a = pass.drop(softmax_over_rows(scores, at_pairs, n), dropout);
  const at::Tensor messages =
      heads_of(x, scores.size(1)).index_select(0, at_pairs[1]) * a.unsqueeze(2);
  return sum_over_rows(messages, at_pairs, n).view({n, -1});
}

at::Tensor gat_scores(const PlainPass& pass, const at::Tensor& x, const at::Tensor& at_pairs,
                      const std::string& name) {
  const at::Tensor& left = pass.weight(name + ".left");
  const at::Tensor by_head = heads_of(x, left.size(0));
  const at::Tensor l = (by_head * left).sum(2), r = (by_head * pass.weight(name + ".right")).sum(2);
  return at::leaky_relu(l.index_select(0, at_pairs[0]) + r.index_select(0, at_pairs[1]), 0.2);
}

// --- models ---

std::string layer(std::int64_t t) { return fmt::format("layer{}", t); }

/// relu(P(drop(h) W) + b) and so on, the last linear.
at::Tensor stack(const PlainPass& pass, const std::function<at::Tensor(const at::Tensor&)>& p) {
  const std::int64_t layers = pass.config.integer("layers");
  at::Tensor h = pass.features;
  for (std::int64_t t = 0; t < layers; ++t) {
    h = p(at::mm(pass.drop(h, pass.dropout()), pass.weight(layer(t) + ".weight"))) +
        pass.weight(layer(t) + ".bias");
    if (t + 1 < layers) h = h.relu();
  }
  return h;
}

at::Tensor mlp(const PlainPass& pass) {
  return stack(pass, [](const at::Tensor& x) { return x; });
}

at::Tensor gcn(const PlainPass& pass) {
  return stack(pass, [&](const at::Tensor& x) { return at::mm(pass.matrices[0], x); });
}

at::Tensor sgc(const PlainPass& pass) {
  at::Tensor h = at::mm(pass.drop(pass.features, pass.dropout()), pass.weight("output.weight"));
  for (std::int64_t k = 0; k < pass.config.integer("hops"); ++k) h = at::mm(pass.matrices[0], h);
  return h + pass.weight("output.bias");
}

at::Tensor gat(const PlainPass& pass) {
  const std::int64_t layers = pass.config.integer("layers");
  const at::Tensor& at_pairs = pass.matrices[0];
  const bool is_v2 = pass.config.flag("v2");
  at::Tensor h = pass.features;
  for (std::int64_t t = 0; t < layers; ++t) {
    const bool is_last = t + 1 == layers;
    const std::int64_t heads = pass.config.integer(is_last ? "output_heads" : "heads");
    const std::string name = layer(t);
    h = pass.drop(h, pass.dropout());
    const at::Tensor x = at::mm(h, pass.weight(name + ".weight"));
    at::Tensor scores;
    if (is_v2) {
      const at::Tensor y = at::mm(h, pass.weight(name + ".listener.weight"));
      const at::Tensor sums = heads_of(y, heads).index_select(0, at_pairs[0]) +
                              heads_of(x, heads).index_select(0, at_pairs[1]);
      scores = (at::leaky_relu(sums, 0.2) * pass.weight(name + ".score")).sum(2);
    } else {
      scores = gat_scores(pass, x, at_pairs, name);
    }
    h = attend(pass, scores, x, at_pairs, pass.config.number("attention_dropout"));
    h = (is_last ? heads_of(h, heads).mean(1) : h) + pass.weight(name + ".bias");
    if (!is_last) h = at::elu(h);
  }
  return h;
}

at::Tensor sage(const PlainPass& pass) {
  const std::int64_t layers = pass.config.integer("layers");
  at::Tensor h = pass.features;
  for (std::int64_t t = 0; t < layers; ++t) {
    h = pass.drop(h, pass.dropout());
    at::Tensor others;
    if (pass.config.word("aggregate") == "pool") {
      const at::Tensor pooled = pass.linear(h, layer(t) + ".pool").relu();
      const at::Tensor& at_pairs = pass.matrices[1];
      // The maximum is at least 0 after relu, and 0 without neighbours.
      others = at::zeros_like(pooled).index_reduce(0, at_pairs[0],
                                                   pooled.index_select(0, at_pairs[1]), "amax");
    } else {
      others = at::mm(pass.matrices[0], h);
    }
    h = pass.linear(h, layer(t) + ".self") + pass.linear(others, layer(t) + ".others");
    if (t + 1 == layers) return h;
    h = h.relu();
    if (pass.config.flag("normalise")) h = h / h.norm(2, 1, true).clamp_min(1e-12);
  }
  return h;
}

at::Tensor gcnii(const PlainPass& pass) {
  const double alpha = pass.config.number("alpha"), lambda = pass.config.number("lambda");
  const at::Tensor first = pass.linear(pass.drop(pass.features, pass.dropout()), "input").relu();
  at::Tensor h = first;
  for (std::int64_t t = 0; t < pass.config.integer("layers"); ++t) {
    const double beta = std::log(lambda / static_cast<double>(t + 1) + 1);
    const at::Tensor s =
        (1 - alpha) * at::mm(pass.matrices[0], pass.drop(h, pass.dropout())) + alpha * first;
    h = ((1 - beta) * s + beta * at::mm(s, pass.weight(layer(t) + ".weight"))).relu();
  }
  return pass.linear(pass.drop(h, pass.dropout()), "output");
}

at::Tensor h2gcn(const PlainPass& pass) {
  std::vector<at::Tensor> all = {
      pass.linear(pass.drop(pass.features, pass.dropout()), "input").relu()};
  for (std::int64_t t = 0; t < pass.config.integer("layers"); ++t) {
    all.push_back(
        at::cat({at::mm(pass.matrices[0], all.back()), at::mm(pass.matrices[1], all.back())}, 1));
  }
  return pass.linear(pass.drop(at::cat(all, 1), pass.dropout()), "output");
}

at::Tensor mixhop(const PlainPass& pass) {
  const std::int64_t hops = pass.config.integer("hops"), f = pass.config.integer("channels");
  at::Tensor h = pass.features;
  for (std::int64_t t = 0; t < pass.config.integer("layers"); ++t) {
    h = pass.drop(h, pass.dropout());
    std::vector<at::Tensor> parts;
    for (std::int64_t k = 0; k <= hops; ++k) {
      at::Tensor part = at::mm(h, pass.weight(layer(t) + ".weight").narrow(1, k * f, f));
      for (std::int64_t i = 0; i < k; ++i) part = at::mm(pass.matrices[0], part);
      parts.push_back(part);
    }
    h = (at::cat(parts, 1) + pass.weight(layer(t) + ".bias")).relu();
  }
  return pass.linear(pass.drop(h, pass.dropout()), "output");
}

at::Tensor geomgcn(const PlainPass& pass) {
  const std::int64_t layers = pass.config.integer("layers");
  const auto parts = static_cast<std::int64_t>(pass.matrices.size());
  at::Tensor h = pass.features;
  for (std::int64_t t = 0; t < layers; ++t) {
    const bool is_last = t + 1 == layers;
    h = pass.drop(h, pass.dropout());
    const at::Tensor& w = pass.weight(layer(t) + ".weight");
    const std::int64_t f = is_last ? w.size(1) : w.size(1) / parts;
    at::Tensor sum = at::zeros({h.size(0), f}, h.options());
    for (std::int64_t i = 0; i < parts; ++i) {
      const at::Tensor e = at::mm(pass.matrices[static_cast<std::size_t>(i)], h);
      sum = sum + (is_last ? at::mm(e, w) / parts : at::mm(e, w.narrow(1, i * f, f)));
    }
    h = sum + pass.weight(layer(t) + ".bias");
    if (!is_last) h = h.relu();
  }
  return h;
}

at::Tensor fagcn(const PlainPass& pass) {
  const at::Tensor& at_pairs = pass.matrices[0];
  const at::Tensor scales = pass.matrices[1].to(pass.features.scalar_type());
  const at::Tensor first = pass.drop(
      pass.linear(pass.drop(pass.features, pass.dropout()), "input").relu(), pass.dropout());
  at::Tensor h = first;
  for (std::int64_t t = 0; t < pass.config.integer("layers"); ++t) {
    const at::Tensor ends = pass.linear(h, layer(t) + ".gate");
    const at::Tensor gates = pass.drop(at::tanh(ends.select(1, 0).index_select(0, at_pairs[0]) +
                                                ends.select(1, 1).index_select(0, at_pairs[1])) *
                                           scales,
                                       pass.dropout());
    h = pass.config.number("epsilon") * first +
        sum_over_rows(h.index_select(0, at_pairs[1]) * gates.unsqueeze(1), at_pairs, h.size(0));
  }
  return pass.linear(h, "output");
}

at::Tensor gprgnn(const PlainPass& pass) {
  at::Tensor h = pass.drop(mlp(pass), pass.config.number("dprate"));
  const at::Tensor& gamma = pass.weight("gamma");
  at::Tensor z = gamma[0] * h;
  for (std::int64_t k = 1; k <= pass.config.integer("hops"); ++k) {
    h = at::mm(pass.matrices[0], h);
    z = z + gamma[k] * h;
  }
  return z;
}

at::Tensor ggcn(const PlainPass& pass) {
  const std::int64_t layers = pass.config.integer("layers");
  const at::Tensor& at_pairs = pass.matrices[0];
  const at::Tensor values = pass.matrices[1].to(pass.features.scalar_type());
  const at::Tensor ratios = pass.matrices[2].to(pass.features.scalar_type());
  const auto gather = [&](const at::Tensor& h, std::int64_t t) {
    const at::Tensor y = pass.linear(h, layer(t));
    const at::Tensor a = y.index_select(0, at_pairs[0]), b = y.index_select(0, at_pairs[1]);
    const at::Tensor cosine = at::cosine_similarity(a, b, 1, 1e-12);
    const at::Tensor correction =
        at::softplus(pass.weight(layer(t) + ".degree.weight")[0][0] * ratios +
                     pass.weight(layer(t) + ".degree.bias")[0]);
    const at::Tensor weight = values * correction * cosine;
    const at::Tensor like = sum_over_rows(b * weight.relu().unsqueeze(1), at_pairs, y.size(0));
    const at::Tensor unlike =
        sum_over_rows(-b * (-weight).relu().unsqueeze(1), at_pairs, y.size(0));
    const at::Tensor c = at::softmax(pass.weight(layer(t) + ".shares"), 0);
    return at::softplus(pass.weight(layer(t) + ".scale")) *
           (c[0] * like + c[1] * unlike + c[2] * y);
  };
  const at::Tensor x = pass.drop(pass.features, pass.dropout());
  at::Tensor next = gather(x, 0), h = at::elu(pass.linear(x, "input"));
  for (std::int64_t t = 1; t < layers; ++t) {
    const double eta = t == 1 ? 1
                              : std::log(pass.config.number("decay_rate") /
                                             std::pow(t + 1, pass.config.number("exponent")) +
                                         1);
    h = h + eta * pass.drop(at::elu(next), pass.dropout());
    next = gather(h, t);
  }
  return next;
}

/// (re + i im) (x + i y).
Matrices complex_product(const Matrices& m, const at::Tensor& x, const at::Tensor& y) {
  return {at::mm(m[0], x) - at::mm(m[1], y), at::mm(m[0], y) + at::mm(m[1], x)};
}

Matrices complex_relu(const Matrices& z, const at::Tensor& bias) {
  const at::Tensor x = z[0] + bias, y = z[1] + bias;
  return {at::where(x >= 0, x, at::zeros_like(x)), at::where(x >= 0, y, at::zeros_like(y))};
}

Matrices first_planes(const PlainPass& pass) {
  const at::Tensor x = pass.drop(pass.features, pass.dropout());
  return {x, pass.config.word("imag_init") == "copy" ? x : at::zeros_like(x)};
}

at::Tensor unwound(const PlainPass& pass, const Matrices& h) {
  const at::Tensor& w = pass.weight("output.weight");
  return at::mm(pass.drop(at::cat(h, 1), pass.dropout()), w.reshape({-1, w.size(2)})) +
         pass.weight("output.bias");
}

/// Re and Im of D^-1/2 (A_s o phase) D^-1/2.
Matrices hermitian(const at::Tensor& symmetric, const at::Tensor& re, const at::Tensor& im) {
  const at::Tensor root = reciprocal_or_zero(symmetric.abs().sum(1, true)).sqrt();
  return {root * symmetric * re * root.t(), root * symmetric * im * root.t()};
}

Matrices magnet_matrices(const at::Tensor& arcs, const Config& config) {
  const at::Tensor theta = 2 * std::numbers::pi * config.number("q") * (arcs - arcs.t());
  const Matrices a = hermitian((arcs + arcs.t()) / 2, theta.cos(), theta.sin());
  return {-a[0], -a[1]};  // L - I
}

at::Tensor magnet(const PlainPass& pass) {
  Matrices h = first_planes(pass);
  for (std::int64_t t = 0; t < pass.config.integer("layers"); ++t) {
    Matrices sum;
    // T_0 h = h, T_1 h = M h, T_k h = 2 M T_{k-1} h - T_{k-2} h.
    Matrices before, power = h;
    for (std::int64_t k = 0; k <= pass.config.integer("order"); ++k) {
      if (k > 0) {
        Matrices next = complex_product(pass.matrices, power[0], power[1]);
        if (k > 1) next = {2 * next[0] - before[0], 2 * next[1] - before[1]};
        before = power;
        power = next;
      }
      const at::Tensor& w = pass.weight(fmt::format("layer{}.order{}.weight", t, k));
      const Matrices term = {at::mm(power[0], w), at::mm(power[1], w)};
      sum = k == 0 ? term : Matrices{sum[0] + term[0], sum[1] + term[1]};
    }
    h = complex_relu(sum, pass.weight(layer(t) + ".bias"));
  }
  return unwound(pass, h);
}

Matrices sigmanet_matrices(const at::Tensor& arcs, const Config& config) {
  const at::Tensor differs = (arcs != arcs.t()).to(at::kDouble);
  const at::Tensor sign = (arcs.abs() - arcs.t().abs()).sign();
  at::Tensor symmetric = (arcs + arcs.t()) / 2;
  if (config.flag("self_loops")) {
    const at::Tensor count = (arcs != 0).sum();
    const at::Tensor mean =
        count.item<std::int64_t>() == 0 ? at::ones({}, at::kDouble) : arcs.abs().sum() / count;
    symmetric = symmetric + mean * identity(arcs);
  }
  return hermitian(symmetric, 1 - differs, sign);
}

at::Tensor sigmanet(const PlainPass& pass) {
  Matrices h = first_planes(pass);
  for (std::int64_t t = 0; t < pass.config.integer("layers"); ++t) {
    const at::Tensor& w = pass.weight(layer(t) + ".weight");
    h = complex_relu(complex_product(pass.matrices, at::mm(h[0], w), at::mm(h[1], w)),
                     pass.weight(layer(t) + ".bias"));
  }
  return unwound(pass, h);
}

Matrices dirgnn_matrices(const at::Tensor& arcs, const Config& config) {
  const at::Tensor a = arcs.abs();
  if (config.word("conv") == "sage") return {row_scaled(a), row_scaled(a.t())};
  if (config.word("conv") == "gcn") return {symmetric_scaled(a), symmetric_scaled(a.t())};
  return {pairs(a + identity(a)), pairs(a.t() + identity(a))};
}

at::Tensor dirgnn(const PlainPass& pass) {
  const auto found = pass.weights.find("alpha");
  const at::Tensor alpha = found != pass.weights.end()
                               ? found->second
                               : at::full({}, pass.config.number("alpha"), pass.features.options());
  const std::string& conv = pass.config.word("conv");
  const std::string& jumping = pass.config.word("jk");
  const std::int64_t layers = pass.config.integer("layers");
  std::vector<at::Tensor> all;
  at::Tensor h = pass.features;
  for (std::int64_t t = 0; t < layers; ++t) {
    const auto gather = [&](const at::Tensor& m, const std::string& direction) {
      const std::string name = layer(t) + "." + direction;
      const at::Tensor x = at::mm(h, pass.weight(name + ".weight"));
      const at::Tensor y =
          conv == "gat" ? attend(pass, gat_scores(pass, x, m, name), x, m, 0) : at::mm(m, x);
      return y + pass.weight(name + ".bias");
    };
    at::Tensor next =
        alpha * gather(pass.matrices[0], "out") + (1 - alpha) * gather(pass.matrices[1], "in");
    if (conv == "sage") next = next + pass.linear(h, layer(t) + ".self");
    if (t + 1 < layers || jumping != "none") {
      next = pass.drop(next.relu(), pass.dropout());
      if (pass.config.flag("normalise")) next = next / next.norm(2, 1, true).clamp_min(1e-12);
    }
    all.push_back(next);
    h = next;
  }
  if (jumping == "cat") h = at::cat(all, 1);
  if (jumping == "max") h = std::get<0>(at::stack(all).max(0));
  return pass.linear(h, "output");
}

}  // namespace

const std::map<std::string, PlainBaseline>& plain_baselines() {
  static const std::map<std::string, PlainBaseline> all = [] {
    std::map<std::string, PlainBaseline> most = {
        {"mlp", {[](const at::Tensor&, const Config&) { return Matrices{}; }, mlp}},
        {"gcn",
         {[](const at::Tensor& arcs, const Config& config) {
            return Matrices{symmetric_scaled(seen(arcs, config) + identity(arcs))};
          },
          gcn}},
        {"sgc", {gcn_matrix, sgc}},
        {"gat",
         {[](const at::Tensor& arcs, const Config& config) {
            return Matrices{pairs(seen(arcs, config) + identity(arcs))};
          },
          gat}},
        {"sage",
         {[](const at::Tensor& arcs, const Config& config) {
            const at::Tensor a = seen(arcs, config);
            return Matrices{row_scaled(a), pairs(a)};
          },
          sage}},
        {"gcnii", {gcn_matrix, gcnii}},
        {"h2gcn",
         {[](const at::Tensor& arcs, const Config&) {
            const at::Tensor one = (undirected(arcs) != 0).to(at::kDouble);
            const at::Tensor two =
                (at::mm(one, one) != 0).to(at::kDouble) * (1 - one) * (1 - identity(one));
            return Matrices{symmetric_scaled(one), symmetric_scaled(two)};
          },
          h2gcn}},
        {"geomgcn", {geomgcn_matrices, geomgcn}},
        {"mixhop", {gcn_matrix, mixhop}},
        {"fagcn",
         {[](const at::Tensor& arcs, const Config&) {
            const at::Tensor a = symmetric_scaled(undirected(arcs));
            return Matrices{pairs(a), a.masked_select(a != 0)};
          },
          fagcn}},
        {"gprgnn", {gcn_matrix, gprgnn}},
        {"ggcn",
         {[](const at::Tensor& arcs, const Config&) {
            const at::Tensor a = symmetric_scaled(undirected(arcs) + identity(arcs));
            const at::Tensor off = a * (1 - identity(a));
            return Matrices{pairs(off), off.masked_select(off != 0),
                            (a.diagonal().unsqueeze(1) / a - 1).masked_select(off != 0)};
          },
          ggcn}},
        {"magnet", {magnet_matrices, magnet}},
        {"sigmanet", {sigmanet_matrices, sigmanet}},
        {"dirgnn", {dirgnn_matrices, dirgnn}},
    };
    most.merge(plain_directed());
    most.merge(plain_sheaves());
    return most;
  }();
  return all;
}

}  // namespace dsnn::testing
