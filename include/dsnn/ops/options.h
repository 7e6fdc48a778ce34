#pragma once

namespace dsnn {

/// Activation of the sheaf learner [eq:sheaf-maps].
enum class MapActivation { kIdentity, kTanh, kElu, kRelu };

}  // namespace dsnn
