#include "dsnn/nn/decoder.h"

#include "dsnn/engine/operators/arithmetic.h"
#include "dsnn/engine/operators/columns.h"
#include "dsnn/engine/operators/edges.h"
#include "dsnn/engine/operators/linear.h"
#include "dsnn/nn/layers.h"
#include "dsnn/nn/magnetic.h"

#include <cmath>
#include <utility>

namespace dsnn::nn {
namespace {

using namespace engine;

constexpr std::int64_t kDropoutPlace = 1'000'000;  // none of the encoder's

bool is_complex(const Shape& encoding) { return encoding.size() == 3 && encoding[0] == 2; }

/// One plane as a matrix [n, k]; complex features [2, n, k] are unchanged.
Value in_rows(Value x) {
  if (x.shape().size() == 2 || is_complex(x.shape())) return x;
  return x.program().reshape(x, {x.size(1), x.size(2)});
}

/// A linear map of all planes of the encoding to real numbers.
Weight map_weight(const Shape& encoding, Weights& weights, const std::string& name,
                  std::int64_t outputs, Random& random) {
  const std::int64_t planes = is_complex(encoding) ? 2 : 1, width = encoding.back();
  const std::vector<double> initial = linear_init(planes * width * outputs, planes * width, random);
  return weights.add(name, planes == 2 ? Shape{2, width, outputs} : Shape{width, outputs}, initial);
}

/// i x
Value times_i(Value x) {
  Program& program = x.program();
  const std::int64_t size = x.size(1) * x.size(2);
  const std::vector<Value> parts = split(program.reshape(x, {1, 2 * size}), {size, size});
  const Value minus_imag = -1.0 * parts[1];
  return program.reshape(concat({minus_imag, parts[0]}), x.shape());
}

/// logits = a Re h + b Im h + c, learned, of a product h of both ends: x_u conj(y_v) with y = x, or
/// y = B x where there is a bilinear form B.
class ProductDecoder final : public Decoder {
 public:
  ProductDecoder(const DecoderShape& shape, bool has_form, Weights& weights, Random& random) {
    const std::int64_t k = shape.encoding.back(), planes = is_complex(shape.encoding) ? 2 : 1;
    if (has_form) {
      real_ = weights.add("decoder.real", {k, k}, identity_init(1, k));
      if (planes == 2) {
        imag_ = weights.add("decoder.imag", {k, k}, linear_init(k * k, k, random));
      }
    }
    // The first class, arcs u -> v, for large real and imaginary parts.
    const std::vector<double> factors =
        shape.outputs == 1 ? std::vector<double>{1, 1} : std::vector<double>{1, 1, -1, 1, -1, 0};
    std::vector<double> initial;
    for (std::int64_t i = 0; i < planes * shape.outputs; ++i) {
      initial.push_back(factors[static_cast<std::size_t>(i)] / std::sqrt(static_cast<double>(k)));
    }
    const Shape sizes = planes == 2 ? Shape{2, 1, shape.outputs} : Shape{1, shape.outputs};
    output_ = weights.add("decoder.weight", sizes, initial);
    bias_ = weights.add("decoder.bias", {shape.outputs}, zero_init(shape.outputs));
  }

  std::vector<Value> prepare(Value encoding) const override {
    const Value x = in_rows(encoding);
    if (!real_.is_there()) return {x};
    if (!is_complex(x.shape())) return {x, linear(x, real_)};
    const Value real = plane_product(x, real_);
    const Value imag = plane_product(x, imag_);
    return {x, real + times_i(imag)};
  }

  Value score(const std::vector<Value>& nodes, const SparseMatrix& pairs, const Pass& pass,
              std::int64_t /*part*/) const override {
    const Value x = nodes.front(), y = nodes.back();
    if (!is_complex(x.shape())) return linear(edge_dot(x, y, pairs), output_, bias_);
    const Value h = pass.program.reshape(edge_hermitian(x, y, pairs), {2, pairs.num_entries(), 1});
    return linear(h, output_, bias_);
  }

 private:
  Weight real_, imag_, output_, bias_;
};

/// logits = s_u . t_v + c with separate embeddings of sources and targets, for every class.
class DualDecoder final : public Decoder {
 public:
  DualDecoder(const DecoderShape& shape, std::int64_t channels, Weights& weights, Random& random)
      : outputs_(shape.outputs) {
    const std::int64_t width = shape.outputs * channels;
    source_ = map_weight(shape.encoding, weights, "decoder.source", width, random);
    target_ = map_weight(shape.encoding, weights, "decoder.target", width, random);
    bias_ = weights.add("decoder.bias", {shape.outputs}, zero_init(shape.outputs));
  }

  std::vector<Value> prepare(Value encoding) const override {
    const Value x = in_rows(encoding);
    const Value source = linear(x, source_);
    return {source, linear(x, target_)};
  }

  Value score(const std::vector<Value>& nodes, const SparseMatrix& pairs, const Pass& /*pass*/,
              std::int64_t /*part*/) const override {
    return bias_activation(edge_dot(nodes[0], nodes[1], pairs, outputs_), bias_,
                           StalkActivation::kIdentity);
  }

 private:
  std::int64_t outputs_;
  Weight source_, target_, bias_;
};

/// logits = W relu(S x_u + T x_v + b) + c: a network on the concatenation, whose first layer is
/// computed per node.
class MlpDecoder final : public Decoder {
 public:
  MlpDecoder(const DecoderShape& shape, std::int64_t channels, double dropout, Weights& weights,
             Random& random)
      : dropout_(dropout) {
    source_ = map_weight(shape.encoding, weights, "decoder.source", channels, random);
    target_ = map_weight(shape.encoding, weights, "decoder.target", channels, random);
    hidden_bias_ = weights.add("decoder.hidden.bias", {channels}, zero_init(channels));
    output_ = make_linear(weights, "decoder.output", channels, shape.outputs, random);
  }

  std::vector<Value> prepare(Value encoding) const override {
    const Value x = in_rows(encoding);
    const Value source = linear(x, source_);
    return {source, linear(x, target_)};
  }

  Value score(const std::vector<Value>& nodes, const SparseMatrix& pairs, const Pass& pass,
              std::int64_t part) const override {
    const Dropout dropout = {pass.is_training ? dropout_ : 0, kDropoutPlace + part};
    const Value sums = edge_sum(nodes[0], nodes[1], pairs);
    return output_(bias_activation(sums, hidden_bias_, StalkActivation::kRelu, dropout));
  }

 private:
  double dropout_;
  Weight source_, target_, hidden_bias_;
  Linear output_;
};

}  // namespace

Decoder::~Decoder() = default;

std::vector<Parameter> decoder_parameters() {
  std::vector<Parameter> parameters = {
      {"decoder",
       std::string("mlp"),
       "Score of a pair from the features of both nodes: a product, a product with a learned form, "
       "a product of separate embeddings of sources and targets, a network on both",
       {"inner", "bilinear", "dual", "mlp"}},
      {"embedding",
       std::int64_t{64},
       "Features of a node for the decoder (complex networks give all of theirs)",
       {},
       1,
       65536},
      {"decoder_channels",
       std::int64_t{64},
       "Channels of the decoders dual and mlp",
       {},
       1,
       65536}};
  parameters.push_back(
      dropout_parameter("decoder_dropout", 0, "Dropout on the hidden layer of the decoder mlp"));
  return parameters;
}

std::unique_ptr<Decoder> make_decoder(const Config& config, const DecoderShape& shape,
                                      Weights& weights, Random& random) {
  const std::string& kind = config.word("decoder");
  const std::int64_t channels = config.integer("decoder_channels");
  if (kind == "dual") return std::make_unique<DualDecoder>(shape, channels, weights, random);
  if (kind == "mlp") {
    return std::make_unique<MlpDecoder>(shape, channels, config.number("decoder_dropout"), weights,
                                        random);
  }
  return std::make_unique<ProductDecoder>(shape, kind == "bilinear", weights, random);
}

}  // namespace dsnn::nn
