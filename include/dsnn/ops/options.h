#pragma once

namespace dsnn {

/// Activation of the sheaf learner [eq:sheaf-maps].
enum class MapActivation { kIdentity, kTanh, kElu, kRelu };

/// How parameters become orthogonal (real) or unitary (complex) matrices:
/// [eq:orthogonal-householder], [eq:orthogonal-cayley], [eq:orthogonal-exponential],
/// [eq:orthogonal-euler].
enum class OrthogonalMethod { kHouseholder, kCayley, kMatrixExp, kEuler };

}  // namespace dsnn
