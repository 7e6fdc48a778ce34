#pragma once

#include "dsnn/config/config.h"
#include "dsnn/engine/program.h"
#include "dsnn/engine/sparse_matrix.h"
#include "dsnn/export.h"
#include "dsnn/nn/model.h"
#include "dsnn/nn/weights.h"
#include "dsnn/util/random.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace dsnn::nn {

/// The sizes of a decoder.
struct DecoderShape {
  engine::Shape encoding;    ///< of the result of Model::encode()
  std::int64_t outputs = 1;  ///< logits of a pair
};

/// Scores pairs of nodes from the features of both [eq:decoders].
class DSNN_API Decoder {
 public:
  virtual ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// What is computed once for every node, from the result of Model::encode().
  virtual std::vector<engine::Value> prepare(engine::Value encoding) const = 0;
  /// The logits [entries, outputs] of the pairs (row, column), from the values of prepare(). Parts
  /// of the pairs that are scored by one program have numbers, so that their dropout differs.
  virtual engine::Value score(const std::vector<engine::Value>& nodes,
                              const engine::SparseMatrix& pairs, const Pass& pass,
                              std::int64_t part = 0) const = 0;

 protected:
  Decoder() = default;
};

/// The parameters of decoders: which one, and its sizes.
DSNN_API std::vector<Parameter> decoder_parameters();

/// The decoder of a configuration; its weights are added to those of the model.
DSNN_API std::unique_ptr<Decoder> make_decoder(const Config& config, const DecoderShape& shape,
                                               Weights& weights, Random& random);

}  // namespace dsnn::nn
