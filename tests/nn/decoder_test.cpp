#include "dsnn/nn/decoder.h"

#include "dsnn/engine/session.h"

#include "support/run_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <vector>

namespace dsnn {
namespace {

using engine::Shape;
using testing::Numbers;
using testing::random_numbers;

constexpr std::int64_t kNodes = 7, kWidth = 5;
using Complex = std::complex<double>;

Config config_of(const std::string& kind) {
  Config config(nn::decoder_parameters());
  config.set("decoder", kind);
  config.set("decoder_channels", std::int64_t{6});
  return config;
}

std::vector<Arc> random_pairs(std::uint64_t seed) {
  Random random(seed);
  std::vector<Arc> pairs;
  for (int i = 0; i < 40; ++i) {
    pairs.push_back(
        {static_cast<NodeId>(random.below(kNodes)), static_cast<NodeId>(random.below(kNodes))});
  }
  return pairs;
}

/// A decoder on features that are a weight, so that its gradients have those of the features.
struct Case {
  Case(const std::string& kind, const Shape& encoding, std::int64_t outputs, std::uint64_t seed)
      : config(config_of(kind)), pairs(random_pairs(seed)) {
    features = weights.add("x", encoding, random_numbers(engine::num_numbers(encoding), seed));
    Random random(seed);
    decoder = nn::make_decoder(config, {encoding, outputs}, weights, random);
    const Numbers steps = random_numbers(weights.size(), seed + 1);
    for (std::size_t i = 0; i < steps.size(); ++i) weights.initial()[i] += 0.3 * steps[i];
    const auto matrix = engine::SparseMatrix::from_pairs(kNodes, kNodes, pairs, places);
    const nn::Pass pass = {program, true};
    logits = decoder->score(decoder->prepare(program.parameter(features)), matrix, pass);
    program.keep(logits);
    // The sum of products with random factors.
    const std::int64_t size = engine::num_numbers(logits.shape());
    factors = random_numbers(size, seed + 2);
    loss = linear(program.reshape(logits, {1, size}), program.constant({size, 1}, factors));
    loss = program.reshape(loss, {});
    program.keep(loss);
    program.differentiate(loss);
  }

  const engine::Weight& weight(const std::string& name) const {
    for (const engine::Weight& each : weights.all()) {
      if (each.name == name) return each;
    }
    throw std::logic_error(name);
  }
  double at(const std::string& name, std::int64_t i) const {
    return weights.initial()[static_cast<std::size_t>(weight(name).offset + i)];
  }
  /// The encoder's feature of a node in channel c.
  Complex encoded(NodeId u, std::int64_t c) const {
    const bool has_planes = features.shape.size() == 3 && features.shape[0] == 2;
    const std::int64_t i = u * kWidth + c;
    return {at("x", i), has_planes ? at("x", kNodes * kWidth + i) : 0};
  }
  Complex centred(NodeId u, std::int64_t c) const {
    Complex mean = 0;
    for (NodeId v = 0; v < kNodes; ++v) mean += encoded(v, c) / static_cast<double>(kNodes);
    return encoded(u, c) - mean;
  }
  /// The feature that is decoded: centred, with a mean square of 1 over all planes, and shifted.
  Complex x(NodeId u, std::int64_t c) const {
    const bool has_planes = features.shape.size() == 3 && features.shape[0] == 2;
    double square = 0;
    for (NodeId v = 0; v < kNodes; ++v) {
      for (std::int64_t k = 0; k < kWidth; ++k) square += std::norm(centred(v, k));
    }
    const Complex shift = {at("decoder.shift", c),
                           has_planes ? at("decoder.shift", kWidth + c) : 0};
    return centred(u, c) / std::sqrt(square / ((has_planes ? 2 : 1) * kNodes * kWidth)) + shift;
  }
  /// Channel k of a linear map of Re x_u || Im x_u.
  double mapped(const std::string& name, NodeId u, std::int64_t k) const {
    const Shape& shape = weight(name).shape;
    double sum = 0;
    for (std::int64_t c = 0; c < kWidth; ++c) {
      sum += x(u, c).real() * at(name, c * shape.back() + k);
      if (shape.size() == 3) sum += x(u, c).imag() * at(name, (kWidth + c) * shape.back() + k);
    }
    return sum;
  }

  Config config;
  nn::Weights weights;
  engine::Weight features;
  std::vector<Arc> pairs;
  std::vector<std::int64_t> places;
  std::unique_ptr<nn::Decoder> decoder;
  engine::Program program;
  engine::Value logits, loss;
  Numbers factors;
};

/// The logit of a pair by [eq:decoders].
double plain_logit(const Case& of, const std::string& kind, Arc pair, std::int64_t output,
                   std::int64_t outputs) {
  const auto [u, v] = pair;
  if (kind == "dual") {
    double sum = of.at("decoder.bias", output);
    for (std::int64_t c = 6 * output; c < 6 * (output + 1); ++c) {
      sum += of.mapped("decoder.source", u, c) * of.mapped("decoder.target", v, c) / std::sqrt(6.0);
    }
    return sum;
  }
  if (kind == "mlp") {
    double sum = of.at("decoder.output.bias", output);
    for (std::int64_t c = 0; c < 6; ++c) {
      const double hidden = of.mapped("decoder.source", u, c) + of.mapped("decoder.target", v, c) +
                            of.at("decoder.hidden.bias", c);
      sum += std::max(hidden, 0.0) * of.at("decoder.output.weight", c * outputs + output);
    }
    return sum;
  }
  const bool is_complex = of.features.shape.size() == 3 && of.features.shape[0] == 2;
  Complex h = 0;
  for (std::int64_t c = 0; c < kWidth; ++c) {
    Complex y = of.x(v, c);
    if (kind == "bilinear") {
      y = 0;
      for (std::int64_t k = 0; k < kWidth; ++k) {
        const std::int64_t i = k * kWidth + c;
        y += of.x(v, k) *
             Complex(of.at("decoder.real", i), is_complex ? of.at("decoder.imag", i) : 0);
      }
    }
    h += of.x(u, c) * std::conj(y);
  }
  double logit = of.at("decoder.bias", output) + h.real() * of.at("decoder.weight", output);
  if (is_complex) logit += h.imag() * of.at("decoder.weight", outputs + output);
  return logit;
}

template <class Test>
void for_cases(const Test& test) {
  std::uint64_t seed = 0;
  for (const char* kind : {"inner", "bilinear", "dual", "mlp"}) {
    for (const Shape& encoding :
         {Shape{kNodes, kWidth}, Shape{1, kNodes, kWidth}, Shape{2, kNodes, kWidth}}) {
      for (const std::int64_t outputs : {1, 3}) {
        SCOPED_TRACE(fmt::format("{} {} {}", kind, engine::shape_text(encoding), outputs));
        test(std::string(kind), encoding, outputs, seed += 10);
      }
    }
  }
}

TEST(Decoders, AreThoseOfTheirEquations) {
  for_cases(
      [](const std::string& kind, const Shape& encoding, std::int64_t outputs, std::uint64_t seed) {
        const Case of(kind, encoding, outputs, seed);
        Numbers gradients(static_cast<std::size_t>(of.weights.size()));
        engine::Session<double> session(of.program, engine::Device::cpu(),
                                        std::span<const double>(of.weights.initial()),
                                        std::span(gradients));
        session.forward();
        const auto logits = session.numbers(of.logits);
        for (std::size_t i = 0; i < of.pairs.size(); ++i) {
          for (std::int64_t o = 0; o < outputs; ++o) {
            EXPECT_NEAR(logits[static_cast<std::size_t>(of.places[i] * outputs + o)],
                        plain_logit(of, kind, of.pairs[i], o, outputs), 1e-9);
          }
        }
      });
}

TEST(Decoders, GradientsByCentralDifferences) {
  for_cases(
      [](const std::string& kind, const Shape& encoding, std::int64_t outputs, std::uint64_t seed) {
        const Case of(kind, encoding, outputs, seed);
        Numbers weights = of.weights.initial();
        Numbers gradients(weights.size()), unused(weights.size());
        engine::Session<double> session(of.program, engine::Device::cpu(),
                                        std::span<const double>(weights), std::span(gradients));
        session.forward();
        session.backward();
        const auto loss = [&] {
          session.forward();
          return session.numbers(of.loss)[0];
        };
        const Numbers exact = gradients;
        for (std::size_t i = 0; i < weights.size(); ++i) {
          constexpr double kStep = 1e-6;
          const double before = weights[i];
          weights[i] = before + kStep;
          const double above = loss();
          weights[i] = before - kStep;
          const double below = loss();
          weights[i] = before;
          EXPECT_NEAR((above - below) / (2 * kStep), exact[i], 1e-6) << i;
        }
      });
}

// The product of real features says nothing about the direction, the product of complex ones does.
TEST(Decoders, InnerProductsAndDirections) {
  for (const bool is_complex : {false, true}) {
    const Case of("inner", Shape{is_complex ? 2 : 1, kNodes, kWidth}, 1, 5);
    double largest = 0;
    for (const Arc pair : of.pairs) {
      const Arc back = {pair.target, pair.source};
      largest = std::max(largest, std::abs(plain_logit(of, "inner", pair, 0, 1) -
                                           plain_logit(of, "inner", back, 0, 1)));
    }
    EXPECT_EQ(largest > 1e-6, is_complex);
  }
}

}  // namespace
}  // namespace dsnn
