// Gated graph networks, DGCN and DiGCN.
#include "support/plain_baselines.h"
#include "support/plain_matrices.h"

#include <fmt/format.h>

namespace dsnn::testing {
namespace {

using namespace plain;

std::string layer(std::int64_t t) { return fmt::format("layer{}", t); }

at::Tensor gatedgcn(const PlainPass& pass) {
  const at::Tensor x = pass.drop(pass.features, pass.dropout());
  const std::int64_t f = pass.config.integer("channels");
  at::Tensor h = pass.linear(x, "input");
  for (std::int64_t t = 0; t < pass.config.integer("layers"); ++t) {
    at::Tensor m = at::mm(pass.matrices[0], at::mm(h, pass.weight("message.out.weight")));
    if (pass.config.word("neighbours") == "both") {
      m = m + at::mm(pass.matrices[1], at::mm(h, pass.weight("message.in.weight")));
    }
    const at::Tensor from_m = pass.linear(m, "gates.message");
    const at::Tensor from_h = at::mm(h, pass.weight("gates.state.weight"));
    const at::Tensor z = at::sigmoid(from_m.narrow(1, 0, f) + from_h.narrow(1, 0, f));
    const at::Tensor r = at::sigmoid(from_m.narrow(1, f, f) + from_h.narrow(1, f, f));
    const at::Tensor candidate =
        at::tanh(from_m.narrow(1, 2 * f, f) + at::mm(r * h, pass.weight("new.state.weight")));
    h = (1 - z) * h + z * candidate;
  }
  return pass.linear(pass.drop(h, pass.dropout()), "output") +
         at::mm(x, pass.weight("output.features.weight"));
}

Matrices dgcn_matrices(const at::Tensor& arcs, const Config&) {
  const at::Tensor a = arcs.abs();
  const at::Tensor in = at::mm(a.t(), row_scaled(a)), out = at::mm(a, row_scaled(a.t()));
  return {symmetric_scaled(undirected(arcs) + identity(a)), symmetric_scaled(in + identity(a)),
          symmetric_scaled(out + identity(a))};
}

at::Tensor dgcn(const PlainPass& pass) {
  at::Tensor h = pass.features;
  for (std::int64_t t = 0; t < pass.config.integer("layers"); ++t) {
    const at::Tensor x = at::mm(pass.drop(h, pass.dropout()), pass.weight(layer(t) + ".weight"));
    const std::vector<at::Tensor> parts = {
        at::mm(pass.matrices[0], x), pass.config.number("alpha") * at::mm(pass.matrices[1], x),
        pass.config.number("beta") * at::mm(pass.matrices[2], x)};
    h = (at::cat(parts, 1) + pass.weight(layer(t) + ".bias")).relu();
  }
  return pass.linear(pass.drop(h, pass.dropout()), "output");
}

Matrices digcn_matrices(const at::Tensor& arcs, const Config& config) {
  const double alpha = config.number("alpha");
  const at::Tensor p = row_scaled(arcs.abs() + identity(arcs));
  const at::Tensor start =
      at::full({arcs.size(0), 1}, alpha / static_cast<double>(arcs.size(0)), arcs.options());
  // pi = (I - (1 - alpha) P^T)^-1 alpha / n
  const at::Tensor root = at::mm(at::inverse(identity(p) - (1 - alpha) * p.t()), start).sqrt();
  const at::Tensor walk = root * p / root.t();
  Matrices matrices = {(walk + walk.t()) / 2};
  at::Tensor power = p;
  for (std::int64_t k = 2; k <= config.integer("hops"); ++k) {
    if (k > 2) power = at::mm(power, p);
    const at::Tensor one = at::mm(power, power.t()), other = at::mm(power.t(), power);
    const at::Tensor both = ((one != 0) & (other != 0)).to(at::kDouble);
    matrices.push_back(symmetric_scaled((one + other) / 2 * both));
  }
  return matrices;
}

at::Tensor digcn(const PlainPass& pass) {
  const std::int64_t layers = pass.config.integer("layers");
  at::Tensor h = pass.features;
  for (std::int64_t t = 0; t < layers; ++t) {
    h = pass.drop(h, pass.dropout());
    at::Tensor sum = at::mm(h, pass.weight(layer(t) + ".hop0.weight"));
    for (std::size_t k = 0; k < pass.matrices.size(); ++k) {
      const at::Tensor& w = pass.weight(fmt::format("{}.hop{}.weight", layer(t), k + 1));
      sum = sum + at::mm(pass.matrices[k], at::mm(h, w));
    }
    h = sum + pass.weight(layer(t) + ".bias");
    if (t + 1 < layers) h = h.relu();
  }
  return h;
}

}  // namespace

std::map<std::string, PlainBaseline> plain_directed() {
  return {{"gatedgcn",
           {[](const at::Tensor& arcs, const Config&) {
              return Matrices{arcs.abs(), arcs.abs().t().contiguous()};
            },
            gatedgcn}},
          {"dgcn", {dgcn_matrices, dgcn}},
          {"digcn", {digcn_matrices, digcn}}};
}

}  // namespace dsnn::testing
