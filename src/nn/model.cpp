#include "dsnn/nn/model.h"

namespace dsnn::nn {

Model::~Model() = default;

}  // namespace dsnn::nn
