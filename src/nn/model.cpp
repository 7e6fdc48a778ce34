#include "dsnn/nn/model.h"

namespace dsnn::nn {

Model::~Model() = default;

engine::Value Model::encode(const Input& input, const Pass& pass) const {
  return forward(input, pass);
}

}  // namespace dsnn::nn
