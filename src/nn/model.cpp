#include "dsnn/nn/model.h"

#include "nn/weights.h"

namespace dsnn::nn {

Model::Model() : weights_(std::make_unique<Weights>()) {}
Model::~Model() = default;

std::int64_t Model::num_weights() const { return weights_->size(); }

}  // namespace dsnn::nn
