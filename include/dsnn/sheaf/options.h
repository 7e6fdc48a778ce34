#pragma once

namespace dsnn {

/// Activation of the sheaf learner [eq:sheaf-maps].
enum class MapActivation { kIdentity, kTanh, kElu, kRelu };

/// How parameters become orthogonal (real) or unitary (complex) matrices:
/// [eq:orthogonal-householder], [eq:orthogonal-cayley], [eq:orthogonal-exponential],
/// [eq:orthogonal-euler].
enum class OrthogonalMethod { kHouseholder, kCayley, kMatrixExp, kEuler };

/// Activation of a layer's output [eq:stalk-update]: of complex numbers, ReLU keeps those with a
/// real part that is not negative, ELU acts on each part.
enum class StalkActivation { kIdentity, kRelu, kElu };

}  // namespace dsnn
