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

/// The features of an encoder on a common scale, [n, k] or complex [2, n, k]. Without it, features
/// that are nearly equal, as those of rare words are at first, have nearly equal products: the loss
/// then falls fastest by shrinking all of them, and where they are 0 the gradient is 0.
///
/// The shift is learned: the directions that complex features have depend on their common part.
class Scale {
 public:
  Scale(const Shape& encoding, Weights& weights) {
    const std::int64_t k = encoding.back();
    const Shape shape = is_complex(encoding) ? Shape{2, k} : Shape{k};
    shift_ = weights.add("decoder.shift", shape, zero_init(num_numbers(shape)));
  }
  Value operator()(Value x) const {
    const bool is_plane = x.shape().size() == 3 && !is_complex(x.shape());
    return centre_columns(is_plane ? x.program().reshape(x, {x.size(1), x.size(2)}) : x, shift_);
  }

 private:
  Weight shift_;
};

/// Linear maps of all planes of the encoding to real numbers.
Shape map_shape(const Shape& encoding, std::int64_t outputs) {
  return is_complex(encoding) ? Shape{2, encoding.back(), outputs}
                              : Shape{encoding.back(), outputs};
}
std::vector<double> map_init(const Shape& encoding, std::int64_t outputs, Random& random) {
  const std::int64_t inputs = num_numbers(map_shape(encoding, 1));
  return linear_init(inputs * outputs, inputs, random);
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
  ProductDecoder(const DecoderShape& shape, bool has_form, Weights& weights, Random& random)
      : scale_(shape.encoding, weights) {
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
    const Value x = scale_(encoding);
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
  Scale scale_;
  Weight real_, imag_, output_, bias_;
};

/// logits = s_u . t_v / sqrt(channels) + c with separate embeddings of sources and targets, for
/// every class.
class DualDecoder final : public Decoder {
 public:
  DualDecoder(const DecoderShape& shape, std::int64_t channels, Weights& weights, Random& random)
      : scale_(shape.encoding, weights),
        outputs_(shape.outputs),
        factor_(1 / std::sqrt(static_cast<double>(channels))) {
    // Equal at first: then the products of equal features are positive, those of others random.
    const std::int64_t width = shape.outputs * channels;
    const std::vector<double> initial = map_init(shape.encoding, width, random);
    source_ = weights.add("decoder.source", map_shape(shape.encoding, width), initial);
    target_ = weights.add("decoder.target", map_shape(shape.encoding, width), initial);
    bias_ = weights.add("decoder.bias", {shape.outputs}, zero_init(shape.outputs));
  }

  std::vector<Value> prepare(Value encoding) const override {
    const Value x = scale_(encoding);
    const Value source = linear(x, source_);
    return {source, linear(x, target_)};
  }

  Value score(const std::vector<Value>& nodes, const SparseMatrix& pairs, const Pass& /*pass*/,
              std::int64_t /*part*/) const override {
    const Value products = edge_dot(nodes[0], nodes[1], pairs, outputs_);
    return bias_activation(factor_ * products, bias_, StalkActivation::kIdentity);
  }

 private:
  Scale scale_;
  std::int64_t outputs_;
  double factor_;
  Weight source_, target_, bias_;
};

/// logits = W relu(S x_u + T x_v + b) + c: a network on the concatenation, whose first layer is
/// computed per node.
class MlpDecoder final : public Decoder {
 public:
  MlpDecoder(const DecoderShape& shape, std::int64_t channels, double dropout, Weights& weights,
             Random& random)
      : scale_(shape.encoding, weights), dropout_(dropout) {
    const Shape sizes = map_shape(shape.encoding, channels);
    source_ = weights.add("decoder.source", sizes, map_init(shape.encoding, channels, random));
    target_ = weights.add("decoder.target", sizes, map_init(shape.encoding, channels, random));
    hidden_bias_ = weights.add("decoder.hidden.bias", {channels}, zero_init(channels));
    output_ = make_linear(weights, "decoder.output", channels, shape.outputs, random);
  }

  std::vector<Value> prepare(Value encoding) const override {
    const Value x = scale_(encoding);
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
  Scale scale_;
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
